import BaseJSON
import CacheTestSupport
import FirestoreModel
import FirestoreSync

/// One run of a case.
final class SpecRun {
  let client: SpecClient
  private let file: CacheFile?
  /// The signed-in user.
  private var user: UserID = nil
  /// The writes of each user that have no final response of the server.
  private var outstanding: [UserID: [[Write]]] = [:]
  private var isNetworkEnabled = true
  private var failing: Set<TransactionLabel> = []
  var expectations = SpecExpectations()

  init(_ specCase: SpecCase, _ mode: SpecMode) throws {
    let isEager = mode == .memory && specCase.usesEagerCollection
    let configuration = SyncEngine.Configuration(
      database: SpecValues.database,
      policy: isEager ? .eager : .leastRecentlyUsed,
      maxConcurrentLimboResolutions: specCase.maxConcurrentLimboResolutions ?? .max
    )
    file = mode == .durable ? try CacheFile(database: SpecValues.database) : nil
    let memory = MemoryLocalStore()
    client = try SpecClient(configuration) { [file] () throws -> any LocalStore in
      guard let file else { return memory }
      return try file.open()
    }
  }

  deinit { file?.remove() }

  /// Does what a step says and compares what the client does with what the step expects.
  func perform(_ step: JSONValue) throws {
    client.clearEvents()
    for member in step.members ?? [] {
      if member.key.hasPrefix("expected") || member.key == "clientIndex" { continue }
      try act(member.key, member.value)
    }
    try expectations.check(step, client, isNetworkEnabled: isNetworkEnabled)
  }

  private func act(_ action: String, _ value: JSONValue) throws {
    switch action {
    case "userListen": try listen(value)
    case "userUnlisten": try client.unlisten(try SpecValues.query(value.elements?.last))
    case "userSet": write(try SpecValues.set(value))
    case "userPatch": write(try SpecValues.patch(value))
    case "userDelete": write(try SpecValues.delete(value))
    case "addSnapshotsInSyncListener": client.addInSyncListener()
    case "removeSnapshotsInSyncListener": client.removeInSyncListener()
    case "waitForPendingWrites": client.waitForPendingWrites()
    case "loadBundle": client.loadBundle(value.string ?? "")
    case "writeAck": try acknowledge(value)
    case "failWrite": try failWrite(value)
    case "enableNetwork": setNetwork(value.boolean ?? true)
    case "runTimer": try runTimer(value.string ?? "")
    case "changeUser": changeUser(value.string)
    case "restart": try restart()
    case "triggerLruGC": collectGarbage(value)
    case "failDatabase": try failDatabase(value)
    default: try actAsServer(action, value)
    }
  }

  private func actAsServer(_ action: String, _ value: JSONValue) throws {
    switch action {
    case "watchAck": try watch(.added, value)
    case "watchReset": try watch(.reset, value)
    case "watchCurrent":
      let parts = value.elements ?? []
      try watch(.current, parts.first ?? .null, token: SpecValues.token(parts.last))
    case "watchRemove": try removeTargets(value)
    case "watchEntity": try watchEntity(value)
    case "watchFilter": try watchFilter(value)
    case "watchSnapshot":
      try watch(
        .noChange,
        value["targetIds"] ?? .array([]),
        token: SpecValues.token(value["resumeToken"]),
        readTime: SpecValues.version(value["version"])
      )
    case "watchStreamClose":
      try client.closeWatch(try SpecValues.failure(value["error"]))
      if value["runBackoffTimer"]?.boolean != false { client.fire(.watchBackoff) }
    default: throw SpecProblem.unsupported("the step \(action)")
    }
  }

  // MARK: The app's steps

  private func listen(_ value: JSONValue) throws {
    let query = try SpecValues.query(value["query"])
    let options = value["options"]
    client.listen(
      query,
      ListenOptions(
        source: options?["source"]?.string == "cache" ? .cache : .server,
        includesMetadataChanges: options?["includeMetadataChanges"]?.boolean ?? true
      )
    )
    guard !failing.contains(.allocateTarget), let expected = value["targetId"]?.integer else {
      return
    }
    let id = client.engine.targetID(of: query)
    guard id == TargetID(expected) else {
      throw SpecProblem.unexpected("the target is \(id.map { "\($0)" } ?? "none"), not \(expected)")
    }
  }

  private func write(_ write: Write) {
    if !failing.contains(.writeLocally) { outstanding[user, default: []].append([write]) }
    client.write(write)
  }

