import FirestoreModel
import FirestoreSync

/// One watch stream at the server.
final class ModelWatch {
  /// The choices that servers may make in different ways.
  struct Habits {
    /// Resumed targets are not told which documents left, only how many there are.
    var forgetsDeletes = false
    var sendsBloomFilters = false
  }

  private let server: ModelServer
  /// True if existence filters come with a bloom filter of the matching documents.
  private let sendsBloomFilters: Bool
  private var targets: [TargetID: (target: Target, sent: ModelServer.State)] = [:]
  /// Requests that are not answered yet.
  private var arriving: [TargetData] = []
  /// True if something was sent since the last point.
  private var owesPoint = false
  /// Messages on their way to the client.
  private(set) var outbox: [WatchChange] = []
  private let forgetsDeletes: Bool

  init(_ server: ModelServer, _ habits: Habits) {
    self.server = server
    forgetsDeletes = habits.forgetsDeletes
    sendsBloomFilters = habits.sendsBloomFilters
  }

  /// The next message; nil where there is none.

  func takeMessage() -> WatchChange? {
    admit()
    if owesPoint { sendPoint() }
    return outbox.isEmpty ? nil : outbox.removeFirst()
  }

  /// Takes a request; those that arrive together are answered before the next point.
  func listen(_ data: TargetData) { arriving.append(data) }

  private func admit() {
    for data in arriving { answer(data) }
    if !arriving.isEmpty { owesPoint = true }
    arriving = []
  }

  private func answer(_ data: TargetData) {
    let ids = [data.id]
    let now = server.results(of: data.target, in: server.state)
    outbox.append(.target(.added, ids: ids, resumeToken: [], readTime: nil))
    var known: ModelServer.State = [:]
    let since = Self.version(data.resumeToken)
    if let since { known = server.results(of: data.target, in: server.state(at: since)) }
    tell(data.id, from: known, to: now, withoutRemovals: since != nil && forgetsDeletes)
    if since != nil {
      let filter = sendsBloomFilters ? filter(of: now, known) : nil
      outbox.append(.existenceFilter(target: data.id, count: now.count, unchanged: filter))
    }
    targets[data.id] = (data.target, now)
    outbox.append(.target(.current, ids: ids, resumeToken: token, readTime: nil))
  }

  /// A filter of one hash function that holds the names of what did not change.
  private func filter(of now: ModelServer.State, _ known: ModelServer.State) -> BloomFilter? {
    let names = now.filter { known[$0.key]?.version == $0.value.version }.values.map(\.name)
    // With few bits it also lets names pass that it does not hold.
    return (0..<256).lazy.compactMap { byte in
      BloomFilter(bitmap: [UInt8(byte)], padding: 0, hashCount: 1)
    }
    .first { filter in names.allSatisfy { filter.mightContain($0) } }
  }

  func unlisten(_ id: TargetID) {
    admit()
    targets[id] = nil
    outbox.append(.target(.removed(nil), ids: [id], resumeToken: [], readTime: nil))
  }

  /// Tells what the last commit changed.
  func update() {
    for id in targets.keys.sorted() {
      guard let (target, sent) = targets[id] else { continue }
      let now = server.results(of: target, in: server.state)
      tell(id, from: sent, to: now, withoutRemovals: false)
      targets[id] = (target, now)
    }
    admit()
    sendPoint()
  }

  private func tell(
    _ id: TargetID,
    from old: ModelServer.State,
    to new: ModelServer.State,
    withoutRemovals: Bool
  ) {
    for path in new.keys.sorted() where old[path]?.version != new[path]?.version {
      outbox.append(.document(path, new[path], targets: [id], removedTargets: []))
    }
    if withoutRemovals { return }
    for path in old.keys.sorted() where new[path] == nil {
      let present =
        server.state[path]
        ?? CachedDocument(
          name: DocumentName(database: server.database, path: path),
          content: .missing,
          version: server.version
        )
      outbox.append(.document(path, present, targets: [], removedTargets: [id]))
    }
  }

  /// Tells that all targets are as they were told to be, as a server does from time to time.
  func sendPoint() {
    owesPoint = false
    outbox.append(.target(.noChange, ids: [], resumeToken: token, readTime: server.version))
  }

  private var token: ResumeToken { Array("\(server.version.microseconds)".utf8) }

  private static func version(_ token: ResumeToken) -> CommitVersion? {
    Int64(String(decoding: token, as: UTF8.self)).map { CommitVersion(microseconds: $0) }
  }
}
