import Foundation

/// Checksums of bytes.
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  /// CRC-32 as gzip and Ethernet have it.
  static func crc32(_ bytes: Data) -> UInt32 {
    let end = bytes.reduce(UInt32.max) { value, byte in
      table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8)
    }
    return ~end
  }
}
