import Testing

@testable import brasa_load

@Suite struct FileContentTests {
  /// An object's first bytes, read in parts of so many.
  static func bytes(_ content: FileContent, _ object: Int, count: Int64, part: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    while Int64(bytes.count) < count {
      let rest = min(part, count - Int64(bytes.count))
      content.withBytes(of: object, from: Int64(bytes.count), upTo: rest) { bytes += $0 }
    }
    return bytes
  }

  @Test(arguments: [1, 7, 999, 1_000, 5_000] as [Int64])
  func `an object's bytes do not depend on the parts`(part: Int64) {
    let content = FileContent(seed: 3, length: 1_000)
    #expect(
      Self.bytes(content, 12, count: 2_500, part: part)
        == Self.bytes(content, 12, count: 2_500, part: 1_000)
    )
  }

  @Test func `objects differ, and runs of one seed do not`() {
    let content = FileContent(seed: 3, length: 1_000)
    let first = Self.bytes(content, 1, count: 100, part: 100)
    #expect(first != Self.bytes(content, 2, count: 100, part: 100))
    #expect(first == Self.bytes(FileContent(seed: 3, length: 1_000), 1, count: 100, part: 9))
    #expect(first != Self.bytes(FileContent(seed: 4, length: 1_000), 1, count: 100, part: 9))
  }

  @Test func `numbered objects have a folder a thousand`() {
    #expect(FileTarget.name(0) == "users/0000000/0000.jpg")
    #expect(FileTarget.name(1_999) == "users/0000001/0999.jpg")
    #expect(FileTarget.escaped("a b/ü?.jpg") == "a%20b%2F%C3%BC%3F.jpg")
  }
}
