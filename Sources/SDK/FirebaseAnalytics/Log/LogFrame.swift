import Foundation

// The form of a log's file:
//
//     8 bytes   "BRASALG1"
//     then, for each record:
//     4 bytes   the length of its JSON, little-endian, 1 to 1,048,576
//     4 bytes   CRC-32 of its JSON, little-endian
//     n bytes   its JSON
//
// Records are only added at the end. A record is valid if it is complete and its checksum is right.
// The file is truncated at the first invalid record before anything is added: only a crash during
// the last records' write leaves such an end.

/// Writes and reads records as a log's file has them.
enum LogFrame {
  static let magic = Data("BRASALG1".utf8)
  private static let headSize = 8
  private static let longest = 1 << 20

  /// Returns the bytes of a record.
  static func encoded(_ record: LogRecord) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let payload = try encoder.encode(record)
    guard payload.count <= longest else { throw CocoaError(.coderInvalidValue) }
    var bytes = Data(capacity: headSize + payload.count)
    append(UInt32(payload.count), to: &bytes)
    append(Checksum.crc32(payload), to: &bytes)
    return bytes + payload
  }

  /// Reads records until the bytes end or one does not count; returns how many bytes counted.
  static func decode(_ bytes: Data, _ body: (LogRecord, Int) -> Void) -> Int {
    var rest = bytes[...]
    while rest.count >= headSize {
      let length = Int(number(rest, 0))
      let payload = rest.dropFirst(headSize).prefix(length)
      guard (1...longest).contains(length), payload.count == length,
        Checksum.crc32(payload) == number(rest, 4),
        let record = try? JSONDecoder().decode(LogRecord.self, from: payload)
      else { break }
      body(record, headSize + length)
      rest = rest.dropFirst(headSize + length)
    }
    return bytes.count - rest.count
  }

  private static func append(_ number: UInt32, to bytes: inout Data) {
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private static func number(_ bytes: Data, _ offset: Int) -> UInt32 {
    let start = bytes.startIndex + offset
    return (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * $1) }
  }
}
