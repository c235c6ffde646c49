import BaseText
import FirestoreModel

/// A local store that lives as long as its process.
///
/// A transaction's body that throws leaves its changes, since nothing in memory fails in the
/// middle. The only failures are those of `failingLabels`, which come before the body.
package final class MemoryLocalStore: LocalStore {
  /// Transactions of these labels fail before they change anything.
  package var failingLabels: Set<TransactionLabel> = []

  private var documents: [ResourcePath: [ResourcePath: CachedDocument]] = [:]
  private var collections: [Text: Set<ResourcePath>] = [:]
  private var byteCount = 0
  private var queues: [UserID: MemoryMutationQueue] = [:]
  private var targetsByID: [TargetID: TargetData] = [:]
  private var targetIDs: [Target: TargetID] = [:]
  private var keysByTarget: [TargetID: Set<ResourcePath>] = [:]
  private var matchCounts: [ResourcePath: Int] = [:]
  private var uses: [ResourcePath: Int64] = [:]
  private var bundles: [String: BundleRecord] = [:]
  private var namedQueries: [String: NamedQuery] = [:]
  private var storedGlobals = StoreGlobals()
  private var indexes: [IndexID: FieldIndex] = [:]
  private var entries: [IndexID: MemoryIndexEntries] = [:]

  /// An empty store.
  package init() {}

  /// Runs the body; throws `LocalStoreError` before it where the label is made to fail.
  package func transaction<R>(_ label: TransactionLabel, _ body: () throws -> R) throws -> R {
    if failingLabels.contains(label) {
      throw LocalStoreError("The transaction \"\(label.rawValue)\" was made to fail.")
    }
    return try body()
  }

  /// Does nothing: no work is put off.
  package func settle() {}

  /// Does nothing: the store ends with its last reference.
  package func close() {}
}

// MARK: Documents

extension MemoryLocalStore {
  /// Looks up each document; time grows with the number of paths.
  package func documents(
    _ paths: some Collection<ResourcePath>
  ) -> [ResourcePath: CachedDocument] {
    var result: [ResourcePath: CachedDocument] = [:]
    result.reserveCapacity(paths.count)
    for path in paths {
      if let document = documents[path.parent]?[path] { result[path] = document }
    }
    return result
  }

  /// Goes through the documents of the collection, which come in no order.
  package func documents(
    in collection: ResourcePath,
    readAfter version: CommitVersion
  ) -> [CachedDocument] {
    guard let found = documents[collection]?.values else { return [] }
    return version == .zero ? Array(found) : found.filter { $0.readTime > version }
  }

  /// Sorts the documents of the collection; time grows with all of them, for any limit.
  package func documents(
    in collection: ResourcePath,
    after path: ResourcePath?,
    limit: Int
  ) -> [CachedDocument] {
    let found = documents[collection, default: [:]].values.filter { document in
      path.map { document.path > $0 } ?? true
    }
    return Array(found.sorted { $0.path < $1.path }.prefix(limit))
  }

  /// Stores the documents in the place of their earlier states.
  package func save(_ documents: [CachedDocument]) {
    for document in documents {
      let parent = document.path.parent
      let old = self.documents[parent, default: [:]].updateValue(document, forKey: document.path)
      byteCount += document.byteSize - (old?.byteSize ?? 0)
      note(collection: parent)
    }
  }

  /// Removes the documents with the numbers of their last use; unknown paths are ignored.
  package func removeDocuments(_ paths: some Collection<ResourcePath>) {
    for path in paths {
      let old = documents[path.parent]?.removeValue(forKey: path)
      byteCount -= old?.byteSize ?? 0
      if documents[path.parent]?.isEmpty == true { documents[path.parent] = nil }
      uses[path] = nil
    }
  }

  /// The collections in no order; none is ever forgotten.
  package func collections(withID id: Text) -> [ResourcePath] { Array(collections[id] ?? []) }

  /// The bytes of all fields and paths, kept up to date with each change.
  package func documentBytes() -> Int { byteCount }

  private func note(collection: ResourcePath) {
    guard let id = collection.lastID else { return }
    collections[id, default: []].insert(collection)
  }
}

extension CachedDocument {
  fileprivate var byteSize: Int { (fields?.bytes.count ?? 0) + path.byteSize }
}

// MARK: Mutation queues and overlays

/// One user's batches and what they come to.
private struct MemoryMutationQueue {
  var batches: [MutationBatch] = []
  var batchesByPath: [ResourcePath: [BatchID]] = [:]
  var overlays: [ResourcePath: [ResourcePath: Overlay]] = [:]

