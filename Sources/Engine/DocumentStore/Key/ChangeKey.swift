import BaseText
import FirestoreModel

/// The change log's key for one change of a document by a commit.
///
/// `0x30, incarnation, collection id segment, version (8 bytes), ordinal (4 bytes)`: one collection
/// id's changes in commit order, ordinals in the order of the commit's writes. The value is
/// `ChangeRecord`'s.
package struct ChangeKey: Sendable, Hashable {
  /// The id of the collection that holds the document.
  package let collectionID: Text
  /// The commit's version.
  package let version: CommitVersion
  /// The change's number in its commit, in the order of the writes.
  package let ordinal: UInt32

  /// The key of one change.
  package init(collectionID: Text, version: CommitVersion, ordinal: UInt32) {
    self.collectionID = collectionID
    self.version = version
    self.ordinal = ordinal
  }

  /// The whole key.
  package func bytes(in incarnation: Incarnation) -> [UInt8] {
    var bytes = Self.prefix(collectionID, in: incarnation)
    bytes.append(version)
    withUnsafeBytes(of: ordinal.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Returns the prefix of the keys of all changes in collections of that id.
  package static func prefix(_ collectionID: Text, in incarnation: Incarnation) -> [UInt8] {
    var bytes = KeySpace.change.prefix(incarnation, reserving: 48)
    SegmentEncoding.append(collectionID, to: &bytes)
    return bytes
  }

  /// Reads a whole key; nil where it is none of these.
  package init?(key: UnsafeRawBufferPointer) {
    var position = KeySpace.prefixLength
    guard let id = SegmentEncoding.decode(key, at: &position),
      let version = readBigEndian(key, at: &position), key.count == position + 4
    else { return nil }
    collectionID = id
    self.version = CommitVersion(microseconds: Int64(bitPattern: version))
    ordinal = UInt32(bigEndian: key.loadUnaligned(fromByteOffset: position, as: UInt32.self))
  }
}
