import BaseText
import FirestoreModel

/// The order of a query's results, apart from all else of the query, which would be copied with every comparison.
struct ResultOrder: Sendable {
  /// The fields whose values order, before the name.
  private let fields: [FieldPath]
  /// The directions of the fields, then the name's.
  private let isAscending: [Bool]

  /// An order by names, or by the fields of a query's orders before them.
  init(_ orders: [Order] = []) {
    fields = orders.map(\.field).filter { !$0.isDocumentName }
    isAscending = orders.isEmpty ? [true] : orders.map { $0.direction == .ascending }
  }

  /// The order of one result relative to another.
  func compare(_ left: CachedDocument, _ right: CachedDocument) -> Ordering {
    compare(left, key(of: left), right, key(of: right))
  }

  /// Results in their order.
  func sorted(_ documents: some Collection<CachedDocument>) -> [CachedDocument] {
    if fields.isEmpty {
      return documents.sorted { comparePaths($0, $1) == .ascending }
    }
    return documents.map { (document: $0, key: key(of: $0)) }
      .sorted { compare($0.document, $0.key, $1.document, $1.key) == .ascending }
      .map(\.document)
  }

  /// The first index in sorted results that is not before a document's.
  func index(of document: CachedDocument, in sorted: [CachedDocument]) -> Int {
    let key = key(of: document)
    return sorted.firstIndex(notBefore: {
      compare($0, self.key(of: $0), document, key) == .ascending
    })
  }

  private func key(of document: CachedDocument) -> [Value] {
    fields.isEmpty ? [] : fields.compactMap { document.value(at: $0) }
  }

  private func compare(
    _ left: CachedDocument,
    _ leftKey: [Value],
    _ right: CachedDocument,
    _ rightKey: [Value]
  ) -> Ordering {
    for index in 0..<min(leftKey.count, rightKey.count) {
      let result = leftKey[index].compare(rightKey[index])
      if result != .equal { return isAscending[index] ? result : result.reversed }
    }
    return comparePaths(left, right)
  }

  private func comparePaths(_ left: CachedDocument, _ right: CachedDocument) -> Ordering {
    let result = left.path.compare(right.path)
    return isAscending.last == false ? result.reversed : result
  }
}
