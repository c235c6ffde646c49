import FirestoreModel

/// Keys of index entries.
///
/// LAYOUT
///
///     automatic  20  incarnation 4B  kind  scope  collection  field path  value  name
///     declared   21  incarnation 4B  index number 4B  collection  values  name
///
/// - kind: 01 the field's value, 02 one element of its array; scope: 01 collection, 02 group;
/// - collection: for collection scope, the collection's path, its segments and the terminator. For
///   group scope, the collection ID as one segment, and nothing in declared indexes, since their
///   number implies it;
/// - field path: its names and the terminator (`SegmentEncoding`);
/// - value: `OrderedEncoding`, ascending in automatic indexes, each in its field's direction in
///   declared ones; cut at 1,503 bytes, which the tags tell;
/// - name: for collection scope, the document ID as one segment. For group scope, the whole path,
///   its segments and the terminator. It is inverted if a declared index has the name descending.
///
/// Values and history keys: `IndexEntryCoding`.
package enum IndexKey {
  /// First byte of automatic entries.
  package static let automatic = KeySpace.automaticIndex.rawValue
  /// First byte of declared indexes' entries.
  package static let declared = KeySpace.declaredIndex.rawValue

  static let valueKind: UInt8 = 0x01
  static let elementKind: UInt8 = 0x02

  /// The beginning of all automatic entries of a kind of one collection or group, up to the field path.
  package static func automaticPrefix(
    incarnation: Incarnation,
    kind: AutomaticIndexKind,
    collection: ResourcePath
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    bytes.append(automatic)
    append(incarnation, to: &bytes)
    bytes.append(kind.elements ? elementKind : valueKind)
    bytes.append(kind.scope.rawValue)
    appendCollection(kind.scope, collection, to: &bytes)
    return bytes
  }

  /// The beginning of all entries of a declared index of one collection or group.
  package static func declaredPrefix(
    incarnation: Incarnation,
    number: UInt32,
    scope: IndexScope,
    collection: ResourcePath
  ) -> [UInt8] {
    var bytes = declaredPrefix(incarnation: incarnation, number: number)
    if scope == .collection { appendCollection(scope, collection, to: &bytes) }
    return bytes
  }

  /// The beginning of all entries of a declared index.
  package static func declaredPrefix(incarnation: Incarnation, number: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    bytes.append(declared)
    append(incarnation, to: &bytes)
    append(number, to: &bytes)
    return bytes
  }

  /// Appends the name part of an entry, ascending.
  package static func appendName(
    _ path: ResourcePath,
    scope: IndexScope,
    to bytes: inout [UInt8]
  ) {
    switch scope {
    case .collection:
      if let id = path.lastID { SegmentEncoding.append(id, to: &bytes) }
    case .collectionGroup:
      SegmentEncoding.append(path, to: &bytes)
      bytes.append(SegmentEncoding.terminator)
    }
  }

  /// The index whose entry a key is.
  enum Owner: Hashable {
    case automatic(IndexScope)
    /// The number of the index.
    case declared(UInt32)
  }

  /// Reads whose entry a live key is; nil where it is none.
  static func owner(ofKey key: [UInt8]) -> Owner? {
    guard key.count > 8 else { return nil }
    switch key[0] {
    case automatic: return IndexScope(rawValue: key[6]).map(Owner.automatic)
    case declared: return .declared(key[5...8].reduce(0) { $0 << 8 | UInt32($1) })
    default: return nil
    }
  }

  private static func appendCollection(
    _ scope: IndexScope,
    _ collection: ResourcePath,
    to bytes: inout [UInt8]
  ) {
    switch scope {
    case .collection:
      SegmentEncoding.append(collection, to: &bytes)
      bytes.append(SegmentEncoding.terminator)
    case .collectionGroup:
      if let id = collection.lastID { SegmentEncoding.append(id, to: &bytes) }
    }
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
