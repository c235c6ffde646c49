import HTTPTypes
import NIOCore
import Testing

@testable import Gateway

/// Heads of requests as the lane of memory reads them.
@Suite struct HTTP1HeadReaderTests {
  private static let host = "Host: a.example\r\n"

  /// Returns the reader's outcome for some bytes as a word, or as a head's lengths and path.
  private static func outcome(_ text: String, _ reader: inout HTTP1HeadReader) -> String {
    word(reader.read(ByteBuffer(string: text)))
  }

  private static func word(_ outcome: HTTP1HeadReader.Outcome) -> String {
    switch outcome {
    case .incomplete: "incomplete"
    case .unusual: "unusual"
    case .head(let head): "\(head.length) \(head.bodyLength) \(head.request?.path ?? "-")"
    }
  }

  private static func outcome(_ text: String) -> String {
    var reader = HTTP1HeadReader(limit: 1 << 20)
    return outcome(text, &reader)
  }

  @Test func `a plain GET is read as the decoder reads it`() throws {
    var reader = HTTP1HeadReader(limit: 1 << 20)
    let headers = "hOST: a:80\r\nRange:\t bytes=0-1 \r\nX:\r\nx: 2\r\n"
    let text = "GET /a%2Fb?c=d HTTP/1.1\r\n\(headers)\r\nGET "
    guard case .head(let head) = reader.read(ByteBuffer(string: text)) else {
      Issue.record("no head")
      return
    }
    #expect(head.length == text.utf8.count - 4 && head.bodyLength == 0)
    let request = try #require(head.request)
    #expect(request.method == .get && request.path == "/a%2Fb?c=d" && request.authority == "a:80")
    #expect(request.headerFields.map(\.name.canonicalName) == ["range", "x", "x"])
    #expect(request.headerFields[.range] == "bytes=0-1")
  }

  @Test func `the same headers with another path are known, others are read`() {
    var reader = HTTP1HeadReader(limit: 1 << 20)
    let more = ["", "", "X: 1\r\n", "X: 2\r\n", ""]
    for (path, more) in zip(["/a", "/bb", "/a", "/c", "/d"], more) {
      let text = "GET \(path) HTTP/1.1\r\n\(Self.host)\(more)\r\n"
      #expect(Self.outcome(text, &reader) == "\(text.utf8.count) 0 \(path)")
      // The headers that are known may be the beginning of others, or not be there as a whole.
      #expect(Self.outcome(String(text.dropLast()), &reader) == "incomplete")
    }
  }

  @Test(arguments: [
    ("POST", "Content-Length: 12\r\n", 12), ("GET", "Content-Length: 0\r\n", 0),
    ("PUT", "Content-Length: 5\r\nExpect: 100-continue\r\n", 5), ("HEAD", "", 0),
    ("GET", "Expect: 100-continue\r\n", 0), ("DELETE", "Connection: Keep-Alive\r\n", 0),
  ])
  func `what is not for memory is followed`(method: String, headers: String, bodyLength: Int) {
    let text = "\(method) /a HTTP/1.1\r\n\(Self.host)\(headers)\r\n"
    #expect(Self.outcome(text + "rest") == "\(text.utf8.count) \(bodyLength) -")
  }

  @Test(arguments: [
    "GET /a HTTP/1.0\r\n\(host)\r\n", "GET /a HTTP/1.1\n\(host)\n", "GET /a HTTP/1.1\r\n\r\n",
    "GET  /a HTTP/1.1\r\n\(host)\r\n", "GET /a b HTTP/1.1\r\n\(host)\r\n",
    "\r\nGET /a HTTP/1.1\r\n\(host)\r\n",
    "GET a HTTP/1.1\r\n\(host)\r\n", "GET http://a/b HTTP/1.1\r\n\(host)\r\n",
    "GET /a#b HTTP/1.1\r\n\(host)\r\n", "GET /\u{e9} HTTP/1.1\r\n\(host)\r\n",
    "CONNECT /a HTTP/1.1\r\n\(host)\r\n", "get /a HTTP/1.1\r\n\(host)\r\n",
    "GET /a HTTP/1.1\r\n\(host)\(host)\r\n", "GET /a HTTP/1.1\r\n\(host) folded\r\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)Name : value\r\n\r\n", "GET /a HTTP/1.1\r\n\(host)no colon\r\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", "GET /a HTTP/1.1\r\n\(host)X: a\0\r\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)X: \u{e9}\r\n\r\n", "GET /a HTTP/1.1\r\n\(host): value\r\n\r\n",
    "POST /a HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "POST /a HTTP/1.1\r\n\(host)Content-Length: +1\r\n\r\n",
    "POST /a HTTP/1.1\r\n\(host)Content-Length: 1, 1\r\n\r\n",
    "POST /a HTTP/1.1\r\n\(host)Content-Length:\r\n\r\n",
    "POST /a HTTP/1.1\r\n\(host)Content-Length: 9999999999999999\r\n\r\n",
    "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)Connection: close\r\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)Connection: keep-alive, Upgrade\r\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)Upgrade: h2c\r\n\r\n",
  ])
  func `what is unusual is not judged`(text: String) { #expect(Self.outcome(text) == "unusual") }

  @Test(arguments: [
    "GET /a%2Fb?c=d HTTP/1.1\r\n\(host)Range: bytes=0-1\r\nX:\r\n\r\n",
    "POST /a HTTP/1.1\r\n\(host)Content-Length: 12\r\n\r\n", "GET /a HTTP/1.0\r\n\(host)\r\n",
    "GET /a HTTP/1.1\r\n\(host)\(host)\r\n", "GET /a HTTP/1.1\r\n\(host)X: 1\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)\n", "GET /a HTTP/1.1\r\n\r\n",
    "GET /a HTTP/1.1\r\n\(host)X: \(String(repeating: "x", count: 9_000))",
  ])
  func `a head that comes in pieces is read as a whole, each byte of it once`(text: String) {
    let units = Array(text.utf8)
    for size in [1, 2, 7, 40] {
      var reader = HTTP1HeadReader(limit: 8 << 10)
      var (outcome, read) = (HTTP1HeadReader.Outcome.unusual, 0)
      var beginning: HTTP1HeadReader.Beginning?
      repeat {
        read = min(read + size, units.count)
        outcome = reader.read(ByteBuffer(bytes: units[..<read]), after: beginning)
        guard case .incomplete(let found) = outcome else { break }
        #expect(found.searched == read)
        #expect(found.lineStart == (units[..<read].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0))
        beginning = found
      } while read < units.count
      #expect(Self.word(outcome) == Self.outcome(text))
    }
  }

  @Test func `every beginning of a head is one, up to the bound`() {
    let text = "GET /a HTTP/1.1\r\n\(Self.host)X: 1\r\n\r\n"
    for count in 0..<text.utf8.count {
      #expect(Self.outcome(String(text.utf8.prefix(count)) ?? "") == "incomplete")
    }
    for length in [200, 8_000, 8_300] {
      var reader = HTTP1HeadReader(limit: length)
      let long = "GET /a HTTP/1.1\r\n\(Self.host)X: \(String(repeating: "x", count: length))"
      #expect(Self.outcome(long, &reader) == "unusual")
      #expect(Self.outcome(long + "\r\n\r\n", &reader) == "unusual")
    }
  }
}
