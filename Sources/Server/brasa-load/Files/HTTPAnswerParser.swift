/// Reads one HTTP/1.1 answer after the other from the bytes of a connection, as they come.
///
/// Bodies are counted, and kept only where that is asked for. A response without a length ends with the
/// connection, which nothing here waits for: it is refused.
struct HTTPAnswerParser {
  private enum Phase: Equatable {
    case head
    /// So many bytes of the body are missing.
    case body(Int64)
    case chunkSize
    case chunk(Int64)
    /// The line end behind a chunk.
    case chunkEnd
    case trailers
    case done
  }

  private var phase = Phase.head
  private var line: [UInt8] = []
  private var headers: [String: String] = [:]
  private(set) var status = 0
  private(set) var count: Int64 = 0
  private(set) var body: [UInt8] = []
  private let keepsBody: Bool
  /// The longest line that is read.
  private static let longestLine = 64 << 10

  /// A parser of the next response.
  init(keepsBody: Bool = false) { self.keepsBody = keepsBody }

  /// A header of the response; names in lower case.
  func header(_ name: String) -> String? { headers[name] }

  /// True if the server closes the connection after this response.
  var closesConnection: Bool { headers["connection"]?.lowercased() == "close" }

  /// Takes bytes; true once the response is whole.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(LoadError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty, phase != .done {
      switch phase {
      case .body(let missing): takeBody(missing, &rest, next: Phase.body, end: .done)
      case .chunk(let missing): takeBody(missing, &rest, next: Phase.chunk, end: .chunkEnd)
      default: if try takeLine(&rest) { try endLine() }
      }
    }
    guard rest.isEmpty else { throw .refused("bytes follow an answer that nothing asked for") }
    return phase == .done
  }

  private mutating func takeBody(
    _ missing: Int64,
    _ rest: inout Slice<UnsafeRawBufferPointer>,
    next: (Int64) -> Phase,
    end: Phase
  ) {
    let part = rest.prefix(Int(min(missing, Int64(rest.count))))
    rest = rest.dropFirst(part.count)
    count += Int64(part.count)
    if keepsBody { body += part }
    let left = missing - Int64(part.count)
    phase = left > 0 ? next(left) : end
  }

  /// Collects a line; true once it is whole.
  private mutating func takeLine(
    _ rest: inout Slice<UnsafeRawBufferPointer>
  ) throws(LoadError) -> Bool {
    guard let end = rest.firstIndex(of: 0x0A) else {
      line += rest
      rest = rest.suffix(0)
      guard line.count <= Self.longestLine else { throw .refused("an answer's line is too long") }
      return false
    }
    line += rest[..<end]
    rest = rest[(end + 1)...]
    if line.last == 0x0D { line.removeLast() }
    return true
  }

  /// Headers that anybody asks for, in lower case; others are passed over unread.
  private static let wanted = [
    "connection", "content-length", "location", "range", "transfer-encoding",
  ].map { Array($0.utf8) }

  /// True if the line is of a header that is not needed.
  private var isOfNoInterest: Bool {
    guard phase == .head, status != 0, !line.isEmpty else { return false }
    return !Self.wanted.contains { name in
      line.count > name.count && line[name.count] == UInt8(ascii: ":")
        && zip(name, line).allSatisfy { $0 == $1 | 0x20 }
    }
  }

  private mutating func endLine() throws(LoadError) {
    guard !isOfNoInterest else { return line.removeAll(keepingCapacity: true) }
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    switch phase {
    case .head where status == 0: try takeStatus(text)
    case .head where text.isEmpty: try endHead()
    case .head: takeHeader(text)
    case .chunkEnd: phase = .chunkSize
    case .chunkSize: try takeChunkSize(text)
    case .trailers where text.isEmpty: phase = .done
    case .trailers, .body, .chunk, .done: break
    }
  }

  private mutating func takeStatus(_ text: String) throws(LoadError) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let number = Int(parts[1]) else {
      throw .refused("no HTTP/1.1 answer: \(text.prefix(80))")
    }
    status = number
  }

  private mutating func takeHeader(_ text: String) {
    guard let colon = text.firstIndex(of: ":") else { return }
    var value = text[text.index(after: colon)...]
    while value.first == " " { value.removeFirst() }
    headers[text[..<colon].lowercased()] = String(value)
  }

  private mutating func endHead() throws(LoadError) {
    if (100..<200).contains(status) {
      (status, headers) = (0, [:])
    } else if headers["transfer-encoding"]?.lowercased() == "chunked" {
      phase = .chunkSize
    } else if let length = headers["content-length"].flatMap({ Int64($0) }) {
      phase = length > 0 ? .body(length) : .done
    } else if status == 204 || status == 304 || status == 308 {
      phase = .done
    } else {
      throw .refused("an answer without a length")
    }
  }

  private mutating func takeChunkSize(_ text: String) throws(LoadError) {
    guard let size = Int64(text.prefix { $0 != ";" }, radix: 16) else {
      throw .refused("a chunk without a size")
    }
    phase = size > 0 ? .chunk(size) : .trailers
  }
}