  func index(of id: BatchID) -> Int? {
    let index = firstIndex(atLeast: id)
    return index < batches.count && batches[index].id == id ? index : nil
  }

  func firstIndex(atLeast id: BatchID) -> Int { batches.firstIndex(notBefore: { $0.id < id }) }
}

extension MemoryLocalStore {
  /// Puts a batch at the end of the user's queue; its number must be the highest there.
  package func append(_ batch: MutationBatch, user: UserID) {
    queues[user, default: MemoryMutationQueue()].batches.append(batch)
    for path in batch.paths {
      queues[user]?.batchesByPath[path, default: []].append(batch.id)
      note(collection: path.parent)
    }
  }

  /// Removes a batch from the user's queue, if it is there.
  package func removeBatch(_ id: BatchID, user: UserID) {
    guard let index = queues[user]?.index(of: id),
      let batch = queues[user]?.batches.remove(at: index)
    else { return }
    for path in batch.paths {
      queues[user]?.batchesByPath[path]?.removeAll { $0 == id }
      if queues[user]?.batchesByPath[path]?.isEmpty == true {
        queues[user]?.batchesByPath[path] = nil
      }
    }
  }

  /// The batch of that number; nil where the queue has none.
  package func batch(_ id: BatchID, user: UserID) -> MutationBatch? {
    guard let queue = queues[user], let index = queue.index(of: id) else { return nil }
    return queue.batches[index]
  }

  /// The first batch with a higher number; nil behind the last.
  package func batch(after id: BatchID, user: UserID) -> MutationBatch? {
    guard let queue = queues[user] else { return nil }
    let index = queue.firstIndex(atLeast: id + 1)
    return index < queue.batches.count ? queue.batches[index] : nil
  }

  /// The user's batches by ascending numbers.
  package func batches(user: UserID) -> [MutationBatch] { queues[user]?.batches ?? [] }

  /// The batches that write one of the documents, each once, by ascending numbers.
  package func batches(of paths: Set<ResourcePath>, user: UserID) -> [MutationBatch] {
    guard let queue = queues[user] else { return [] }
    var ids: Set<BatchID> = []
    for path in paths { ids.formUnion(queue.batchesByPath[path] ?? []) }
    return ids.sorted().compactMap { batch($0, user: user) }
  }

  /// The number of the last batch; nil where the queue is empty.
  package func highestBatchID(user: UserID) -> BatchID? { queues[user]?.batches.last?.id }

  /// The documents that a queued batch of any user writes.
  package func mutated(among paths: Set<ResourcePath>) -> Set<ResourcePath> {
    let queues = queues.values
    return paths.filter { path in queues.contains { $0.batchesByPath[path] != nil } }
  }

  /// The overlays of those documents that have one.
  package func overlays(
    _ paths: some Collection<ResourcePath>,
    user: UserID
  ) -> [ResourcePath: Overlay] {
    var result: [ResourcePath: Overlay] = [:]
    guard let overlays = queues[user]?.overlays, !overlays.isEmpty else { return result }
    for path in paths {
      if let overlay = overlays[path.parent]?[path] { result[path] = overlay }
    }
    return result
  }

  /// The overlays of the collection's own documents, without those of subcollections.
  package func overlays(
    in collection: ResourcePath,
    user: UserID
  ) -> [ResourcePath: Overlay] {
    queues[user]?.overlays[collection] ?? [:]
  }

  /// Stores the overlays in the place of the documents' earlier ones.
  package func save(_ overlays: [ResourcePath: Overlay], user: UserID) {
    for (path, overlay) in overlays {
      queues[user, default: MemoryMutationQueue()].overlays[path.parent, default: [:]][path] =
        overlay
    }
  }

  /// Removes the documents' overlays; paths without one are ignored.
  package func removeOverlays(_ paths: some Collection<ResourcePath>, user: UserID) {
    for path in paths {
      queues[user]?.overlays[path.parent]?[path] = nil
      if queues[user]?.overlays[path.parent]?.isEmpty == true {
        queues[user]?.overlays[path.parent] = nil
      }
    }
  }
}

// MARK: Targets

extension MemoryLocalStore {
  /// The target's data; nil where it was never saved or was removed.
  package func target(_ target: Target) -> TargetData? {
    targetIDs[target].flatMap { targetsByID[$0] }
  }

  /// All targets in no order.
  package func targets() -> [TargetData] { Array(targetsByID.values) }

