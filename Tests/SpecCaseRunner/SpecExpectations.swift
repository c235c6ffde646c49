import BaseJSON
import FirestoreModel
import FirestoreSync

/// The state that a case expects of the client after each step; some of it until another step
/// changes it.
struct SpecExpectations {
  private var activeTargets: JSONValue = .object([])
  private var activeLimbo: Set<ResourcePath> = []
  private var queuedLimbo: Set<ResourcePath> = []

  /// Compares after a step.
  mutating func check(_ step: JSONValue, _ client: SpecClient, isNetworkEnabled: Bool) throws {
    try checkEvents(step["expectedSnapshotEvents"]?.elements ?? [], client)
    let state = step["expectedState"]
    if let targets = state?["activeTargets"] { activeTargets = targets }
    if let paths = state?["activeLimboDocs"] { activeLimbo = Self.paths(paths) }
    if let paths = state?["enqueuedLimboDocs"] { queuedLimbo = Self.paths(paths) }
    try checkCounts(step, client)
    try checkCallbacks(state?["userCallbacks"], client)
    try checkTargets(client, isNetworkEnabled: isNetworkEnabled)
    try Self.expect(client.engine.activeLimboDocuments, activeLimbo, "active limbo documents")
    try Self.expect(
      Set(client.engine.queuedLimboDocuments),
      queuedLimbo,
      "queued limbo documents"
    )
    if client.watchID != nil { try checkLimboTargets(client) }
  }

  private static func paths(_ json: JSONValue) -> Set<ResourcePath> {
    Set((json.elements ?? []).compactMap(\.string).map(SpecValues.path))
  }

  private static func expect<T: Equatable>(_ actual: T, _ expected: T, _ what: String) throws {
    guard actual == expected else {
      throw SpecProblem.unexpected("\(what): \(actual), expected \(expected)")
    }
  }

  // MARK: State

  private func checkCounts(_ step: JSONValue, _ client: SpecClient) throws {
    let state = step["expectedState"]
    func check(_ json: JSONValue?, _ actual: Int, _ what: String) throws {
      if let expected = json?.integer { try Self.expect(actual, Int(expected), what) }
    }
    try check(state?["numOutstandingWrites"], client.engine.pipelineCount, "outstanding writes")
    try check(state?["watchStreamRequestCount"], client.watchRequestCount, "watch requests")
    try check(state?["writeStreamRequestCount"], client.writeRequestCount, "write requests")
    try Self.expect(
      client.inSyncCount,
      Int(step["expectedSnapshotsInSyncEvents"]?.integer ?? 0),
      "snapshots-in-sync events"
    )
    try Self.expect(
      client.pendingWritesCount,
      Int(step["expectedWaitForPendingWritesEvents"]?.integer ?? 0),
      "wait-for-pending-writes events"
    )
  }

  private func checkCallbacks(_ json: JSONValue?, _ client: SpecClient) throws {
    func keys(_ name: String) -> [ResourcePath] {
      (json?[name]?.elements ?? []).compactMap(\.string).map(SpecValues.path)
    }
    try Self.expect(client.acknowledged, keys("acknowledgedDocs"), "acknowledged writes")
    try Self.expect(client.rejected, keys("rejectedDocs"), "rejected writes")
  }

  private func checkTargets(_ client: SpecClient, isNetworkEnabled: Bool) throws {
    let expected = isNetworkEnabled ? activeTargets.members ?? [] : []
    let ids = expected.compactMap { TargetID($0.key) }.sorted()
    try Self.expect(client.activeTargets.keys.sorted(), ids, "active targets")
    for member in expected {
      guard let id = TargetID(member.key), let actual = client.activeTargets[id] else { continue }
      try check(actual, member.value)
    }
  }

  private func check(_ actual: TargetData, _ expected: JSONValue) throws {
    let query = try SpecValues.query(expected["queries"]?.elements?.first)
    guard actual.target == query.target else {
      throw SpecProblem.unexpected("target \(actual.id) is another query's")
    }
    let purpose = expected["targetPurpose"]?.string ?? "TargetPurposeListen"
    try Self.expect(Self.name(of: actual.purpose), purpose, "purpose of target \(actual.id)")
    let token = SpecValues.token(expected["resumeToken"])
    try Self.expect(
      String(decoding: actual.resumeToken, as: UTF8.self),
      String(decoding: token, as: UTF8.self),
      "resume token of target \(actual.id)"
    )
    if token.isEmpty {
      try Self.expect(
        actual.snapshotVersion,
        SpecValues.version(expected["readTime"]),
        "read time of target \(actual.id)"
      )
    }
    if let count = expected["expectedCount"]?.integer {
      try Self.expect(actual.expectedCount, Int(count), "count of target \(actual.id)")
    }
  }

  private static func name(of purpose: TargetData.Purpose) -> String {
    switch purpose {
    case .listen: "TargetPurposeListen"
    case .existenceFilterMismatch: "TargetPurposeExistenceFilterMismatch"
    case .existenceFilterMismatchBloom: "TargetPurposeExistenceFilterMismatchBloom"
    case .limboResolution: "TargetPurposeLimboResolution"
    }
  }

  private func checkLimboTargets(_ client: SpecClient) throws {
    let listened = Set(
      client.activeTargets.values.filter { $0.purpose == .limboResolution }
        .compactMap(\.target.document)
    )
    guard activeLimbo.isSubset(of: listened) else {
      throw SpecProblem.unexpected("a document in limbo is not asked for")
    }
  }

  // MARK: Events

  private func checkEvents(_ expected: [JSONValue], _ client: SpecClient) throws {
    var actual = client.queryEvents
    try Self.expect(actual.count, expected.count, "events")
    for json in expected {
      let query = try SpecValues.query(json["query"])
      guard let index = actual.firstIndex(where: { $0.query == query }) else {
        throw SpecProblem.unexpected("there is no event of an expected query")
      }
      try check(actual.remove(at: index).event, json)
    }
  }

  private func check(_ event: SpecClient.QueryEvent, _ expected: JSONValue) throws {
    let code = Int(expected["errorCode"]?.integer ?? 0)
    switch event {
    case .failure(let failure): try Self.expect(failure.code.rawValue, code, "error code")
    case .snapshot(let snapshot):
      try Self.expect(0, code, "error code")
      try Self.expect(
        snapshot.isFromCache,
        expected["fromCache"]?.boolean ?? false,
        "whether from the cache"
      )
      try Self.expect(
        snapshot.hasPendingWrites,
        expected["hasPendingWrites"]?.boolean ?? false,
        "whether there are pending writes"
      )
      try Self.expect(
        snapshot.changes.map { Self.describe($0.kind, $0.document) }.sorted(),
        try Self.changes(expected).sorted(),
        "changes"
      )
    }
  }

  private static func changes(_ expected: JSONValue) throws -> [String] {
    let kinds: [(String, ViewChange.Kind)] = [
      ("added", .added), ("removed", .removed), ("modified", .modified), ("metadata", .metadata),
    ]
    return try kinds.flatMap { name, kind in
      try (expected[name]?.elements ?? []).map { describe(kind, try SpecValues.document($0)) }
    }
  }

  private static func describe(_ kind: ViewChange.Kind, _ document: CachedDocument) -> String {
    let fields = document.fields.map { "\($0.decoded())" } ?? "\(document.content)"
    return "\(kind) \(document.path.string)@\(document.version.microseconds) "
      + "\(document.mutations) \(fields)"
  }
}
