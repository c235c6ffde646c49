import FirestoreModel
import FirestoreSync
import Testing

struct MD5Tests {
  /// The test suite of RFC 1321, A.5.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"),
    ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f"
    ),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func `digests are those of the RFC`(text: String, digest: String) {
    #expect(Self.hexadecimal(MD5.digest(Array(text.utf8))) == digest)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    .joined()
  }
}

struct BloomFilterTests {
  private let name = DocumentName(
    database: DatabaseID(project: "p"),
    path: ResourcePath(["c", "d"])
  )

  @Test(arguments: [
    (bitmap: [UInt8](), padding: 0, hashCount: 0, isValid: true),
    (bitmap: [], padding: 1, hashCount: 0, isValid: false),
    (bitmap: [1], padding: 8, hashCount: 1, isValid: false),
    (bitmap: [1], padding: -1, hashCount: 1, isValid: false),
    (bitmap: [1], padding: 7, hashCount: 0, isValid: false),
    (bitmap: [1], padding: 7, hashCount: -1, isValid: false),
    (bitmap: [1], padding: 7, hashCount: 1, isValid: true),
  ])
  func `numbers that describe no filter are refused`(
    row: (bitmap: [UInt8], padding: Int, hashCount: Int, isValid: Bool)
  ) {
    let filter = BloomFilter(
      bitmap: row.bitmap,
      padding: row.padding,
      hashCount: row.hashCount
    )
    #expect((filter != nil) == row.isValid)
  }

  @Test func `an empty filter contains nothing, a full one everything`() throws {
    let empty = try #require(BloomFilter(bitmap: [], padding: 0, hashCount: 0))
    #expect(!empty.mightContain(name))
    let full = try #require(BloomFilter(bitmap: [0xFF, 0xFF], padding: 3, hashCount: 14))
    #expect(full.mightContain(name))
  }

  @Test func `a filter lacks a name if one of its bits is clear`() throws {
    // A single bit is everybody's.
    let set = try #require(BloomFilter(bitmap: [1], padding: 7, hashCount: 3))
    #expect(set.mightContain(name))
    let clear = try #require(BloomFilter(bitmap: [0], padding: 7, hashCount: 3))
    #expect(!clear.mightContain(name))
  }
}
