/// Reads a body of several parts (RFC 2046) as it arrives: multipart/related, /form-data and /mixed.
///
/// A state machine without I/O: bytes go in by `read`, events come out in order, `finish` says that
/// the body has ended. Content is passed on as it arrives and never collected. Only a part's head,
/// which is bounded, and the possible beginning of a delimiter are held back.
///
/// A delimiter is a line `--boundary`; the last one has two hyphens more. Bytes before the first
/// and after the last have no meaning. Lines end with CR LF or, as Python's mail library writes
/// them, with LF alone: the line of the first delimiter says which, for all delimiters of the body.
/// So the bytes of content are certain, also where they end with a CR. In heads either will do.
package struct MultipartReader: Sendable {
  /// A piece that was read.
  package enum Event: Sendable, Equatable {
    /// A part begins; names of headers are in lower case, in their order.
    case part([Header])
    /// Content of the part, as much as is certain; never empty.
    case content([UInt8])
    /// The part has ended.
    case partEnd
    /// The last delimiter was read.
    case end
  }

  /// A header of a part.
  package struct Header: Sendable, Equatable {
    /// In lower case.
    package let name: String
    /// Without the white space around it.
    package let value: String
  }

  /// The error of a body that is none of several parts.
  package enum Problem: Error, Sendable, Equatable {
    case noBoundary
    case truncated
    case malformedHead
    case headTooLarge
    case tooManyParts
  }

  /// The limits of one body.
  package struct Limits: Sendable {
    /// Bytes of one part's head, line ends included; more is `headTooLarge`.
    package var headBytes = 16 << 10
    /// Headers of one part; more is `headTooLarge`.
    package var headers = 64
    /// Parts of one body; more is `tooManyParts`.
    package var parts = 1_000

    /// The usual bounds.
    package init() {}
  }

  private enum State: Sendable {
    /// Before the first delimiter, which may be at the very beginning.
    case preamble
    /// Behind a delimiter, in the rest of its line.
    case delimiterLine
    case head
    case content
    case epilogue
  }

  private let boundary: [UInt8]
  private let limits: Limits
  /// The end of lines that are delimiters; nil while none was read.
  private var newline: [UInt8]?
  /// The end of the line before and the boundary; in the preamble the least that a line ends with.
  private var delimiter: [UInt8]
  private var state = State.preamble
  private var buffer: [UInt8]
  private var headers: [Header] = []
  private var headBytes = 0
  private var parts = 0

  private static let shortNewline: [UInt8] = [0x0A]
  private static let longNewline: [UInt8] = [0x0D, 0x0A]

  /// A reader of a body with that boundary, which is 1 to 70 characters.
  package init(boundary: String, limits: Limits = Limits()) throws(Problem) {
    guard 1...70 ~= boundary.utf8.count else { throw .noBoundary }
    self.boundary = Array("--\(boundary)".utf8)
    self.limits = limits
    delimiter = Self.shortNewline + self.boundary
    // As if a line had ended before, so that the first delimiter is like the others.
    buffer = Self.shortNewline
  }

  /// A reader of a body with that `content-type`.
  ///
  /// Single quotes around a boundary are no part of it: Google's command-line clients write it so.
  package init(contentType: String, limits: Limits = Limits()) throws(Problem) {
    guard let type = MediaType(contentType), type.name.hasPrefix("multipart/"),
      let boundary = type.parameters["boundary"]
    else { throw .noBoundary }
    let isQuoted = boundary.utf8.count > 2 && boundary.hasPrefix("'") && boundary.hasSuffix("'")
    let bare = isQuoted ? String(boundary.dropFirst().dropLast()) : boundary
    try self.init(boundary: bare, limits: limits)
  }

  /// Takes the next bytes of the body.
  package mutating func read(_ bytes: some Sequence<UInt8>) throws(Problem) -> [Event] {
    buffer.append(contentsOf: bytes)
    var events: [Event] = []
    while try step(&events) {}
    return events
  }

  /// Says that the body has ended; throws where the last delimiter has not come.
  package func finish() throws(Problem) {
    guard case .epilogue = state else { throw .truncated }
  }

  /// Bytes of content that are held back, since they could begin a delimiter.
  package var heldBytes: Int {
    isAtContentStart ? max(0, buffer.count - lineEnd.count) : buffer.count
  }

  /// Bytes of the last delimiter.
  package var closingBytes: Int { delimiter.count + 2 }

  private var lineEnd: [UInt8] { newline ?? Self.shortNewline }

  /// Continues as far as the buffer allows; false if more bytes are needed.
  private mutating func step(_ events: inout [Event]) throws(Problem) -> Bool {
    switch state {
    case .preamble: return skipPreamble()
    case .delimiterLine: return try readDelimiterLine(&events)
    case .head: return try readHead(&events)
    case .content: return readContent(&events)
    case .epilogue:
      buffer.removeAll()
      return false
    }
  }

  private mutating func skipPreamble() -> Bool {
    let (before, isFound) = split()
    buffer.removeFirst(isFound ? before + delimiter.count : before)
    if isFound { state = .delimiterLine }
    return isFound
  }

  /// Behind a delimiter there are two hyphens, or spaces up to the end of the line.
  private mutating func readDelimiterLine(_ events: inout [Event]) throws(Problem) -> Bool {
    if buffer.starts(with: [0x2D, 0x2D]) {
      events.append(.end)
      state = .epilogue
      return true
    }
    guard let (line, end) = takeLine() else {
      guard buffer.count <= 80 else { throw .malformedHead }
      return false
    }
    guard line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { throw .malformedHead }
    if newline == nil {
      newline = end
      delimiter = end + boundary
    }
    parts += 1
    guard parts <= limits.parts else { throw .tooManyParts }
    (headers, headBytes) = ([], 0)
    state = .head
    return true
  }

  private mutating func readHead(_ events: inout [Event]) throws(Problem) -> Bool {
    // A head without headers, and content without a byte: the delimiter comes at once.
    guard let (line, _) = takeLine() else {
      guard headBytes + buffer.count <= limits.headBytes else { throw .headTooLarge }
      return false
    }
    headBytes += line.count + 2
    guard headBytes <= limits.headBytes else { throw .headTooLarge }
    if line.isEmpty {
      events.append(.part(headers))
      // The empty line may be the one before a delimiter.
      buffer.insert(contentsOf: lineEnd, at: 0)
      state = .content
      isAtContentStart = true
      return true
    }
    guard headers.count < limits.headers else { throw .headTooLarge }
    headers.append(try Self.header(line))
    return true
  }

  /// True if the buffer begins with the line end that was put before the content.
  private var isAtContentStart = false

  private mutating func readContent(_ events: inout [Event]) -> Bool {
    let (before, isFound) = split()
    if !isFound, before == 0 { return false }
    var content = Array(buffer.prefix(before))
    if isAtContentStart, before > 0 {
      content.removeFirst(min(content.count, lineEnd.count))
      isAtContentStart = before < lineEnd.count
    }
    if !content.isEmpty { events.append(.content(content)) }
    buffer.removeFirst(isFound ? before + delimiter.count : before)
    guard isFound else { return false }
    isAtContentStart = false
    events.append(.partEnd)
    state = .delimiterLine
    return true
  }

  /// The bytes of the buffer that are before a delimiter, or that cannot be of one.
  private func split() -> (before: Int, isFound: Bool) {
    buffer.withUnsafeBufferPointer { buffer in
      var index = 0
      while index < buffer.count {
        guard buffer[index] == delimiter[0] else {
          index += 1
          continue
        }
        let count = min(delimiter.count, buffer.count - index)
        var matched = 1
        while matched < count, buffer[index + matched] == delimiter[matched] { matched += 1 }
        if matched == delimiter.count { return (index, true) }
        if matched == count { return (index, false) }
        index += 1
      }
      return (buffer.count, false)
    }
  }

  /// Takes a line and its end; nil where it is not complete.
  private mutating func takeLine() -> (line: [UInt8], end: [UInt8])? {
    guard let end = buffer.firstIndex(of: 0x0A) else { return nil }
    var line = Array(buffer[..<end])
    buffer.removeFirst(end + 1)
    guard line.last == 0x0D else { return (line, Self.shortNewline) }
    line.removeLast()
    return (line, Self.longNewline)
  }

  private static func header(_ line: [UInt8]) throws(Problem) -> Header {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      let name = String(validating: line[..<colon], as: UTF8.self),
      let value = String(validating: line[(colon + 1)...], as: UTF8.self),
      !name.contains(where: { $0 == " " || $0 == "\t" })
    else { throw .malformedHead }
    let start = value.drop { $0 == " " || $0 == "\t" }
    let end = start.lastIndex { $0 != " " && $0 != "\t" }
    let trimmed = end.map { String(start[...$0]) } ?? ""
    return Header(name: name.lowercased(), value: trimmed)
  }
}

extension [MultipartReader.Header] {
  /// The value of the first header of that name, in lower case; nil without one.
  package subscript(name: String) -> String? { first { $0.name == name }?.value }
}
