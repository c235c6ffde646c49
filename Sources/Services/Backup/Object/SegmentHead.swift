import Checksums
import KeyValueRocksDB

// A segment's content is a row of groups: the number of their engine (1 byte), the length (4 bytes, little-endian), the
// batch as the engine's log has it.

/// The head of a segment: its description.
package struct SegmentHead: Codable, Sendable, Equatable {
  /// The state of an engine behind a segment.
  package struct End: Codable, Sendable, Equatable {
    /// The sequence number of the last group.
    package var sequence: UInt64
    /// The first sequence number of that group; nil before the first one.
    package var last: UInt64?
    /// The CRC-32C of that group; nil before the first one.
    package var check: UInt32?
  }

  /// Counts from 1, without a hole.
  package var number: Int
  /// The SHA-256 of the segment before, in hexadecimal; empty for the first one.
  package var previous: String
  /// The sequence numbers behind which each engine's groups begin.
  package var starts: [String: UInt64]
  /// The engines' states behind the segment.
  package var ends: [String: End]
  /// Microseconds since 1970 when the first group was read.
  package var from: Int64
  /// Microseconds since 1970 when the last group was read.
  package var to: Int64
  /// The store's first version; nil where no group took one.
  package var firstVersion: Int64?
  /// The store's last version; nil where no group took one.
  package var lastVersion: Int64?
  /// The files that its groups name, which the target has.
  package var blobs: [String]
  /// Those that were removed before they could be copied.
  package var missing: [String]

  /// The object's name.
  package static func name(_ number: Int) -> String {
    "\(folder(number))\(padded(number, 12))"
  }

  /// The folder of a segment, with a slash.
  static func folder(_ number: Int) -> String { "segments/\(padded(number / perFolder, 9))/" }

  static let perFolder = 1_000

  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// The groups of a segment.
package enum SegmentContent {
  static func append(_ record: GroupRecord, of engine: Int, to content: inout [UInt8]) {
    content.append(UInt8(engine))
    withUnsafeBytes(of: UInt32(record.bytes.count).littleEndian) { content += $0 }
    content += record.bytes
  }

  /// Calls the body with each group and the number of its engine, until it returns false.
  static func forEach(
    in content: [UInt8],
    _ body: (Int, GroupRecord) throws -> Bool
  ) throws {
    var offset = 0
    while offset < content.count {
      guard content.count - offset >= 5 else { throw damage }
      let engine = Int(content[offset])
      let length = content[(offset + 1)..<(offset + 5)].reversed().reduce(0) { $0 << 8 | Int($1) }
      offset += 5
      guard length <= content.count - offset else { throw damage }
      let record = try GroupRecord(Array(content[offset..<(offset + length)]))
      offset += length
      guard try body(engine, record) else { return }
    }
  }

  private static let damage = BackupError(.damaged, "A segment's content is damaged.")

  static func check(_ record: GroupRecord) -> UInt32 {
    record.bytes.withUnsafeBytes { CRC32C.value(of: $0) }
  }
}
