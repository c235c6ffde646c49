/// A cyclic redundancy check of bytes as they come, by a polynomial that clients of S3 choose; `CRC32C` has the third.
///
/// All are reflected, begin with all bits set and are inverted at the end. Those of 32 bits are computed in the lower
/// half of a register of 64, whose upper half stays empty.
package struct CyclicChecksum: Sendable {
  /// A polynomial, with its width.
  package struct Polynomial: Sendable {
    /// In bytes.
    package let width: Int
    /// Eight tables of 256: table k advances a byte's contribution by k more bytes.
    fileprivate let tables: [UInt64]

    fileprivate var mask: UInt64 { width == 8 ? .max : (1 << UInt64(width * 8)) - 1 }

    private init(width: Int, reflected: UInt64) {
      self.width = width
      var tables = [UInt64](repeating: 0, count: 8 * 256)
      for byte in 0..<256 {
        var value = UInt64(byte)
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ reflected : value >> 1 }
        tables[byte] = value
      }
      for index in 256..<tables.count {
        let earlier = tables[index - 256]
        tables[index] = earlier >> 8 ^ tables[Int(earlier & 0xFF)]
      }
      self.tables = tables
    }

    /// CRC-32, as gzip and zip have it.
    package static let crc32 = Polynomial(width: 4, reflected: 0xEDB8_8320)
    /// CRC-64/NVME.
    package static let crc64nvme = Polynomial(width: 8, reflected: 0x9A6C_9329_AC4B_C9B5)
  }

  private let polynomial: Polynomial
  private var state: UInt64

  /// The checksum of no bytes.
  package init(_ polynomial: Polynomial) {
    self.polynomial = polynomial
    state = polynomial.mask
  }

  /// The checksum of all bytes so far, the highest byte first.
  package var bytes: [UInt8] {
    let value = ~state & polynomial.mask
    return (0..<polynomial.width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) {
    state = polynomial.tables.withUnsafeBufferPointer { tables in
      bytes.withUnsafeBytes { Self.update(state, $0, tables) }
    }
  }

  private static func update(
    _ start: UInt64,
    _ bytes: UnsafeRawBufferPointer,
    _ tables: UnsafeBufferPointer<UInt64>
  ) -> UInt64 {
    var state = start
    var position = 0
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
      let mixed = word ^ state
      state = tables[7 * 256 + Int(mixed & 0xFF)] ^ tables[6 * 256 + Int(mixed >> 8 & 0xFF)]
      state ^= tables[5 * 256 + Int(mixed >> 16 & 0xFF)] ^ tables[4 * 256 + Int(mixed >> 24 & 0xFF)]
      state ^= tables[3 * 256 + Int(mixed >> 32 & 0xFF)] ^ tables[2 * 256 + Int(mixed >> 40 & 0xFF)]
      state ^= tables[256 + Int(mixed >> 48 & 0xFF)] ^ tables[Int(mixed >> 56)]
      position += 8
    }
    while position < bytes.count {
      state = state >> 8 ^ tables[Int((state ^ UInt64(bytes[position])) & 0xFF)]
      position += 1
    }
    return state
  }
}
