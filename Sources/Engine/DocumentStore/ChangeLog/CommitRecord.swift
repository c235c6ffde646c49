import BaseText
import FirestoreModel
import KeyValueStore

/// The commit log's record of one commit.
///
/// The value is: the bytes of history that this database's commits have written up to and including
/// this one (8 bytes big-endian), then the collection id segments that the commit touched, each
/// once, ascending. The difference of two records' bytes is what the commits between them left.
package struct CommitRecord: Sendable, Hashable {
  /// Bytes of history that the database's commits have written, this one included.
  package let historyBytes: Int64
  /// The ids of the collections with changed documents, ascending, each once.
  package let collectionIDs: [Text]

  /// A commit that touched these collections.
  package init(historyBytes: Int64, collectionIDs: [Text]) {
    self.historyBytes = historyBytes
    self.collectionIDs = collectionIDs
  }

  /// The record's value.
  package var value: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 + collectionIDs.reduce(0) { $0 + 3 + $1.byteCount })
    appendBigEndian(UInt64(bitPattern: historyBytes), to: &bytes)
    for id in collectionIDs { SegmentEncoding.append(id, to: &bytes) }
    return bytes
  }

  /// Reads a record's value.
  package init(value: UnsafeRawBufferPointer) throws(KeyValueError) {
    var position = 0
    guard let total = readBigEndian(value, at: &position) else {
      throw KeyValueError(.corruption, "a record of the commit log is shorter than its header")
    }
    var ids: [Text] = []
    while position < value.count {
      guard let id = SegmentEncoding.decode(value, at: &position) else {
        throw KeyValueError(.corruption, "a record of the commit log ends inside an id")
      }
      ids.append(id)
    }
    historyBytes = Int64(bitPattern: total)
    collectionIDs = ids
  }
}

extension ValueFormat where Decoded == CommitRecord {
  /// A record of the commit log.
  static var commit: Self {
    ValueFormat("a record of the commit log") { try CommitRecord(value: $0) }
  }
}
