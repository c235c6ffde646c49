import KeyValueStore

/// The engine's own keys, all under the byte 0x00, which no caller's key begins with.
///
/// - `00 01`, *group*: written by every group that took a version. Value: the group's last version,
///   then a ceiling, each 8 bytes big-endian. Being part of the group, it shows any view which
///   groups the view holds.
/// - `00 02`, *ceiling*: written when a view needs a read time above every durable ceiling. Value:
///   the ceiling, 8 bytes big-endian.
/// - `00 03`, *probe*: written to see that writes become durable. Value: the time by the clock, 8
///   bytes big-endian; unused.
///
/// After a restart time continues above the greatest of the three numbers.
enum TimeRecord {
  static let groupKey: [UInt8] = [0, 1]
  static let ceilingKey: [UInt8] = [0, 2]
  static let probeKey: [UInt8] = [0, 3]

  static func group(version: Int64, ceiling: Int64) -> [UInt8] {
    bytes(version) + bytes(ceiling)
  }

  static func ceiling(_ ceiling: Int64) -> [UInt8] {
    bytes(ceiling)
  }

  static func probe(_ time: Int64) -> [UInt8] {
    bytes(time)
  }

  /// The last version of a group record; 0 when no group took one yet.
  static func version(inGroup record: [UInt8]?) throws -> Int64 {
    try number(in: record, at: 0, of: 16)
  }

  static func ceiling(inGroup record: [UInt8]?) throws -> Int64 {
    try number(in: record, at: 8, of: 16)
  }

  static func ceiling(in record: [UInt8]?) throws -> Int64 {
    try number(in: record, at: 0, of: 8)
  }

  private static func bytes(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func number(in record: [UInt8]?, at offset: Int, of size: Int) throws -> Int64 {
    guard let record else { return 0 }
    guard record.count == size else {
      throw KeyValueError(.corruption, "a time record has \(record.count) bytes, not \(size)")
    }
    return record[offset..<(offset + 8)].reduce(0) { $0 << 8 | Int64($1) }
  }
}
