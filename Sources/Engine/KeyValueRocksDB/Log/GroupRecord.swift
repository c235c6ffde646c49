import KeyValueStore

/// One acknowledged write of an engine, as its log has it.
///
/// **Layout.** The library's batch: the sequence number of its first write (8 bytes), the number of its writes (4
/// bytes), both little-endian, then the writes. A write is a byte, 1 for a put and 0 for a delete, the key and, for
/// a put, the value, each behind its length as a varint.
package struct GroupRecord: Sendable, Hashable {
  /// One write of the batch, whose bytes are lent.
  package struct Write {
    /// The key; never empty.
    package let key: UnsafeRawBufferPointer
    /// Nil deletes the key.
    package let value: UnsafeRawBufferPointer?
  }

  /// The batch.
  package let bytes: [UInt8]
  /// The number of the first write.
  package let firstSequence: UInt64
  /// The number of writes.
  package let count: Int

  private static let headerBytes = 12

  /// Reads the head of a batch; throws where it has none.
  package init(_ bytes: [UInt8]) throws {
    guard bytes.count >= Self.headerBytes else { throw Self.damage }
    self.bytes = bytes
    firstSequence = bytes[0..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    count = bytes[8..<12].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The number of the last write.
  package var lastSequence: UInt64 { firstSequence + UInt64(count) - 1 }

  /// Calls the body with each write, in their order, as long as more are wanted.
  package func forEach(
    while isWanted: () -> Bool = { true },
    _ body: (Write) throws -> Void
  ) throws {
    try bytes.withUnsafeBytes { bytes in
      var offset = Self.headerBytes
      while offset < bytes.count, isWanted() {
        let tag = bytes[offset]
        offset += 1
        let key = try Self.slice(&offset, in: bytes)
        switch tag {
        case 0: try body(Write(key: key, value: nil))
        case 1: try body(Write(key: key, value: Self.slice(&offset, in: bytes)))
        default: throw Self.damage
        }
      }
    }
  }

  /// The version that the group took last; nil where it took none.
  ///
  /// Mostly the first write has it: a batch is in the order of its keys.
  package var version: Int64? {
    get throws {
      var version: Int64?
      try forEach(while: { version == nil }) { version = try Self.version(of: $0) }
      return version
    }
  }

  /// The version that a write records as the last one of its group; nil for any other write.
  package static func version(of write: Write) throws -> Int64? {
    guard let value = write.value, KeyOrder.compare(write.key, TimeRecord.groupKey) == 0 else {
      return nil
    }
    return try TimeRecord.version(inGroup: Array(value))
  }

  private static func slice(
    _ offset: inout Int,
    in bytes: UnsafeRawBufferPointer
  ) throws -> UnsafeRawBufferPointer {
    var (count, shift) = (0, 0)
    while true {
      guard offset < bytes.count, shift < 35 else { throw damage }
      let byte = bytes[offset]
      offset += 1
      count |= Int(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { break }
    }
    guard count <= bytes.count - offset else { throw damage }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  private static let damage = KeyValueError(.corruption, "a group of the log cannot be read")
}
