import HTTPTypes
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads heads of HTTP/1.1 requests that are as plain as nearly all are, where they lie.
///
/// A head that is unusual in any way is left to the decoder of HTTP, which knows all cases and
/// refuses wrong ones. The requests of a connection mostly have the same headers, which are
/// compared and not read again.
struct HTTP1HeadReader {
  /// The meaning of the first bytes.
  enum Outcome {
    case head(Head)
    /// A head whose end has not come.
    case incomplete(Beginning)
    /// Something else, whose end is unknown here.
    case unusual
  }

  struct Head {
    /// Bytes up to the body.
    let length: Int
    /// Bytes of the body.
    let bodyLength: Int
    /// The request; nil for one that is no GET without a body.
    let request: HTTPRequest?
    /// The same of a POST with a body.
    let post: HTTPRequest?
  }

  /// The part that was read of a head without an end so far, so that its bytes are not read again
  /// with each that comes.
  struct Beginning {
    fileprivate var line: RequestLine?
    fileprivate var headers: HTTP1HeaderLines?
    /// The offset of the headers.
    fileprivate var headersStart = 0
    /// The offset of the line without an end so far.
    private(set) var lineStart = 0
    /// Up to where that line has no end.
    private(set) var searched = 0

    fileprivate init() {}

    /// The place of the line feed that ends the next line, which counts as read then; nil where it has not come.
    fileprivate mutating func nextLine(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
      guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
        searched = bytes.count
        return nil
      }
      defer { (lineStart, searched) = (end + 1, end + 1) }
      return lineStart..<end
    }
  }

  /// Longer heads are unusual.
  private let limit: Int
  private var last: HTTP1HeaderLines?

  /// A reader of heads of up to that many bytes, or 8 KiB where that is less.
  init(limit: Int) { self.limit = min(limit, 8 << 10) }

  /// Reads the head that begins with a buffer's next byte.
  ///
  /// - Parameter beginning: The part of the same head that was read before.
  mutating func read(_ buffer: ByteBuffer, after beginning: Beginning? = nil) -> Outcome {
    buffer.withUnsafeReadableBytes { bytes in
      let outcome = read(UnsafeRawBufferPointer(rebasing: bytes.prefix(limit)), beginning)
      if case .incomplete = outcome, bytes.count >= limit { return .unusual }
      return outcome
    }
  }

  private mutating func read(
    _ bytes: UnsafeRawBufferPointer,
    _ beginning: Beginning?
  ) -> Outcome {
    var beginning = beginning ?? Beginning()
    let line: RequestLine
    if let known = beginning.line {
      line = known
    } else {
      guard let range = beginning.nextLine(in: bytes) else { return .incomplete(beginning) }
      guard let first = RequestLine(bytes[range]) else { return .unusual }
      (line, beginning.line, beginning.headersStart) = (first, first, range.upperBound + 1)
      let rest = UnsafeRawBufferPointer(rebasing: bytes[beginning.headersStart...])
      if let last, last.areStart(of: rest) { return .head(head(line, beginning, last)) }
    }
    switch HTTP1HeaderLines.reading(bytes, &beginning) {
    case .lines(let lines):
      last = lines
      return .head(head(line, beginning, lines))
    case .incomplete: return .incomplete(beginning)
    case .unusual: return .unusual
    }
  }

  private func head(
    _ line: RequestLine,
    _ beginning: Beginning,
    _ headers: HTTP1HeaderLines
  ) -> Head {
    Head(
      length: beginning.headersStart + headers.bytes.count,
      bodyLength: headers.bodyLength ?? 0,
      request: line.isGet && headers.bodyLength == nil ? headers.request(.get, line.target) : nil,
      post: line.isPost && headers.bodyLength != nil ? headers.request(.post, line.target) : nil
    )
  }
}

/// The first line of a request of HTTP/1.1 with a usual method, for a path.
private struct RequestLine {
  let isGet: Bool
  let isPost: Bool
  let target: String

