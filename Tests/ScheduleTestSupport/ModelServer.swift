import DocumentCodec
import FirestoreModel
import FirestoreSync

/// A server of the simplest kind: every state that its documents ever had, and what each client wrote.
package final class ModelServer {
  /// Which batch of which client's user.
  package struct Label: Hashable, Sendable {
    package let client: Int
    package let user: UserID
    package let batch: BatchID

    /// The label of a client's batch.
    package init(client: Int, user: UserID, batch: BatchID) {
      self.client = client
      self.user = user
      self.batch = batch
    }
  }

  /// The decision on a batch.
  package enum Verdict {
    case applied(CommitVersion, [WriteResult])
    case refused(FirestoreFailure)
  }

  package typealias State = [ResourcePath: CachedDocument]

  package let database = DatabaseID(project: "p")
  package private(set) var history: [(version: CommitVersion, state: State)] = [
    (.init(microseconds: 1_000), [:])
  ]
  private var verdicts: [Label: Verdict] = [:]
  /// The batches in the order in which they were judged.
  private var batches: [(label: Label, writes: [Write])] = []
  /// Hears of everything that the server is given, before it takes it; others' writes have no label.
  package var onChange: (Label?, [Write]) -> Void = { _, _ in }
  /// Every state that a document ever had, but for its absence.
  package private(set) var fields: [ResourcePath: [DocumentFields]] = [:]
  /// The callbacks of all watchers after a commit.
  package var watchers: [Int: () -> Void] = [:]

  /// A server without documents.
  package init() {}

  package var version: CommitVersion { history[history.count - 1].version }
  package var state: State { history[history.count - 1].state }

  /// The documents as they were at a version.
  package func state(at version: CommitVersion) -> State {
    history.last { $0.version <= version }?.state ?? [:]
  }

  /// Applies a batch, once: sent again it gets the same response.
  package func commit(_ writes: [Write], _ label: Label) -> Verdict {
    if let verdict = verdicts[label] { return verdict }
    onChange(label, writes)
    let verdict = judge(writes)
    verdicts[label] = verdict
    batches.append((label, writes))
    return verdict
  }

  /// The batches of a client's user in the order in which they were judged.
  package func judged(of client: Int, _ user: UserID) -> [(batch: BatchID, writes: [Write])] {
    batches.filter { $0.label.client == client && $0.label.user == user }
      .map { ($0.label.batch, $0.writes) }
  }

  /// Applies somebody else's writes.
  @discardableResult
  package func apply(_ writes: [Write]) -> Verdict {
    onChange(nil, writes)
    return judge(writes)
  }

  private func judge(_ writes: [Write]) -> Verdict {
    let next = CommitVersion(microseconds: version.microseconds + 10)
    var state = state
    var results: [WriteResult] = []
    for write in writes {
      let old = state[write.name.path]
      if case .exists(true)? = write.precondition, old == nil {
        return .refused(FirestoreFailure(.notFound, "No document to update"))
      }
      if write.name.path.segments[0] == "denied" {
        return .refused(FirestoreFailure(.permissionDenied, "denied"))
      }
      let (document, values) = Self.result(of: write, on: old, at: next)
      state[write.name.path] = document
      results.append(WriteResult(updateTime: next, transformResults: values))
    }
    history.append((next, state))
    for path in Set(writes.map(\.name.path)) {
      if let stored = state[path]?.fields { fields[path, default: []].append(stored) }
    }
    for watcher in watchers.sorted(by: { $0.key < $1.key }) { watcher.value() }
    return .applied(next, results)
  }

  private static func result(
    of write: Write,
    on old: CachedDocument?,
    at version: CommitVersion
  ) -> (CachedDocument?, [Value]) {
    let stored = old?.fields ?? .empty
    let updated: DocumentFields
    switch write.operation {
    case .delete: return (nil, [])
    case .update(let fields, nil): updated = fields
    case .update(let fields, let mask?): updated = stored.applying(fields, mask: mask)
    case .verify, .transform: updated = stored
    }
    let (fields, results) = updated.applying(write.transforms, requestTime: version.timestamp)
    let document = CachedDocument(
      name: write.name,
      content: .found(fields),
      version: version,
      createTime: old?.createTime ?? version
    )
    return (document, results)
  }

  /// Returns the documents that a target matches in a state.
  package func results(of target: Target, in state: State) -> State {
    switch target.kind {
    case .document(let path): return state.filter { $0.key == path }
    case .bundle: return [:]
    case .query(_, let query):
      let matching = state.filter { query.matches($0.value) }
      guard let limit = query.limit else { return matching }
      let ordered = matching.values.sorted { query.compare($0, $1) == .ascending }
      return Dictionary(uniqueKeysWithValues: ordered.prefix(limit).map { ($0.path, $0) })
    }
  }
}
