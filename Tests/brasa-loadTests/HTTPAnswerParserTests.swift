import Testing

@testable import brasa_load

@Suite struct HTTPAnswerParserTests {
  static let answers: [(bytes: String, status: Int, count: Int64, body: String)] = [
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: x\r\n\r\nhello", 200, 5, "hello"),
    ("HTTP/1.1 204 No Content\r\n\r\n", 204, 0, ""),
    ("HTTP/1.1 308 Resume Incomplete\r\nRange: bytes=0-41\r\n\r\n", 308, 0, ""),
    ("HTTP/1.0 404 Not Found\nContent-Length: 0\n\n", 404, 0, ""),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
      200, 13, "abc0123456789"
    ),
    (
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok",
      201, 2, "ok"
    ),
  ]

  /// Parses a response that comes in parts of so many bytes.
  static func parse(_ text: String, inPartsOf size: Int) throws -> HTTPAnswerParser? {
    var parser = HTTPAnswerParser(keepsBody: true)
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      let part = Array(bytes[start..<min(start + size, bytes.count)])
      let isDone = try part.withUnsafeBytes { try parser.take($0) }
      if isDone { return start + part.count == bytes.count ? parser : nil }
    }
    return nil
  }

  @Test(arguments: 1...20)
  func `an answer is the same however it is cut`(size: Int) throws {
    for answer in Self.answers {
      let parser = try #require(try Self.parse(answer.bytes, inPartsOf: size))
      #expect(parser.status == answer.status)
      #expect(parser.count == answer.count)
      #expect(String(decoding: parser.body, as: UTF8.self) == answer.body)
    }
  }

  @Test func `headers are found by their names in lower case`() throws {
    let text =
      "HTTP/1.1 308 x\r\nRANGE: bytes=0-9\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n"
    let parser = try #require(try Self.parse(text, inPartsOf: 7))
    #expect(parser.header("range") == "bytes=0-9")
    #expect(parser.closesConnection)
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
  ])
  func `what is no answer is refused`(text: String) {
    #expect(throws: LoadError.self) { try Self.parse(text, inPartsOf: 100) }
  }
}
