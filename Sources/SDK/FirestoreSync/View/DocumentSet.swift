import BaseText
import FirestoreModel

/// The documents of a view in the order of its query.
struct DocumentSet {
  /// With more changes than this, everything is sorted again.
  private static let fewChanges = 16

  private let order: ResultOrder
  /// The documents in their order.
  private(set) var documents: [CachedDocument] = []
  private var byPath: [ResourcePath: CachedDocument] = [:]

  init(_ query: ListenQuery) { order = query.resultOrder }

  init(_ query: ListenQuery, _ documents: some Collection<CachedDocument>) {
    self.init(query)
    apply(removing: [], inserting: Array(documents))
  }

  var count: Int { documents.count }
  var isEmpty: Bool { documents.isEmpty }
  var first: CachedDocument? { documents.first }
  var last: CachedDocument? { documents.last }

  subscript(path: ResourcePath) -> CachedDocument? { byPath[path] }

  /// Returns the order of two documents.
  func compare(_ left: CachedDocument, _ right: CachedDocument) -> Ordering {
    order.compare(left, right)
  }

  /// Removes documents, then puts in new states of others; linear if they are many.
  mutating func apply(removing paths: [ResourcePath], inserting added: [CachedDocument]) {
    if paths.count + added.count > Self.fewChanges {
      rebuild(removing: paths, added)
    } else {
      for path in paths { remove(path) }
      for document in added { insert(document) }
    }
  }

  private mutating func remove(_ path: ResourcePath) {
    guard let document = byPath.removeValue(forKey: path) else { return }
    documents.remove(at: order.index(of: document, in: documents))
  }

  private mutating func insert(_ document: CachedDocument) {
    remove(document.path)
    byPath[document.path] = document
    documents.insert(document, at: order.index(of: document, in: documents))
  }

  private mutating func rebuild(removing paths: [ResourcePath], _ added: [CachedDocument]) {
    for path in paths { byPath[path] = nil }
    if byPath.isEmpty { byPath.reserveCapacity(added.count) }
    for document in added { byPath[document.path] = document }
    documents = order.sorted(byPath.values)
  }
}
