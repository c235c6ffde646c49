import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import RulesAPI
import SecurityRules

/// A request with a decision to explain; JSON values are texts.
struct RulesExplanation: Codable, Sendable, Equatable {
  /// Nil takes the rules in force.
  var rules: RulesSource?
  /// `get`, `list`, `create`, `update` or `delete`.
  var method: String
  /// A document's path below `documents`, or a collection's for queries; an object's name where there is a bucket.
  var path: String
  /// The bucket of Storage that the request is about; nil where it is about documents.
  var bucket: String?
  /// Nil is not signed in.
  var uid: String?
  /// The token's claims as a JSON object.
  var claims: String?
  /// The stored document, as a JSON object of fields; nil takes the one in the database.
  var resource: String?
  /// The document that a write would leave.
  var newResource: String?
  /// The conditions of a query: a `StructuredQuery` without `from`.
  var query: String?

  /// The decision, with the values that the conditions used.
  func decision(
    by ruleset: CompiledRuleset,
    in database: DatabaseID,
    on documents: any RulesDataSource
  ) throws -> RulesDecision {
    let path = ResourcePath(path.split(separator: "/").map { Text(String($0)) })
    let session = RulesSession(
      ruleset: ruleset,
      database: database.database,
      dataSource: documents,
      digests: SystemDigests()
    )
    let now = Timestamp(microseconds: RequestClock.systemTime())
    if method == "list", !path.isDocument {
      return try session.prove(
        try query(path, in: database).normalized(),
        database: database,
        auth: try auth(),
        time: now,
        observing: true
      )
    }
    guard path.isDocument else {
      throw ServiceError.invalidArgument("\(self.path) is not a document path.")
    }
    var request = RulesRequest(
      method: try ruleMethod(),
      path: ["databases", database.database, "documents"] + path.segments,
      auth: try auth(),
      time: now
    )
    request.resource =
      try resource.map { try document($0, request.path) }
      ?? documents.document(at: path).map { RulesMap($0) }
    request.newResource = try newResource.map { try document($0, request.path) }
    return try session.evaluate(request, observing: true)
  }

  func ruleMethod() throws(ServiceError) -> RulesMethod {
    guard let method = RulesMethod(rawValue: method) else {
      throw .invalidArgument(
        "The method must be get, list, create, update or delete, not \(method)."
      )
    }
    return method
  }

  func auth() throws(ServiceError) -> RulesAuth? {
    guard let uid else { return nil }
    var members: [JSONValue.Member] = []
    if let claims {
      guard case .object(let given) = try JSONParser.parse(Array(claims.utf8)) else {
        throw .invalidArgument("The claims must be a JSON object.")
      }
      members = given
    }
    var token: [Text: RulesValue] = ["sub": .string(Text(uid))]
    if case .map(let map) = try RulesValue(json: .object(members)) {
      for (key, value) in map.sorted { token[key] = value }
    }
    return RulesAuth(uid: Text(uid), token: RulesMap(token))
  }

  private func document(_ json: String, _ path: [Text]) throws(ServiceError) -> RulesMap {
    let fields = try RulesMap(documentFields: try JSONParser.parse(Array(json.utf8)))
    return RulesMap(RulesDocument(path: path, data: fields))
  }

  /// The query over the collection, with the conditions that were given.
  private func query(_ path: ResourcePath, in database: DatabaseID) throws -> Query {
    guard let collection = path.segments.last else {
      throw ServiceError.invalidArgument("The path names no collection.")
    }
    var structured = try query.map { try JSONParser.parse(Array($0.utf8)) } ?? .object([:])
    guard case .object(var members) = structured else {
      throw ServiceError.invalidArgument("The query must be a JSON object.")
    }
    members.append(
      .init(
        "from",
        .array([.object(["collectionId": .string(collection.string)])])
      )
    )
    structured = .object(members)
    let parent = path.segments.dropLast().map { "/" + PercentEncoding.encode($0.string) }.joined()
    let call = try RESTTranscoder().call(
      method: "POST",
      path: "/v1/\(database.path)/documents\(parent):runQuery",
      query: nil,
      body: JSONValue.object(["structuredQuery": structured]).compactBytes
    )
    guard let call else { throw ServiceError.invalidArgument("The path names no collection.") }
    return try RunQueryRequest(decoding: call.request).query
  }
}
