import FirestoreModel
import KeyValueStore

/// The change log's record of one changed document.
///
/// The value is: kind byte (1 created, 2 updated, 3 deleted), the document path's segments, the
/// terminator 0x00, then for every index entry that the commit ended: length of its history key (4
/// bytes big-endian) and that key. The sweep needs those keys, even if the index definitions have
/// changed since.
package struct ChangeRecord: Sendable, Hashable {
  /// The kind of change to the document.
  package enum Kind: UInt8, Sendable, Hashable {
    case created = 1
    case updated = 2
    case deleted = 3
  }

  /// The document's fate in the commit.
  package let kind: Kind
  /// The document's path in its database.
  package let path: ResourcePath
  /// The keys that the commit's ended index entries have in the index history.
  package let endedEntries: [[UInt8]]

  /// A change of one document.
  package init(kind: Kind, path: ResourcePath, endedEntries: [[UInt8]]) {
    self.kind = kind
    self.path = path
    self.endedEntries = endedEntries
  }

  /// The record's value.
  package var value: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64 + endedEntries.reduce(0) { $0 + 4 + $1.count })
    bytes.append(kind.rawValue)
    SegmentEncoding.append(path, to: &bytes)
    bytes.append(SegmentEncoding.terminator)
    for key in endedEntries {
      withUnsafeBytes(of: UInt32(key.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: key)
    }
    return bytes
  }

  /// Reads a record's value.
  package init(value: UnsafeRawBufferPointer) throws(KeyValueError) {
    var position = 1
    guard let first = value.first, let kind = Kind(rawValue: first),
      let path = SegmentEncoding.decodePath(value, at: &position), path.isDocument
    else { throw KeyValueError(.corruption, "a record of the change log names no document") }
    self.kind = kind
    self.path = path
    endedEntries = try Self.keys(in: value, from: position)
  }

  private static func keys(
    in value: UnsafeRawBufferPointer,
    from start: Int
  ) throws(KeyValueError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var position = start
    while position < value.count {
      guard value.count - position >= 4 else { throw truncated }
      let length = Int(
        UInt32(bigEndian: value.loadUnaligned(fromByteOffset: position, as: UInt32.self))
      )
      position += 4
      guard value.count - position >= length else { throw truncated }
      keys.append([UInt8](value[position..<(position + length)]))
      position += length
    }
    return keys
  }

  private static let truncated = KeyValueError(
    .corruption,
    "a record of the change log ends inside a key"
  )
}

extension ValueFormat where Decoded == ChangeRecord {
  /// A record of the change log.
  static var change: Self {
    ValueFormat("a record of the change log") { try ChangeRecord(value: $0) }
  }
}
