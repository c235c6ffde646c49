import Testing

@testable import FirestoreClient

/// Tests of the texts that a WebChannel client reads, cut anywhere.
struct ChunkReaderTests {
  private static func frame(_ text: String) -> [UInt8] {
    Array("\(text.utf16.count)\n\(text)".utf8)
  }

  private static func texts(_ parts: [[UInt8]]) throws -> [String] {
    var reader = ChunkReader()
    var texts: [String] = []
    for part in parts {
      try reader.take(part) { texts.append(String(decoding: $0, as: UTF8.self)) }
    }
    return texts
  }

  @Test(arguments: [1, 2, 3, 5, 7, 100])
  func `texts come whole however they were cut`(size: Int) throws {
    let sent = ["[[1,[\"noop\"]]]", "é", "€uro", "a😀b", "", "😀", "[]"]
    let bytes = sent.flatMap(Self.frame)
    let parts = stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min($0 + size, bytes.count)])
    }
    #expect(try Self.texts(parts) == sent)
  }

  @Test(arguments: ["x\n1", "1x\n", "\n", "99999999999\n"])
  func `what is no length is refused`(text: String) {
    #expect(throws: ChunkReader.Malformed.self) { _ = try Self.texts([Array(text.utf8)]) }
  }

  @Test func `what is no text is refused`() {
    #expect(throws: ChunkReader.Malformed.self) {
      _ = try Self.texts([Array("2\n".utf8) + [0xC0, 0x41]])
    }
  }
}