  private func changeUser(_ newUser: UserID) {
    user = newUser
    client.send(.changeUser(newUser))
  }

  private func restart() throws {
    isNetworkEnabled = true
    failing = []
    try client.restart(user: user)
  }

  private func setNetwork(_ isEnabled: Bool) {
    isNetworkEnabled = isEnabled
    client.send(isEnabled ? .enableNetwork : .disableNetwork)
  }

  private func collectGarbage(_ value: JSONValue) {
    let threshold = Int(value.integer ?? 0)
    client.send(
      .collectGarbage(
        CollectionParameters(threshold: threshold, percentile: 100, greatestCount: 1_000)
      )
    )
  }

  private func failDatabase(_ value: JSONValue) throws {
    failing = []
    for name in (value.elements ?? []).compactMap(\.string) {
      guard let label = TransactionLabel(rawValue: name) else {
        throw SpecProblem.unsupported("failing transactions \"\(name)\"")
      }
      failing.insert(label)
    }
    client.fail(failing)
  }

  private func runTimer(_ name: String) throws {
    if name == "all" { return client.fire(upTo: nil) }
    guard let timers = Self.timers[name] else {
      throw SpecProblem.unsupported("the timer \(name)")
    }
    client.fire(upTo: timers)
  }

  private static let timers: [String: Set<SyncTimer>] = [
    "listen_stream_idle": [.watchIdle],
    "listen_stream_connection_backoff": [.watchBackoff],
    "write_stream_idle": [.writeIdle],
    "write_stream_connection_backoff": [.writeBackoff],
    "online_state_timeout": [.onlineState],
    "health_check_timeout": [.watchHealth, .writeHealth],
    "async_queue_retry": [.storageRetry],
  ]

  // MARK: The server's steps

  private func watch(
    _ state: WatchChange.TargetState,
    _ ids: JSONValue,
    token: ResumeToken = [],
    readTime: CommitVersion? = nil
  ) throws {
    let ids = try SpecValues.targetIDs(ids)
    try client.watch(.target(state, ids: ids, resumeToken: token, readTime: readTime))
  }

  private func removeTargets(_ value: JSONValue) throws {
    let ids = try SpecValues.targetIDs(value["targetIds"])
    var failure: FirestoreFailure?
    if let cause = value["cause"], cause != .null {
      failure = try SpecValues.failure(cause)
      for id in ids { try client.removeTarget(id) }
    }
    try client.watch(.target(.removed(failure), ids: ids, resumeToken: [], readTime: nil))
  }

  private func watchEntity(_ value: JSONValue) throws {
    let targets = try SpecValues.targetIDs(value["targets"])
    let removed = try SpecValues.targetIDs(value["removedTargets"])
    let documents = value["docs"]?.elements ?? value["doc"].map { [$0] } ?? []
    for json in documents {
      let sent = try SpecValues.document(json)
      let document = CachedDocument(
        name: sent.name,
        content: sent.content,
        version: sent.version,
        createTime: sent.createTime
      )
      try client.watch(
        .document(document.path, document, targets: targets, removedTargets: removed)
      )
    }
    if let key = value["key"]?.string {
      let path = SpecValues.path(key)
      try client.watch(.document(path, nil, targets: targets, removedTargets: removed))
    }
  }

  private func watchFilter(_ value: JSONValue) throws {
    guard let id = try SpecValues.targetIDs(value["targetIds"]).first else {
      throw SpecProblem.malformed("a filter without a target")
    }
    try client.watch(
      .existenceFilter(
        target: id,
        count: value["keys"]?.elements?.count ?? 0,
        unchanged: SpecValues.bloomFilter(value["bloomFilter"])
      )
    )
  }

  private func acknowledge(_ value: JSONValue) throws {
    let writes = try nextWrites(keepsInQueue: value["keepInQueue"]?.boolean ?? false)
    try client.acknowledge(writes, at: SpecValues.version(value["version"]))
  }

  private func failWrite(_ value: JSONValue) throws {
    _ = try nextWrites(keepsInQueue: value["keepInQueue"]?.boolean ?? false)
    try client.closeWrite(try SpecValues.failure(value["error"]))
  }

  private func nextWrites(keepsInQueue: Bool) throws -> [Write] {
    let sent = try client.nextSentWrites()
    guard let expected = outstanding[user]?.first, expected == sent else {
      throw SpecProblem.unexpected("the client sent another write than the oldest")
    }
    if !keepsInQueue { outstanding[user]?.removeFirst() }
    return sent
  }
}
