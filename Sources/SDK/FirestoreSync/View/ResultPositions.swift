import FirestoreModel

/// Where a snapshot's documents are while its changes are made one by one.
struct ResultPositions {
  private struct Entry {
    let key: [Value]
    let path: ResourcePath
  }

  /// With more changes than this a document is looked up rather than searched for.
  private static let fewChanges = 16

  private let query: ListenQuery
  private let order: ResultOrder
  private var entries: [Entry]
  /// The entries by path; nil where changes are few.
  private var keys: [ResourcePath: [Value]]?

  /// The documents before the changes, in the query's order.
  init(_ query: ListenQuery, _ documents: [CachedDocument], changeCount: Int) {
    self.query = query
    order = query.resultOrder
    entries = documents.map { Entry(key: query.sortKey(of: $0), path: $0.path) }
    guard changeCount > Self.fewChanges else { return }
    keys = entries.reduce(into: [:]) { $0[$1.path] = $1.key }
  }

  /// Takes a document out and returns where it was; nil for one that was not there.
  mutating func remove(_ path: ResourcePath) -> Int? {
    guard let index = index(of: path) else { return nil }
    entries.remove(at: index)
    keys?[path] = nil
    return index
  }

  /// Puts a document in that is not there and returns where.
  mutating func insert(_ document: CachedDocument) -> Int {
    let entry = Entry(key: query.sortKey(of: document), path: document.path)
    let index = position(of: entry)
    entries.insert(entry, at: index)
    keys?[entry.path] = entry.key
    return index
  }

  private func index(of path: ResourcePath) -> Int? {
    guard let keys else { return entries.firstIndex { $0.path == path } }
    return keys[path].map { position(of: Entry(key: $0, path: path)) }
  }

  /// The first index whose entry is not before that one.
  private func position(of entry: Entry) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let other = entries[middle]
      if order.compare((other.key, other.path), (entry.key, entry.path)) == .ascending {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
