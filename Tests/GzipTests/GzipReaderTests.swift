import CZlib
import Gzip
import Testing

@Suite struct GzipReaderTests {
  private static let text = Array(String(repeating: "The same again. ", count: 40_000).utf8)

  /// The bytes as one gzip member.
  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var input = bytes
    let capacity = Int(deflateBound(&stream, uLong(bytes.count)))
    return input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = uInt(source.count)
      return [UInt8](unsafeUninitializedCapacity: capacity) { room, count in
        stream.next_out = room.baseAddress
        stream.avail_out = uInt(capacity)
        deflate(&stream, Z_FINISH)
        count = capacity - Int(stream.avail_out)
      }
    }
  }

  /// Returns the expansion of bytes that come in parts of a size.
  private static func expanded(
    _ bytes: [UInt8],
    inPartsOf size: Int,
    limit: Int64 = .max
  ) throws(GzipReader.Problem) -> [UInt8] {
    let reader = GzipReader(limit: limit)
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      reader.feed(Array(bytes[start..<min(start + size, bytes.count)]))
      while let part = try reader.next() {
        #expect(!part.isEmpty && part.count <= GzipReader.partBytes)
        result += part
      }
    }
    try reader.finish()
    return result
  }

  @Test(arguments: [1, 7, 1_000, 1 << 20])
  func `content comes out as it was, however it arrives`(size: Int) throws {
    let bytes = Self.compressed(Self.text)
    #expect(bytes.starts(with: GzipReader.signature))
    #expect(try Self.expanded(bytes, inPartsOf: size) == Self.text)
    #expect(try Self.expanded(Self.compressed([]), inPartsOf: size) == [])
  }

  @Test(arguments: [1, 1 << 20])
  func `members follow one another, and what is none counts for nothing`(size: Int) throws {
    let bytes = Self.compressed([1, 2]) + Self.compressed([]) + Self.compressed([3])
    #expect(try Self.expanded(bytes, inPartsOf: size) == [1, 2, 3])
    #expect(try Self.expanded(bytes + [0, 0, 0x1F], inPartsOf: size) == [1, 2, 3])
  }

  @Test func `damaged and cut content is told`() {
    let bytes = Self.compressed(Self.text)
    #expect(throws: GzipReader.Problem.truncated) {
      try Self.expanded(Array(bytes.dropLast()), inPartsOf: 100)
    }
    #expect(throws: GzipReader.Problem.truncated) { try Self.expanded([], inPartsOf: 100) }
    var flipped = bytes
    flipped[bytes.count - 6] ^= 1
    #expect(throws: GzipReader.Problem.damaged) { try Self.expanded(flipped, inPartsOf: 100) }
    #expect(throws: GzipReader.Problem.damaged) {
      try Self.expanded(Self.text, inPartsOf: 100)
    }
  }

  @Test func `what becomes too large ends before it does`() throws {
    let bytes = Self.compressed([UInt8](repeating: 0, count: 4 << 20))
    #expect(bytes.count < 8_192)
    #expect(try Self.expanded(bytes, inPartsOf: 4_096, limit: 4 << 20).count == 4 << 20)
    #expect(throws: GzipReader.Problem.tooLarge) {
      try Self.expanded(bytes, inPartsOf: 4_096, limit: (4 << 20) - 1)
    }
  }
}
