import BaseText
import Testing

@testable import Checksums

@Suite struct CRC32CTests {
  @Test(
    arguments: [
      ("", 0), ("123456789", 0xE306_9283), ("a", 0xC1D0_4330),
      ("The quick brown fox jumps over the lazy dog", 0x2262_0404),
    ] as [(String, UInt32)]
  )
  func `known texts have their checksums`(text: String, checksum: UInt32) {
    var crc = CRC32C()
    crc.update(Array(text.utf8))
    #expect(crc.value == checksum)
  }

  @Test func `32 zeros are RFC 3720's`() {
    var crc = CRC32C()
    crc.update([UInt8](repeating: 0, count: 32))
    #expect(crc.value == 0x8A91_36AA)
    #expect(Base64.standard(crc.bytes) == "ipE2qg==")
  }

  @Test func `the tables and the processor agree`() {
    let bytes = Self.bytes(600)
    for range in [0..<0, 0..<1, 3..<10, 0..<8, 5..<21, 1..<600, 0..<600] {
      var (one, other) = (CRC32C(), CRC32C())
      one.update(Array(bytes[range]))
      Array(bytes[range]).withUnsafeBytes { other.updateByTables($0) }
      #expect(one == other)
    }
  }

  @Test func `the parts do not matter`() {
    let bytes = Self.bytes(1_000)
    var whole = CRC32C()
    whole.update(bytes)
    for cut in [1, 7, 8, 9, 500, 999] {
      var parts = CRC32C()
      parts.update(Array(bytes[..<cut]))
      parts.update(Array(bytes[cut...]))
      #expect(parts == whole)
    }
  }

  /// Bytes without a short period.
  private static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0 &+ $0 >> 3) }
  }
}
