import FirestoreModel

/// The policy by which the cache lets documents go that nothing needs any more.
package enum CollectionPolicy: Sendable, Hashable {
  /// At the end of the transaction that made them unneeded.
  case eager
  /// Least recently used first, when they are more than a size (`collectGarbage`).
  case leastRecentlyUsed
}

/// Documents by path.
typealias Documents = [ResourcePath: CachedDocument]

/// The cache's logic above a store's tables: the server's data, the user's writes on top of it, and
/// which of it is still needed.
///
/// Every function is one transaction. One that throws changed nothing, in the store and here.
final class LocalCache {
  let store: any LocalStore
  let database: DatabaseID
  let policy: CollectionPolicy
  /// The user whose writes are seen and queued.
  private(set) var user: UserID
  /// Targets that are listened to.
  private(set) var active: [TargetID: TargetData] = [:]
  /// The snapshot version with which each active target was last saved.
  var savedVersions: [TargetID: CommitVersion] = [:]
  /// Documents that views show, with the number of views.
  private var pins: [ResourcePath: Int] = [:]
  private var pinsByTarget: [TargetID: Set<ResourcePath>] = [:]
  /// Documents that the current transaction may have made unneeded.
  private var orphans: Set<ResourcePath> = []
  /// Documents whose use the last snapshot of the server noted, and the number of that transaction.
  private var justUsed: (paths: Set<ResourcePath>, number: Int64) = ([], 0)
  /// The number of the current transaction, which orders uses, over restarts too.
  private(set) var sequenceNumber: Int64
  /// True if the transaction in progress gave its number to something that outlives it.
  private var isNumberUsed = false
  /// The queued batches of documents with many, so that each acknowledgement need not read all that remain.
  private var chains: [ResourcePath: [MutationBatch]] = [:]
  /// The store's indexes, once they were read.
  var knownIndexes: [FieldIndex]?
  /// True if queries that read much for little get indexes.
  var makesIndexes = false
  private static let longChain = 16

  init(
    store: any LocalStore,
    database: DatabaseID,
    policy: CollectionPolicy,
    user: UserID
  ) throws {
    self.store = store
    self.database = database
    self.policy = policy
    self.user = user
    (sequenceNumber, knownIndexes) = try store.transaction(.start) {
      (try store.globals().highestSequenceNumber, try store.fieldIndexes())
    }
  }

  /// Runs a body whose changes of the store stay only if it returns.
  func transaction<R>(_ label: TransactionLabel, _ body: () throws -> R) throws -> R {
    orphans = []
    isNumberUsed = false
    sequenceNumber += 1
    if justUsed.number + 1 != sequenceNumber { justUsed = ([], 0) }
    do {
      return try store.transaction(label) {
        let result = try body()
        if policy == .eager { try removeOrphans() }
        if isNumberUsed { try saveNumber() }
        return result
      }
    } catch {
      chains = [:]
      knownIndexes = nil
      justUsed = ([], 0)
      throw error
    }
  }

  /// Notes that a view, a target or a queue lets go of documents, or that they were used.
  func release(_ paths: some Collection<ResourcePath>) throws {
    if paths.isEmpty { return }
    switch policy {
    case .eager: orphans.formUnion(paths)
    case .leastRecentlyUsed: try store.touch(paths, sequenceNumber: numberOfUse())
    }
  }

  /// Notes the use of documents that a snapshot of the server added to a target.
  func useAdded(_ paths: Set<ResourcePath>) throws {
    guard policy == .leastRecentlyUsed else { return }
    try release(paths)
    justUsed.number = sequenceNumber
    justUsed.paths.formUnion(paths)
  }

  /// Notes the use of documents that a view shows, but of those that the transaction right before noted.
  func useShown(_ paths: Set<ResourcePath>) throws {
    guard policy == .leastRecentlyUsed else { return }
    let isNoted = justUsed.number + 1 == sequenceNumber
    try release(isNoted ? paths.subtracting(justUsed.paths) : paths)
  }

  /// The number of a use in the current transaction; no later transaction has it, nor one after a
  /// restart.
  func numberOfUse() -> Int64 {
    isNumberUsed = true
    return sequenceNumber
  }

  private func saveNumber() throws {
    var globals = try store.globals()
    guard globals.highestSequenceNumber < sequenceNumber else { return }
    globals.highestSequenceNumber = sequenceNumber
    try store.save(globals)
  }

  private func removeOrphans() throws {
    if orphans.isEmpty { return }
    try removeDocuments(try unneeded(among: orphans))
  }

  /// Those of the documents that no view shows, no target matches and no queued batch writes.
  func unneeded(among paths: Set<ResourcePath>) throws -> Set<ResourcePath> {
    let unpinned = paths.filter { pins[$0] == nil }
    let unmatched = unpinned.subtracting(try store.matched(among: unpinned))
    return unmatched.subtracting(try store.mutated(among: unmatched))
  }

  // MARK: State beside the store

  func set(_ data: TargetData) { active[data.id] = data }

  func deactivate(_ id: TargetID) {
    active[id] = nil
    savedVersions[id] = nil
  }

  func switchUser(to user: UserID) {
    self.user = user
    chains = [:]
  }

  // MARK: The queue by document

  /// The queued batches of each of the documents, in their order.
  func queuedBatches(of paths: Set<ResourcePath>) throws -> [ResourcePath: [MutationBatch]] {
    var result: [ResourcePath: [MutationBatch]] = [:]
    let unknown = paths.filter { chains[$0] == nil }
    if !unknown.isEmpty {
      for batch in try store.batches(of: unknown, user: user) {
        for path in batch.paths where unknown.contains(path) {
          result[path, default: []].append(batch)
        }
      }
      for (path, batches) in result where batches.count >= Self.longChain {
        chains[path] = batches
      }
    }
    for path in paths { result[path] = chains[path] ?? result[path] }
    return result
  }

  /// Notes that a batch joined the queue.
  func chain(_ batch: MutationBatch) {
    if chains.isEmpty { return }
    for path in batch.paths { chains[path]?.append(batch) }
  }

  /// Notes that a batch left the queue.
  func unchain(_ batch: MutationBatch) {
    if chains.isEmpty { return }
    for path in batch.paths {
      chains[path]?.removeAll { $0.id == batch.id }
      if chains[path]?.isEmpty == true { chains[path] = nil }
    }
  }

  func pin(_ paths: Set<ResourcePath>, by target: TargetID) {
    for path in paths where pinsByTarget[target, default: []].insert(path).inserted {
      pins[path, default: 0] += 1
    }
  }

  func unpin(_ paths: Set<ResourcePath>, by target: TargetID) {
    for path in paths where pinsByTarget[target]?.remove(path) != nil { unpin(path) }
  }

  private func unpin(_ path: ResourcePath) {
    let count = (pins[path] ?? 0) - 1
    pins[path] = count > 0 ? count : nil
  }

  /// Lets go of everything that a view pinned.
  func unpinAll(by target: TargetID) -> Set<ResourcePath> {
    let paths = pinsByTarget.removeValue(forKey: target) ?? []
    for path in paths { unpin(path) }
    return paths
  }

  func pinned(by target: TargetID) -> Set<ResourcePath> { pinsByTarget[target] ?? [] }
}
