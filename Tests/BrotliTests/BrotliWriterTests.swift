import CBrotli
import Testing

@testable import Brotli

/// The content as Brotli's own decoder reads it.
struct BrotliWriterTests {
  private static func unpacked(_ packed: [UInt8], limit: Int) -> [UInt8]? {
    var size = limit
    var isDone = BROTLI_DECODER_RESULT_ERROR
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      isDone = BrotliDecoderDecompress(packed.count, packed, &size, buffer.baseAddress)
      count = isDone == BROTLI_DECODER_RESULT_SUCCESS ? size : 0
    }
    return isDone == BROTLI_DECODER_RESULT_SUCCESS ? bytes : nil
  }

  @Test(arguments: [0, 1, 100, 70_000, 1 << 20])
  func `content comes back as it was`(count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }
    let packed = try #require(BrotliWriter.packed(content))
    #expect(Self.unpacked(packed, limit: count + 1) == content)
  }

  @Test func `text becomes smaller`() throws {
    let content = Array(String(repeating: "<li class=\"item\">an item</li>\n", count: 500).utf8)
    #expect(try #require(BrotliWriter.packed(content)).count < content.count / 50)
  }
}
