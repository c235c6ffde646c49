import BaseText
import FirestoreModel

/// The keys that record which collections there may be, in both directions.
///
/// - `0x40, incarnation, parent path segments, 0x00, collection id segment`
/// - `0x41, incarnation, collection id segment, parent path segments, 0x00`
///
/// Values are markers. Both are written with the first document at or below the collection, and
/// swept when no document and no history is left there. An entry means that there may be documents,
/// in the collection itself or in sub-collections of missing documents; a read below
/// `DocumentKey.subtreePrefix` decides.
package enum DirectoryKey {
  /// The entry of a collection (an odd path) among its parent's collections.
  package static func ofParent(
    _ collection: ResourcePath,
    in incarnation: Incarnation
  ) -> [UInt8] {
    var bytes = prefix(ofParent: collection.parent, in: incarnation)
    if let id = collection.lastID { SegmentEncoding.append(id, to: &bytes) }
    return bytes
  }

  /// The entry of a collection (an odd path) among the parents of its id.
  package static func ofCollectionID(
    _ collection: ResourcePath,
    in incarnation: Incarnation
  ) -> [UInt8] {
    var bytes = prefix(ofCollectionID: collection.lastID ?? "", in: incarnation)
    SegmentEncoding.append(collection.parent, to: &bytes)
    bytes.append(SegmentEncoding.terminator)
    return bytes
  }

  /// Returns the prefix of the entries of one parent's collections.
  package static func prefix(
    ofParent parent: ResourcePath,
    in incarnation: Incarnation
  ) -> [UInt8] {
    var bytes = KeySpace.collectionsOfParent.prefix(incarnation, reserving: 64)
    SegmentEncoding.append(parent, to: &bytes)
    bytes.append(SegmentEncoding.terminator)
    return bytes
  }

  /// Returns the prefix of the entries of all collections of one id.
  package static func prefix(
    ofCollectionID id: Text,
    in incarnation: Incarnation
  ) -> [UInt8] {
    var bytes = KeySpace.parentsOfCollection.prefix(incarnation, reserving: 64)
    SegmentEncoding.append(id, to: &bytes)
    return bytes
  }

  /// The collection that a whole key of either kind names; nil where it is none.
  package static func collection(ofKey key: UnsafeRawBufferPointer) -> ResourcePath? {
    guard key.count > KeySpace.prefixLength, let space = KeySpace(rawValue: key[0])
    else { return nil }
    var position = KeySpace.prefixLength
    switch space {
    case .collectionsOfParent:
      guard let parent = SegmentEncoding.decodePath(key, at: &position),
        let id = SegmentEncoding.decode(key, at: &position), position == key.count
      else { return nil }
      return parent.appending(id)
    case .parentsOfCollection:
      guard let id = SegmentEncoding.decode(key, at: &position),
        let parent = SegmentEncoding.decodePath(key, at: &position), position == key.count
      else { return nil }
      return parent.appending(id)
    default: return nil
    }
  }
}
