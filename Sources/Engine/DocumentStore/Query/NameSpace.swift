import BaseText
import FirestoreModel
import KeyValueStore

/// The way in which the documents of a query's scope are named inside positions, and the meaning
/// there of a bound given as a full path.
///
/// Documents of one collection are distinguished by their ID's segment alone; in every other scope
/// a name is the whole path, its segments and the terminator.
package struct NameSpace: Sendable, Hashable {
  /// The collection whose documents are named by id; nil where names are whole paths.
  package let collection: ResourcePath?
  private let pathBytes: [UInt8]

  /// Names of one collection's documents, or whole paths.
  package init(collection: ResourcePath?) {
    self.collection = collection
    var bytes: [UInt8] = []
    if let collection { SegmentEncoding.append(collection, to: &bytes) }
    pathBytes = bytes
  }

  /// The encoded segments of the collection; nil where names are whole paths.
  var collectionBytes: [UInt8]? { collection == nil ? nil : pathBytes }

  /// The name part of a document's position, ascending; nil for a path that lies elsewhere.
  package func name(of path: ResourcePath) -> [UInt8]? {
    guard let collection else { return wholePath(path) }
    guard path.segments.count == collection.segments.count + 1,
      path.segments.starts(with: collection.segments), let id = path.lastID
    else { return nil }
    var bytes: [UInt8] = []
    SegmentEncoding.append(id, to: &bytes)
    return bytes
  }

  /// The position before the names at or above a path, or, with `after`, before those above it.
  package func bound(_ path: ResourcePath, after: Bool) -> NameBound {
    guard collection != nil else {
      let block = wholePath(path)
      return after ? NameBound(successorOf: block) : .at(block)
    }
    var bytes: [UInt8] = []
    SegmentEncoding.append(path, to: &bytes)
    if let exact = name(of: path) {
      return after ? NameBound(successorOf: exact) : .at(exact)
    }
    // A path elsewhere: below one of the documents, and so behind it, or before or after all.
    if bytes.starts(with: pathBytes), bytes.count > pathBytes.count,
      let above = path.segments.dropFirst(collection?.segments.count ?? 0).first
    {
      var document: [UInt8] = []
      SegmentEncoding.append(above, to: &document)
      return NameBound(successorOf: document)
    }
    return bytes.precedes(pathBytes) || bytes == pathBytes
      ? .beforeAll : .afterAll
  }

  /// The document's path that a name part encodes.
  package func path(ofName name: UnsafeRawBufferPointer) -> ResourcePath? {
    var position = 0
    guard let collection else { return SegmentEncoding.decodePath(name, at: &position) }
    guard let id = SegmentEncoding.decode(name, at: &position) else { return nil }
    var segments: [Text] = []
    segments.reserveCapacity(collection.segments.count + 1)
    segments.append(contentsOf: collection.segments)
    segments.append(id)
    return ResourcePath(segments)
  }

  private func wholePath(_ path: ResourcePath) -> [UInt8] {
    var bytes: [UInt8] = []
    SegmentEncoding.append(path, to: &bytes)
    bytes.append(SegmentEncoding.terminator)
    return bytes
  }
}

/// A position among the names of a scope.
package enum NameBound: Sendable, Hashable {
  case beforeAll
  /// Just before the names with these bytes or greater ones.
  case at([UInt8])
  case afterAll

  init(successorOf block: [UInt8]) {
    self = KeyRange.successor(ofPrefix: block).map { .at($0) } ?? .afterAll
  }

  /// The names from this position on.
  package var rangeFrom: PositionRange {
    switch self {
    case .beforeAll: .all
    case .at(let bytes): PositionRange(lower: bytes)
    case .afterAll: .none
    }
  }

  /// The names before this position.
  package var rangeTo: PositionRange {
    switch self {
    case .beforeAll: .none
    case .at(let bytes): PositionRange(upper: bytes)
    case .afterAll: .all
    }
  }
}