  /// Stores a target under its number and under its identity.
  package func save(_ target: TargetData) {
    targetsByID[target.id] = target
    targetIDs[target.target] = target.id
  }

  /// Removes a target with its keys, if it is there.
  package func removeTarget(_ id: TargetID) {
    if let keys = keysByTarget[id] { removeKeys(keys, fromTarget: id) }
    keysByTarget[id] = nil
    if let data = targetsByID.removeValue(forKey: id) { targetIDs[data.target] = nil }
  }

  /// The documents that the server matched with the target; empty for an unknown number.
  package func keys(ofTarget id: TargetID) -> Set<ResourcePath> { keysByTarget[id] ?? [] }

  /// Adds documents to the target's keys; those that are there already are ignored.
  package func addKeys(_ paths: some Collection<ResourcePath>, toTarget id: TargetID) {
    for path in paths where keysByTarget[id, default: []].insert(path).inserted {
      matchCounts[path, default: 0] += 1
    }
  }

  /// Removes documents from the target's keys; those that are not there are ignored.
  package func removeKeys(_ paths: some Collection<ResourcePath>, fromTarget id: TargetID) {
    for path in paths where keysByTarget[id]?.remove(path) != nil {
      let count = (matchCounts[path] ?? 0) - 1
      matchCounts[path] = count > 0 ? count : nil
    }
  }

  /// The documents that at least one target matches.
  package func matched(among paths: Set<ResourcePath>) -> Set<ResourcePath> {
    paths.filter { matchCounts[$0] != nil }
  }
}

// MARK: Indexes of fields

extension MemoryLocalStore {
  /// The indexes by ascending numbers.
  package func fieldIndexes() -> [FieldIndex] { indexes.values.sorted { $0.id < $1.id } }

  /// Stores an index in the place of the one with its number; entries stay.
  package func save(_ index: FieldIndex) { indexes[index.id] = index }

  /// Removes an index with its entries, if it is there.
  package func removeFieldIndex(_ id: IndexID) {
    indexes[id] = nil
    entries[id] = nil
  }

  /// Replaces the document's entries; without keys it has none.
  package func setEntries(_ keys: [[UInt8]], of path: ResourcePath, in index: IndexID) {
    entries[index, default: MemoryIndexEntries()].set(keys, of: path)
  }

  /// Collects the entries of the range before the first call of the body.
  package func forEachEntry(
    _ index: IndexID,
    _ collection: ResourcePath,
    _ range: IndexRange,
    isReversed: Bool,
    _ body: (ResourcePath) throws -> Bool
  ) throws {
    let found = entries[index, default: MemoryIndexEntries()].paths(collection, range)
    for path in isReversed ? found.reversed() : found where try !body(path) { return }
  }
}

// MARK: Uses, bundles, globals

extension MemoryLocalStore {
  /// Notes the use under which each document was last used.
  package func touch(_ paths: some Collection<ResourcePath>, sequenceNumber: Int64) {
    for path in paths { uses[path] = sequenceNumber }
  }

  /// The documents up to that use, by use and then by path; those never touched have use 0.
  package func leastRecentlyUsed(upTo sequenceNumber: Int64) -> [ResourcePath] {
    var found: [(path: ResourcePath, use: Int64)] = []
    for path in documents.values.joined().map(\.key) {
      let use = uses[path] ?? 0
      if use <= sequenceNumber { found.append((path, use)) }
    }
    found.sort { ($0.use, $0.path) < ($1.use, $1.path) }
    return found.map(\.path)
  }

  /// The uses of all targets, and of documents that no target matches; in no order.
  package func sequenceNumbers() -> [Int64] {
    let targets = targetsByID.values.map(\.sequenceNumber)
    return targets + uses.filter { matchCounts[$0.key] == nil }.map(\.value)
  }

  /// The record of a loaded bundle; nil where none of that id was loaded.
  package func bundle(_ id: String) -> BundleRecord? { bundles[id] }

  /// Stores a bundle's record in the place of an earlier one of its id.
  package func save(_ bundle: BundleRecord) { bundles[bundle.id] = bundle }

  /// The query of that name; nil where no bundle brought one.
  package func namedQuery(_ name: String) -> NamedQuery? { namedQueries[name] }

  /// Stores a query in the place of an earlier one of its name.
  package func save(_ query: NamedQuery) { namedQueries[query.name] = query }

  /// The numbers as they were saved last; those of an empty store at first.
  package func globals() -> StoreGlobals { storedGlobals }

  /// Stores all numbers at once.
  package func save(_ globals: StoreGlobals) { storedGlobals = globals }
}