  private static let methods = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]
    .map { Array($0.utf8) }
  private static let end = Array(" HTTP/1.1\r".utf8)

  /// - Parameter line: Without the line feed.
  init?(_ line: Slice<UnsafeRawBufferPointer>) {
    guard line.suffix(Self.end.count).elementsEqual(Self.end),
      let space = line.firstIndex(of: UInt8(ascii: " ")),
      let method = Self.methods.firstIndex(where: line[..<space].elementsEqual)
    else { return nil }
    let target = line[(space + 1)...].dropLast(Self.end.count)
    guard target.first == UInt8(ascii: "/"),
      target.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
    else { return nil }
    (isGet, isPost) = (method == 0, method == 1)
    self.target = String(decoding: target, as: UTF8.self)
  }
}

/// The header lines of a request with the empty line behind them.
private struct HTTP1HeaderLines {
  enum Outcome {
    case lines(HTTP1HeaderLines)
    case incomplete
    case unusual
  }

  private(set) var bytes: [UInt8] = []
  /// The length that the headers announce for the body; nil if they announce none.
  private(set) var bodyLength: Int?
  private var authority: String?
  private var fields = HTTPFields()
  private var expectsAnswer = false
  /// A GET with these headers; nil for requests that the event loop does not serve.
  private var template: HTTPRequest?

  /// Returns true if these lines are the first of the given bytes.
  func areStart(of other: UnsafeRawBufferPointer) -> Bool {
    guard let start = other.baseAddress, other.count >= bytes.count else { return false }
    return bytes.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, $0.count) == 0 }
  }

  /// The request for a target; nil for one whose client waits to be told to send the body.
  func request(_ method: HTTPRequest.Method, _ target: String) -> HTTPRequest? {
    guard var request = template else { return nil }
    request.method = method
    request.path = target
    return request
  }

  /// Continues with the header lines of a head.
  static func reading(
    _ bytes: UnsafeRawBufferPointer,
    _ beginning: inout HTTP1HeadReader.Beginning
  ) -> Outcome {
    var lines = beginning.headers.take() ?? HTTP1HeaderLines()
    while let range = beginning.nextLine(in: bytes) {
      guard !range.isEmpty, bytes[range.upperBound - 1] == UInt8(ascii: "\r") else {
        return .unusual
      }
      let line = bytes[range].dropLast()
      if line.isEmpty {
        guard lines.authority != nil else { return .unusual }
        lines.finish(bytes[beginning.headersStart...range.upperBound])
        return .lines(lines)
      }
      guard lines.take(line) else { return .unusual }
    }
    beginning.headers = lines
    return .incomplete
  }

  private mutating func finish(_ bytes: Slice<UnsafeRawBufferPointer>) {
    self.bytes = Array(bytes)
    guard !expectsAnswer else { return }
    // The codec of others calls all requests this, over TLS too.
    template = HTTPRequest(
      method: .get,
      scheme: "http",
      authority: authority,
      path: "/",
      headerFields: fields
    )
  }

  /// Takes a line; false if it is unusual, or affects the end of the request or the connection.
  private mutating func take(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
    else { return false }
    var value = line[(colon + 1)...].drop { Self.isBlank($0) }
    while let last = value.last, Self.isBlank(last) { value.removeLast() }
    guard value.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else { return false }
    return take(name, String(decoding: value, as: UTF8.self))
  }

  private mutating func take(_ name: HTTPField.Name, _ value: String) -> Bool {
    switch name.canonicalName {
    case "host":
      guard authority == nil, HTTP1Fault.isHost(value) else { return false }
      authority = value
      return true
    case "content-length":
      let isNumber = !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard bodyLength == nil, isNumber, value.utf8.count <= 15 else { return false }
      bodyLength = Int(value)
    case "transfer-encoding", "upgrade": return false
    case "connection": guard value.lowercased() == "keep-alive" else { return false }
    case "expect": expectsAnswer = true
    default: break
    }
    fields.append(HTTPField(name: name, value: value))
    return true
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
