import Gzip
import ModelTestSupport
import Testing

@Suite struct GzipWriterTests {
  private static func random(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededSource(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  @Test(arguments: [0, 1, 1_000, 65_536, 300_000])
  func `what is packed is the content again`(count: Int) throws {
    let repeated = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    for bytes in [repeated, Self.random(count, seed: UInt64(count))] {
      for effort in [GzipWriter.Effort.quick, .usual, .most] {
        let packed = GzipWriter.packed(bytes, effort: effort)
        #expect(try GzipReader.unpacked(packed, limit: Int64(count)) == bytes)
      }
    }
  }

  @Test func `parts become one member`() throws {
    let parts = (0..<40).map { Self.random(10_000, seed: $0) }
    let writer = GzipWriter()
    var packed: [UInt8] = []
    for part in parts { packed += writer.pack(part) }
    packed += writer.finish()
    #expect(try GzipReader.unpacked(packed, limit: 400_000) == Array(parts.joined()))
  }

  @Test func `more effort makes less`() {
    let text = Array(String(repeating: "The same again, or so. ", count: 2_000).utf8)
    #expect(
      GzipWriter.packed(text, effort: .most).count <= GzipWriter.packed(text, effort: .quick).count
    )
    #expect(GzipWriter.packed(text, effort: .quick).count < text.count / 10)
  }
}
