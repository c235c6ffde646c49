import BaseRuntime
import BaseStatus
import FirestoreModel
import KeyValueStore
import Synchronization

/// The writer of all commits: all commits that wait are one write of the engine's next group.
///
/// They are decided in the order in which they came, in a body that they share; other authors'
/// writes may be in the same group. When the group is durable, the observer receives the commits in
/// version order, then their completions run, all on the engine's writing thread.
final class CommitWriter: Sendable {
  private struct State {
    var waiting: [PendingCommit] = []
    /// True if a write that takes them is in the engine's queue.
    var isQueued = false
    var isClosed = false
  }

  private let engine: any KeyValueEngine
  private let observer: (any CommitObserver)?
  private let groupObserver: (@Sendable (Int) -> Void)?
  private let follower: (any CommitFollower)?
  private let state = Mutex(State())
  private let publication = CommitPublication()
  let recentWrites = RecentWrites()
  /// Documents that need not be read again.
  let documents: DocumentCache

  /// A batch takes no more writes than this, so that no commit waits for too many others and a
  /// group's memory is bounded; a larger commit is a batch of its own.
  private static let batchWrites = 2_048
  /// The same for the bytes of their fields.
  private static let batchBytes = 4 << 20

  init(engine: any KeyValueEngine, configuration: StoreConfiguration) {
    self.engine = engine
    observer = configuration.commitObserver
    groupObserver = configuration.groupObserver
    follower = configuration.commitFollower
    documents = DocumentCache(
      bytes: configuration.documentCacheBytes,
      recentWrites: recentWrites
    )
  }

  /// Hands a commit to the writer; after the store was closed it fails at once.
  func submit(_ commit: PendingCommit) {
    let (isAccepted, mustQueue) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.waiting.append(commit)
      defer { state.isQueued = true }
      return (true, !state.isQueued)
    }
    if mustQueue { queueBatch(mayLead: BlockingCheck.isAlone) }
    if !isAccepted {
      let closed = KeyValueError(.closed, "the store was closed")
      commit.completion(.failure(ServiceError.storage(closed)))
    }
  }

  /// Takes no more commits, and returns when those that were taken have their responses.
  func close() {
    state.withLock { $0.isClosed = true }
    // A write that comes behind the batch in the queue is done after it.
    repeat { try? engine.write { _ in } } while state.withLock { $0.isQueued }
  }

  /// Notifies the observer that no later commit has this version or one below.
  ///
  /// This is for writes that took a version without a commit, on the queue's thread when they are
  /// durable: a reader at the observer's version would not see them before the next commit.
  func advance(to version: CommitVersion) {
    observer?.groupCommitted(through: version) { [] }
  }

  /// A group of another engine has written these documents; nil if they are unknown.
  func othersWrote(_ documentKeys: [[UInt8]]?) {
    guard let documentKeys else {
      // Recorded first, so that no reader inserts data that it has read before.
      recentWrites.unknownGroupLanded()
      return documents.removeAll()
    }
    for key in documentKeys {
      recentWrites.note(key)
      documents.remove(key)
    }
    recentWrites.groupLanded()
  }

  /// Returns when the observer has received every commit that was durable when this was called.
  func awaitPublication() { publication.wait() }
}

// In the engine's queue.
extension CommitWriter {
  private func queueBatch(mayLead: Bool = false) {
    let batch = CommitBatch()
    engine.submit(
      QueuedWrite(.interactive, mayLead: mayLead) { group in
        self.publication.begin()
        batch.commits = self.takeBatch()
        try self.resolve(batch, in: group)
      } completion: { outcome in
        self.settle(batch, outcome)
      }
    )
  }

  /// The commits of one batch; commits beyond its bound are queued behind it.
  private func takeBatch() -> ArraySlice<PendingCommit> {
    let (batch, isLast) = state.withLock { state in
      let waiting = state.waiting
      let end = Self.endOfBatch(waiting)
      state.waiting = Array(waiting[end...])
      state.isQueued = end < waiting.count
      return (waiting[..<end], !state.isQueued)
    }
    if !isLast { queueBatch() }
    return batch
  }

  private static func endOfBatch(_ waiting: [PendingCommit]) -> Int {
    var (writes, bytes) = (0, 0)
    for (index, commit) in waiting.enumerated() {
      writes += max(1, commit.request.writes.count)
      bytes += commit.request.fieldBytes
      if writes > batchWrites || bytes > batchBytes, index > 0 { return index }
    }
    return waiting.count
  }

  private func resolve(_ batch: CommitBatch, in group: any KeyValueGroup) throws {
    let resolver = CommitResolver(group: group, recentWrites: recentWrites, documents: documents)
    batch.outcomes.reserveCapacity(batch.commits.count)
    do {
      for pending in batch.commits { try batch.outcomes.append(resolve(pending, with: resolver)) }
    } catch {
      forget(batch)
      throw error
    }
  }

  /// A refusal is the commit's own; every other error is the batch's.
  private func resolve(
    _ pending: PendingCommit,
    with resolver: CommitResolver
  ) throws -> Result<Resolution, any Error> {
    do {
      return .success(try resolver.resolve(pending))
    } catch let error as ServiceError {
      return .failure(error)
    } catch let error as StaleReadSet {
      return .failure(error)
    }
  }

  private func settle(_ batch: CommitBatch, _ outcome: Result<Void, any Error>) {
    switch outcome {
    case .success:
      recentWrites.groupLanded()
      if let observer { publish(batch, to: observer) }
      publication.end()
      answer(batch)
      follower?.groupLanded()
    case .failure(let error):
      publication.end()
      fail(batch, error)
    }
  }

  private func publish(_ batch: CommitBatch, to observer: any CommitObserver) {
    let versions = batch.outcomes.lazy.compactMap { try? $0.get().applied?.version }
    guard let last = versions.max() else { return }
    observer.groupCommitted(through: last) {
      zip(batch.commits, batch.outcomes).compactMap { pending, outcome in
        guard let commit = try? outcome.get().applied, commit.hasChanges else { return nil }
        return commit.published(in: pending.database)
      }
    }
  }

  private func answer(_ batch: CommitBatch) {
    let applied = batch.outcomes.count { (try? $0.get())?.applied != nil }
    if applied > 0 { groupObserver?(applied) }
    Handover.during { handover in
      for (pending, outcome) in zip(batch.commits, batch.outcomes) {
        pending.completion(outcome.map(\.outcome))
        handover.deliverIfDue()
      }
    }
  }

  /// The batch left nothing behind: what rested on it must be read again.
  private func fail(_ batch: CommitBatch, _ error: any Error) {
    // If no group could be started, the batch has not been taken yet.
    if batch.commits.isEmpty { batch.commits = takeBatch() }
    forget(batch)
    // Refusals too: they may rest on earlier writes of the group, which were undone.
    for pending in batch.commits { pending.completion(.failure(ServiceError.storage(error))) }
  }

  private func forget(_ batch: CommitBatch) {
    for pending in batch.commits { pending.database.forgetGroup() }
  }
}

/// The commits that one write of the engine makes, and what came of them.
///
/// `@unchecked Sendable`: the body and the completion of that write alone touch it, on one thread.
private final class CommitBatch: @unchecked Sendable {
  var commits: ArraySlice<PendingCommit> = []
  /// Those of the commits that were decided, in their order.
  var outcomes: [Result<Resolution, any Error>] = []
}
