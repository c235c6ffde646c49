import FirestoreModel

/// The documents of a view in the order of its query.
struct DocumentSet {
  /// A document and the values that order it.
  struct Entry {
    let document: CachedDocument
    let key: [Value]

    fileprivate var position: (key: [Value], path: ResourcePath) { (key, document.path) }
  }

  private let query: ListenQuery
  private let order: ResultOrder
  private var entries: [Entry] = []
  private var byPath: [ResourcePath: Entry] = [:]

  init(_ query: ListenQuery) {
    self.query = query
    order = query.resultOrder
  }

  init(_ query: ListenQuery, _ documents: some Collection<CachedDocument>) {
    self.init(query)
    apply(removing: [], inserting: Array(documents))
  }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  var first: CachedDocument? { entries.first?.document }
  var last: CachedDocument? { entries.last?.document }
  /// The documents in their order.
  var documents: [CachedDocument] { entries.map(\.document) }

  subscript(path: ResourcePath) -> CachedDocument? { byPath[path]?.document }

  /// Which of two documents comes first.
  func compare(_ left: CachedDocument, _ right: CachedDocument) -> Ordering {
    order.compare(
      (query.sortKey(of: left), left.path),
      (query.sortKey(of: right), right.path)
    )
  }

  /// Removes documents, then puts in new states of others; linear if they are many.
  mutating func apply(removing paths: [ResourcePath], inserting documents: [CachedDocument]) {
    let added = documents.map { Entry(document: $0, key: query.sortKey(of: $0)) }
    if paths.count + added.count > 16 {
      rebuild(removing: paths, added)
    } else {
      for path in paths { remove(path) }
      for entry in added { insert(entry) }
    }
  }

  mutating func remove(_ path: ResourcePath) {
    guard let entry = byPath.removeValue(forKey: path) else { return }
    entries.remove(at: position(of: entry))
  }

  private mutating func insert(_ entry: Entry) {
    remove(entry.document.path)
    byPath[entry.document.path] = entry
    entries.insert(entry, at: position(of: entry))
  }

  private mutating func rebuild(removing paths: [ResourcePath], _ added: [Entry]) {
    for path in paths { byPath[path] = nil }
    for entry in added { byPath[entry.document.path] = entry }
    entries = byPath.values.sorted { [order] in
      order.compare($0.position, $1.position) == .ascending
    }
  }

  /// The first index whose entry is not before that one.
  private func position(of entry: Entry) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if order.compare(entries[middle].position, entry.position) == .ascending {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
