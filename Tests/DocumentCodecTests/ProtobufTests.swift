import BaseStatus
import BaseText
import DocumentCodec
import ModelTestSupport
import Testing

@Suite struct ProtobufTests {
  @Test func `fields come back as written`() throws {
    var writer = ProtobufWriter()
    writer.int64(1, -1)
    writer.varint(2, .max)
    writer.double(3, -0.0)
    writer.string(2_000, "é")
    writer.bool(5, true)
    try writer.message(6) { (inner) throws(ServiceError) in
      inner.text(1, Text(String(repeating: "x", count: 200)))
    }
    try writer.bytes.withUnsafeBytes { raw in
      var reader = ProtobufReader(raw)
      #expect(try reader.nextField() == 1)
      #expect(try reader.int64() == -1)
      #expect(try reader.nextField() == 2)
      #expect(try reader.varint() == .max)
      #expect(try reader.nextField() == 3)
      #expect(try reader.double().bitPattern == (-0.0).bitPattern)
      #expect(try reader.nextField() == 2_000)
      #expect(try reader.string() == "é")
      #expect(try reader.nextField() == 5)
      #expect(try reader.bool())
      #expect(try reader.nextField() == 6)
      var inner = ProtobufReader(try reader.content())
      #expect(try inner.nextField() == 1)
      #expect(try inner.content().count == 200)
      #expect(try reader.nextField() == nil)
      #expect(reader.isCanonical)
    }
  }

  static let damaged: [([UInt8], ProtobufError)] = [
    ([0x08], .truncated), ([0x08, 0x80], .truncated), ([0x12, 0x05, 0x01], .truncated),
    ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .truncated),
    ([0x08] + [UInt8](repeating: 0x80, count: 10) + [0x01], .malformedVarint),
    ([0x00], .malformedTag), ([0x0B], .unsupportedWireType), ([0x0F], .unsupportedWireType),
    ([0x80, 0x80, 0x80, 0x80, 0x80, 0x01], .malformedTag), ([0x09, 1, 2, 3], .truncated),
  ]

  @Test(arguments: damaged)
  func `damaged messages are refused`(bytes: [UInt8], error: ProtobufError) {
    #expect(throws: error) {
      try bytes.withUnsafeBytes { raw in
        var reader = ProtobufReader(raw)
        while try reader.nextField() != nil { try reader.skip() }
      }
    }
  }

  @Test(arguments: [
    [0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
  ])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    #expect(!bytes.withUnsafeBytes { isValidUTF8($0) })
    #expect(!([UInt8]("abcdefgh".utf8) + bytes).withUnsafeBytes { isValidUTF8($0) })
  }

  @Test func `UTF-8 is judged as the standard library judges it`() {
    var random = SeededSource(seed: testSeed)
    let units: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
      0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<100_000 {
      let bytes = (0..<Int.random(in: 0..<7, using: &random)).map { _ in
        units[Int.random(in: 0..<units.count, using: &random)]
      }
      let expected = String(validating: bytes, as: UTF8.self) != nil
      guard bytes.withUnsafeBytes({ isValidUTF8($0) }) == expected else {
        Issue.record("seed \(testSeed): \(bytes)")
        return
      }
    }
  }
}
