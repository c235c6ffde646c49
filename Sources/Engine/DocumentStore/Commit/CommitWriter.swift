import FirestoreModel
import KeyValueStore
import Synchronization

/// The one place that commits: takes everything that waits as one group of the engine.
///
/// Commits of a group are decided in the order in which they came. When the group is durable, the
/// observer hears of them in version order, then their completions run, all on the writer's thread.
final class CommitWriter: Sendable {
  private let engine: any KeyValueEngine
  private let observer: (any CommitObserver)?
  private let groupObserver: (@Sendable (Int) -> Void)?
  private let mailbox = BlockingQueue<PendingCommit>()
  let recentWrites = RecentWrites()
  /// Documents that need not be read again.
  let documents: DocumentCache
  /// Held from before a group's first version until the observer has heard of it.
  private let publication = Mutex(())

  /// A group takes no more writes than this, so that no commit waits for too many others and a
  /// group's memory is bounded; a larger commit is a group of its own.
  private static let groupWrites = 2_048

  init(engine: any KeyValueEngine, configuration: StoreConfiguration) {
    self.engine = engine
    observer = configuration.commitObserver
    groupObserver = configuration.groupObserver
    documents = DocumentCache(
      bytes: configuration.documentCacheBytes,
      recentWrites: recentWrites
    )
  }

  /// Hands a commit to the writer; after the store was closed it fails at once.
  func submit(_ commit: PendingCommit) {
    if !mailbox.put(commit) {
      let closed = KeyValueError(.closed, "the store was closed")
      commit.completion(.failure(FirestoreError.storage(closed)))
    }
  }

  /// Commits until the store is closed.
  func serve() {
    while let waiting = mailbox.take() {
      var start = 0
      while start < waiting.count {
        let end = Self.endOfGroup(waiting, from: start)
        commit(waiting[start..<end])
        start = end
      }
    }
  }

  private static func endOfGroup(_ waiting: [PendingCommit], from start: Int) -> Int {
    var writes = waiting[start].request.writes.count
    var end = start + 1
    while end < waiting.count {
      writes += max(1, waiting[end].request.writes.count)
      if writes > groupWrites { break }
      end += 1
    }
    return end
  }

  /// Ends `serve()` when nothing waits any more.
  func close() { mailbox.close() }

  /// Returns when the observer has heard of every commit that was durable when this was called.
  func awaitPublication() { publication.withLock { _ in } }

  private func commit(_ batch: ArraySlice<PendingCommit>) {
    var outcomes: [Result<Resolution, any Error>] = []
    outcomes.reserveCapacity(batch.count)
    do {
      try publication.withLock { _ in
        try engine.write { group in
          let resolver = CommitResolver(
            group: group,
            recentWrites: recentWrites,
            documents: documents
          )
          for pending in batch { try outcomes.append(resolve(pending, with: resolver)) }
        }
        recentWrites.groupLanded()
        if let observer { publish(batch, outcomes, to: observer) }
      }
    } catch {
      fail(batch, outcomes, error)
      return
    }
    let applied = outcomes.count { (try? $0.get())?.applied != nil }
    if applied > 0 { groupObserver?(applied) }
    for (pending, outcome) in zip(batch, outcomes) {
      pending.completion(outcome.map(\.outcome))
    }
  }

  /// A refusal is the commit's own; every other error is the group's.
  private func resolve(
    _ pending: PendingCommit,
    with resolver: CommitResolver
  ) throws -> Result<Resolution, any Error> {
    do {
      return .success(try resolver.resolve(pending))
    } catch let error as FirestoreError {
      return .failure(error)
    } catch let error as StaleReadSet {
      return .failure(error)
    }
  }

  private func publish(
    _ batch: ArraySlice<PendingCommit>,
    _ outcomes: [Result<Resolution, any Error>],
    to observer: any CommitObserver
  ) {
    let versions = outcomes.lazy.compactMap { try? $0.get().applied?.version }
    guard let last = versions.max() else { return }
    observer.groupCommitted(through: last) {
      zip(batch, outcomes).compactMap { pending, outcome in
        guard let commit = try? outcome.get().applied, commit.hasChanges else { return nil }
        return commit.published(in: pending.database)
      }
    }
  }

  /// The group left nothing behind: what rested on it must be read again.
  private func fail(
    _ batch: ArraySlice<PendingCommit>,
    _ outcomes: [Result<Resolution, any Error>],
    _ error: any Error
  ) {
    for (index, pending) in zip(0..., batch) {
      pending.database.forgetGroup()
      if index < outcomes.count, case .failure(let refusal) = outcomes[index] {
        pending.completion(.failure(refusal))
      } else {
        pending.completion(.failure(FirestoreError.storage(error)))
      }
    }
  }
}
