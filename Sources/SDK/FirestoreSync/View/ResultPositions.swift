import FirestoreModel

/// The positions of a snapshot's documents while its changes are made one by one.
struct ResultPositions {
  /// With more changes than this a document is looked up rather than searched for.
  private static let fewChanges = 16

  private let order: ResultOrder
  private var documents: [CachedDocument]
  /// The documents by path; nil where changes are few.
  private var byPath: [ResourcePath: CachedDocument]?

  /// The documents before the changes, in the query's order.
  init(_ query: ListenQuery, _ documents: [CachedDocument], changeCount: Int) {
    order = query.resultOrder
    self.documents = documents
    guard changeCount > Self.fewChanges else { return }
    byPath = documents.reduce(into: [:]) { $0[$1.path] = $1 }
  }

  /// Takes a document out and returns where it was; nil for one that was not there.
  mutating func remove(_ path: ResourcePath) -> Int? {
    guard let index = index(of: path) else { return nil }
    documents.remove(at: index)
    byPath?[path] = nil
    return index
  }

  /// Puts a document in that is not there and returns where.
  mutating func insert(_ document: CachedDocument) -> Int {
    let index = order.index(of: document, in: documents)
    documents.insert(document, at: index)
    byPath?[document.path] = document
    return index
  }

  private func index(of path: ResourcePath) -> Int? {
    guard let byPath else { return documents.firstIndex { $0.path == path } }
    return byPath[path].map { order.index(of: $0, in: documents) }
  }
}
