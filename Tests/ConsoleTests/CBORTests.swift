import Testing

@testable import Console

/// Cases of RFC 8949, appendix A, and what is none of its subset that authenticators write.
struct CBORTests {
  @Test(
    arguments: [
      ([0x00], CBOR.integer(0)), ([0x17], .integer(23)), ([0x18, 0x18], .integer(24)),
      ([0x19, 0x03, 0xE8], .integer(1_000)), ([0x1A, 0x00, 0x0F, 0x42, 0x40], .integer(1_000_000)),
      ([0x20], .integer(-1)), ([0x38, 0x63], .integer(-100)),
      ([0x1B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .integer(.max)),
      ([0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .integer(.min)),
      ([0xF4], .flag(false)), ([0xF5], .flag(true)), ([0xF6], .null),
      ([0x40], .bytes([])), ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])),
      ([0x64, 0x49, 0x45, 0x54, 0x46], .text("IETF")), ([0x62, 0xC3, 0xBC], .text("ü")),
      ([0x80], .array([])), ([0x82, 1, 0x81, 2], .array([.integer(1), .array([.integer(2)])])),
      ([0xA2, 1, 2, 0x20, 0x41, 9], .map([.integer(1): .integer(2), .integer(-1): .bytes([9])])),
    ] as [([UInt8], CBOR)]
  )
  func `a value is read`(bytes: [UInt8], value: CBOR) throws {
    #expect(try CBOR(bytes) == value)
  }

  @Test(
    arguments: [
      [], [0x18], [0x19, 1], [0x1C], [0x1F], [0x41], [0x5F, 0xFF], [0x9F, 0xFF], [0x81], [0xA1, 1],
      [0x00, 0x00], [0x61, 0xFF], [0xA2, 1, 2, 1, 3], [0xC0, 0x00], [0xF7], [0xF9, 0, 0], [0xFF],
      [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      Array(repeating: 0x81, count: 100_000) + [0],
    ] as [[UInt8]]
  )
  func `what is malformed is refused`(bytes: [UInt8]) {
    #expect(throws: CBOR.Malformed.self) { try CBOR(bytes) }
  }

  @Test func `random bytes are read or refused`() {
    var state: UInt64 = 2_026
    func next() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    for _ in 0..<20_000 {
      let bytes = (0..<Int(next() % 80)).map { _ in next() }
      _ = try? CBOR(bytes)
      _ = try? AuthenticatorData(bytes)
    }
  }
}
