import BaseText
import FirestoreModel
import KeyValueStore

/// Walks through the collections of one id in bounded parts.
///
/// A position is a parent's encoded path with its terminator, then a position inside that parent's
/// collection; empty is the beginning.
struct CollectionIDWalk {
  private let collectionID: Text
  private let incarnation: Incarnation
  private let reader: any KeyValueReader

  init(_ collectionID: Text, in incarnation: Incarnation, reader: any KeyValueReader) {
    self.collectionID = collectionID
    self.incarnation = incarnation
    self.reader = reader
  }

  /// Visits collections from a position on.
  ///
  /// The body gets its start inside the collection and its budget, and returns the position to
  /// continue inside, nil when the collection is done. It subtracts its work from the budget. The
  /// result is the position to continue from; nil at the end.
  func forEachCollection(
    from position: [UInt8],
    budget: inout Int,
    _ body: (ResourcePath, _ start: [UInt8], inout Int) throws -> [UInt8]?
  ) throws -> [UInt8]? {
    let prefix = DirectoryKey.prefix(ofCollectionID: collectionID, in: incarnation)
    let first = position.withUnsafeBytes { bytes in
      var end = 0
      return SegmentEncoding.decodePath(bytes, at: &end) == nil ? 0 : end
    }
    let range = PositionRange(lower: Array(position[..<first])).keys(below: prefix)
    let directory = try reader.cursor(over: range, reversed: false)
    while try directory.next() {
      let parent = Array(directory.key.dropFirst(prefix.count))
      if budget <= 0 { return parent }
      budget -= 1
      guard let collection = DirectoryKey.collection(ofKey: directory.key) else { continue }
      let start = parent.elementsEqual(position[..<first]) ? Array(position[first...]) : []
      if let next = try body(collection, start, &budget) { return parent + next }
    }
    return nil
  }

  /// Visits documents from a position on; the result is the position to continue from.
  func forEachDocument(
    from position: [UInt8],
    budget: Int,
    _ body: (ResourcePath, StoredDocument) throws -> Void
  ) throws -> [UInt8]? {
    var budget = budget
    return try forEachCollection(from: position, budget: &budget) { collection, start, budget in
      let prefix = DocumentKey.collectionPrefix(collection, in: incarnation)
      let range = PositionRange(lower: start).keys(below: prefix)
      let cursor = try reader.cursor(over: range, reversed: false)
      while try cursor.next() {
        if budget <= 0 { return Array(cursor.key.dropFirst(prefix.count)) }
        budget -= 1
        guard let path = DocumentKey.path(ofKey: cursor.key) else { continue }
        try body(path, try cursor.value(as: .document, in: reader))
      }
      return nil
    }
  }
}
