import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import RulesAPI
import SecurityRules

extension RulesExplanation {
  /// The decision about a request for an object, or for `list` about the names below a path.
  ///
  /// - Parameter stored: The stored object, unless the request gives another one.
  func decision(
    by ruleset: CompiledRuleset,
    in bucket: BucketID,
    stored: StorageResource?,
    on documents: any RulesDataSource
  ) throws -> RulesDecision {
    guard query == nil else {
      throw ServiceError.invalidArgument("Lists of objects have no query.")
    }
    let method = try ruleMethod()
    let session = RulesSession(
      ruleset: ruleset,
      database: DatabaseID(project: bucket.project).database,
      dataSource: documents,
      digests: SystemDigests()
    )
    var request = RulesRequest(
      service: .storage,
      method: method,
      path: RulesPathNames.full(Text(path), in: bucket, isPrefix: method == .list),
      auth: try auth(),
      time: Timestamp(microseconds: RequestClock.systemTime())
    )
    request.resource = try resource.map { try object($0, in: bucket) } ?? stored?.map
    request.newResource = try newResource.map { try object($0, in: bucket) }
    return try session.evaluate(request, observing: true)
  }

  /// An object of JSON members as rules see them; its name and bucket are the request's.
  private func object(_ json: String, in bucket: BucketID) throws(ServiceError) -> RulesMap {
    guard case .object(let given) = try JSONParser.parse(Array(json.utf8)),
      case .map(let map) = try RulesValue(json: .object(given))
    else { throw .invalidArgument("An object must be a JSON object.") }
    var members: [Text: RulesValue] = ["metadata": .map(RulesMap([Text: RulesValue]()))]
    for (key, value) in map.sorted { members[key] = try Self.member(key, value) }
    members["name"] = .string(Text(path))
    members["bucket"] = .string(bucket.name)
    return RulesMap(members)
  }

  /// Times are texts in JSON.
  private static func member(
    _ key: Text,
    _ value: RulesValue
  ) throws(ServiceError) -> RulesValue {
    guard ["timeCreated", "updated"].contains(key), case .string(let text) = value else {
      return value
    }
    guard let time = TimestampText.parse(text.string) else {
      throw .invalidArgument("\(key.string) is not a valid time.")
    }
    return .timestamp(RulesTimestamp(time))
  }
}

/// The documents of a project's default database, which is opened only where rules look.
struct ProjectDocuments: RulesDataSource {
  let permit: AdministratorPermit
  let project: Text

  private var documents: StoredDocuments {
    get throws { StoredDocuments(database: try permit.database(DatabaseID(project: project))) }
  }

  func document(at path: ResourcePath) throws -> RulesDocument? {
    try documents.document(at: path)
  }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { try document(at: path) }
}
