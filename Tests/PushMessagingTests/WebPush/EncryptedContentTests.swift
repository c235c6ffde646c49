import BaseText
import Testing

@testable import PushMessaging

@Suite struct EncryptedContentTests {
  /// The examples of RFC 8188, sections 3.1 and 3.2.
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: String
    let body: String
    let recordSize: Int
    let keyID: String

    static let all = [
      Example(
        testDescription: "one record",
        key: "yqdlZ-tYemfogSmv7Ws5PQ",
        body: "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg",
        recordSize: 4_096,
        keyID: ""
      ),
      Example(
        testDescription: "two records, the first padded",
        key: "BO3ZVPxUlnLORbVGMpbT1Q",
        body:
          "uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3"
          + "SsLWIqS_uA",
        recordSize: 25,
        keyID: "a1"
      ),
    ]
  }

  @Test(arguments: Example.all)
  func `the examples of RFC 8188 open`(_ example: Example) throws {
    let body = try bytes(example.body)
    let header = try EncryptedContent.Header(reading: body)
    #expect(header.recordSize == example.recordSize)
    #expect(header.keyID == Array(example.keyID.utf8))
    #expect(header.bytes == Array(body[..<header.length]))
    let content = try EncryptedContent(header: header, inputKey: bytes(example.key)).opened(body)
    #expect(String(decoding: content, as: UTF8.self) == "I am the walrus")
  }

  @Test func `the first example comes out as RFC 8188 has it`() throws {
    let example = Example.all[0]
    let body = try bytes(example.body)
    let header = try EncryptedContent.Header(reading: body)
    let encoding = try EncryptedContent(header: header, inputKey: bytes(example.key))
    #expect(try encoding.sealed(Array("I am the walrus".utf8)) == body)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 16, 100])
  func `content of any length comes back in records of eight bytes`(_ count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let encoding = Self.encoding(recordSize: 25)
    let body = try encoding.sealed(content)
    #expect(body.count == 21 + count + 17 * max(1, (count + 7) / 8))
    #expect(try encoding.opened(body) == content)
  }

  @Test func `every byte that is changed or cut off is noticed`() throws {
    let encoding = Self.encoding(recordSize: 25)
    let body = try encoding.sealed(Array("twenty bytes of text".utf8))
    for index in encoding.header.length..<body.count {
      var changed = body
      changed[index] ^= 1
      #expect(throws: EncryptedContent.Problem.unauthenticRecord) { try encoding.opened(changed) }
      #expect(throws: EncryptedContent.Problem.self) {
        try encoding.opened(Array(body[..<index]))
      }
    }
  }

  @Test func `headers that are cut off or leave no room for content are refused`() throws {
    let bytes = EncryptedContent.Header(
      salt: [UInt8](repeating: 1, count: 16),
      recordSize: 25,
      keyID: [1, 2]
    ).bytes
    for length in 0..<bytes.count {
      #expect(throws: EncryptedContent.Problem.malformedHeader) {
        try EncryptedContent.Header(reading: Array(bytes[..<length]))
      }
    }
    var small = bytes
    small[19] = 17
    #expect(throws: EncryptedContent.Problem.malformedHeader) {
      try EncryptedContent.Header(reading: small)
    }
  }

  private static func encoding(recordSize: Int) -> EncryptedContent {
    EncryptedContent(
      header: .init(salt: Array(0..<16), recordSize: recordSize, keyID: []),
      inputKey: [UInt8](repeating: 3, count: 16)
    )
  }
}

/// The bytes of Base64.
func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decode(text.utf8)) }
