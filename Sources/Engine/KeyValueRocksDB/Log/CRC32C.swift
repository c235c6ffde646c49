/// The Castagnoli checksum that the library's log carries, eight bytes a step.
enum CRC32C {
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Eight tables of 256: the first advances by one byte, each later one by a zero byte more.
  private static let tables: [UInt32] = {
    let first: [UInt32] = (0..<256).map(advance)
    var tables = first
    for index in 0..<(7 * 256) {
      let last = tables[index]
      tables.append(first[Int(last & 0xFF)] ^ (last >> 8))
    }
    return tables
  }()

  private static func advance(byte: UInt32) -> UInt32 {
    var crc = byte
    for _ in 0..<8 {
      crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ polynomial
    }
    return crc
  }

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var crc = ~UInt32(0)
      var index = 0
      while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        crc = step(word ^ UInt64(crc), table)
        index += 8
      }
      while index < bytes.count {
        crc = table[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc >> 8)
        index += 1
      }
      return ~crc
    }
  }

  private static func step(_ word: UInt64, _ table: UnsafeBufferPointer<UInt32>) -> UInt32 {
    var crc: UInt32 = 0
    for byte in 0..<8 {
      let value = Int((word >> UInt64(byte * 8)) & 0xFF)
      crc ^= table[(7 - byte) * 256 + value]
    }
    return crc
  }
}
