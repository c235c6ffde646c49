import FirestoreModel

/// A document's position in a limited view.
struct WindowEntry: Sendable, Hashable {
  /// The document's sort key: its order values in full and its name, as bytes that compare as the
  /// query sorts.
  let key: [UInt8]
  let path: ResourcePath

  /// The position of a document; nil where it lacks an ordered field.
  init?(_ document: DocumentRecord, in query: NormalizedQuery) {
    guard let values = query.sortKey(of: document) else { return nil }
    var key: [UInt8] = []
    for (value, order) in zip(values, query.orders) {
      let start = key.count
      if order.field.isDocumentName {
        SegmentEncoding.append(document.name.path, to: &key)
        key.append(SegmentEncoding.terminator)
      } else {
        OrderedEncoding.appendWhole(value, to: &key)
      }
      if order.direction == .descending { OrderedEncoding.invert(&key, from: start) }
    }
    self.key = key
    path = document.name.path
  }
}

/// The initial content of a limited view.
struct WindowContent: Sendable {
  let version: CommitVersion
  /// In the query's order, from the first match on.
  let entries: [WindowEntry]
  /// True if nothing matches beyond them.
  let isComplete: Bool
  /// The entries' documents that clients have not been shown.
  let documents: [ResourcePath: DocumentRecord]
}
