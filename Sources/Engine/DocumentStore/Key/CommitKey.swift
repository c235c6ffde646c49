import FirestoreModel

/// The commit log's keys: one for each commit that changed something.
///
/// `0x31, incarnation, version (8 bytes)`; the value is `CommitRecord`'s.
package enum CommitKey {
  /// The whole key.
  package static func bytes(_ version: CommitVersion, in incarnation: Incarnation) -> [UInt8] {
    var bytes = KeySpace.commit.prefix(incarnation, reserving: 8)
    bytes.append(version)
    return bytes
  }

  /// The version of a whole key; nil where it is none of these.
  package static func version(ofKey key: UnsafeRawBufferPointer) -> CommitVersion? {
    var position = KeySpace.prefixLength
    guard let version = readBigEndian(key, at: &position), position == key.count else { return nil }
    return CommitVersion(microseconds: Int64(bitPattern: version))
  }
}
