import CChecksum

/// The CRC-32C (Castagnoli) of bytes, computed as they come: by the processor where it can, else by tables.
package struct CRC32C: Sendable, Hashable {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The checksum of no bytes.
  package init() {}

  /// The checksum of these bytes.
  package static func value(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var checksum = CRC32C()
    checksum.update(bytes)
    return checksum.value
  }

  /// The checksum of all bytes so far.
  package var value: UInt32 { ~state }

  /// The checksum as four bytes, the highest first: the input of its Base64 form.
  package var bytes: [UInt8] { Self.bytes(of: value) }

  /// A checksum as four bytes, the highest first.
  package static func bytes(of value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if Self.hasInstruction {
      state = crc32c_update(state, bytes.baseAddress, bytes.count)
    } else {
      updateByTables(bytes)
    }
  }

  /// Adds bytes without the processor's instruction.
  mutating func updateByTables(_ bytes: UnsafeRawBufferPointer) {
    state = Self.tables.withUnsafeBufferPointer { Self.update(state, bytes, $0) }
  }

  /// True if the processor has an instruction for it.
  private static let hasInstruction = crc32c_is_supported() != 0

  /// Eight tables of 256: table k advances a byte's contribution by k more bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<tables.count {
      let earlier = tables[index - 256]
      tables[index] = earlier >> 8 ^ tables[Int(earlier & 0xFF)]
    }
    return tables
  }()

  private static func update(
    _ start: UInt32,
    _ bytes: UnsafeRawBufferPointer,
    _ tables: UnsafeBufferPointer<UInt32>
  ) -> UInt32 {
    var state = start
    var position = 0
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
      let mixed = word ^ UInt64(state)
      state = tables[7 * 256 + Int(mixed & 0xFF)] ^ tables[6 * 256 + Int(mixed >> 8 & 0xFF)]
      state ^= tables[5 * 256 + Int(mixed >> 16 & 0xFF)] ^ tables[4 * 256 + Int(mixed >> 24 & 0xFF)]
      state ^= tables[3 * 256 + Int(mixed >> 32 & 0xFF)] ^ tables[2 * 256 + Int(mixed >> 40 & 0xFF)]
      state ^= tables[256 + Int(mixed >> 48 & 0xFF)] ^ tables[Int(mixed >> 56)]
      position += 8
    }
    while position < bytes.count {
      state = state >> 8 ^ tables[Int((state ^ UInt32(bytes[position])) & 0xFF)]
      position += 1
    }
    return state
  }
}
