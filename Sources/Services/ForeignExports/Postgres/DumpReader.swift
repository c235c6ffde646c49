/// The statements of a plain PostgreSQL dump, and the lines of its `COPY` blocks, in bounded memory.
///
/// Knows where a statement ends: quotes, dollar quotes and comments may have semicolons. psql's own commands
/// (`\restrict …`) are passed over.
final class DumpReader {
  private let read: (Int) throws -> [UInt8]
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The rest of the line on which the last statement ended.
  private var pending: [UInt8] = []

  private static let partBytes = 1 << 20
  private static let mostBytes = 64 << 20

  /// The places of a statement in which a semicolon does not end it.
  private enum Context: Equatable {
    case plain
    case quote(escapes: Bool)
    case name
    case dollar([UInt8])
    case comment(depth: Int)
  }

  /// - Parameter read: Returns the next bytes, at most as many as asked for; none at the end.
  init(_ read: @escaping (Int) throws -> [UInt8]) { self.read = read }

  /// The next line without its end; nil behind the last.
  func nextLine() throws -> [UInt8]? {
    while true {
      if let end = buffer[position...].firstIndex(of: 0x0A) {
        defer { position = end + 1 }
        return Array(buffer[position..<end])
      }
      guard buffer.count - position <= Self.mostBytes else {
        throw ExportFailure("A line of the dump is over 64 MiB.")
      }
      if isAtEnd {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        return Array(buffer[position...])
      }
      let part = try read(Self.partBytes)
      buffer.removeSubrange(..<position)
      position = 0
      buffer += part
      isAtEnd = part.isEmpty
    }
  }

  /// The next line of a `COPY` block; nil at its end.
  func nextCopyLine() throws -> [UInt8]? {
    guard var line = try nextLine() else {
      throw ExportFailure("The dump ends inside the rows of a table: it is incomplete.")
    }
    if line.last == 0x0D { line.removeLast() }
    return line == Array("\\.".utf8) ? nil : line
  }

  /// The next statement without its semicolon; nil behind the last.
  func nextStatement() throws -> [UInt8]? {
    var statement: [UInt8] = []
    var context = Context.plain
    while true {
      let line: [UInt8]
      if !pending.isEmpty {
        line = pending
        pending = []
      } else if let next = try nextLine() {
        line = next
      } else {
        guard statement.allSatisfy(Self.isSpace) else {
          throw ExportFailure("The dump ends inside a statement: it is incomplete.")
        }
        return nil
      }
      let isBlank = context == .plain && statement.allSatisfy(Self.isSpace)
      if isBlank, line.first == UInt8(ascii: "\\") { continue }
      if let end = Self.scan(line, &context, into: &statement) {
        pending = Array(line[(end + 1)...])
        if pending.allSatisfy(Self.isSpace) { pending = [] }
        return statement
      }
      statement.append(0x0A)
      guard statement.count <= Self.mostBytes else {
        throw ExportFailure(
          "A statement of the dump is over 64 MiB: use pg_dump without --rows-per-insert."
        )
      }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Takes a line up to the semicolon that ends the statement, whose place is returned; comments are left out.
  private static func scan(
    _ line: [UInt8],
    _ context: inout Context,
    into statement: inout [UInt8]
  ) -> Int? {
    var index = 0
    func next(_ offset: Int = 1) -> UInt8? {
      index + offset < line.count ? line[index + offset] : nil
    }
    while index < line.count {
      let byte = line[index]
      switch context {
      case .plain:
        switch byte {
        case UInt8(ascii: ";"): return index
        case UInt8(ascii: "'"):
          let before = statement.last ?? 0
          context = .quote(escapes: before == UInt8(ascii: "E") || before == UInt8(ascii: "e"))
        case UInt8(ascii: "\""): context = .name
        case UInt8(ascii: "-") where next() == byte: return nil
        case UInt8(ascii: "/") where next() == UInt8(ascii: "*"):
          context = .comment(depth: 1)
          index += 2
          continue
        case UInt8(ascii: "$"):
          if let tag = dollarTag(line[index...]) {
            context = .dollar(tag)
            statement += tag
            index += tag.count
            continue
          }
        default: break
        }
      case .quote(let escapes):
        context = takeQuoted(line, &index, escapes: escapes, into: &statement)
        continue
      case .name: if byte == UInt8(ascii: "\"") { context = .plain }
      case .dollar(let tag):
        if byte == UInt8(ascii: "$"), line[index...].starts(with: tag) {
          context = .plain
          statement += tag
          index += tag.count
          continue
        }
      case .comment(let depth):
        context = passComment(line, &index, depth: depth)
        continue
      }
      statement.append(byte)
      index += 1
    }
    return nil
  }

  /// Takes a byte of a quoted text, or an escape as a whole; returns the context behind it.
  private static func takeQuoted(
    _ line: [UInt8],
    _ index: inout Int,
    escapes: Bool,
    into statement: inout [UInt8]
  ) -> Context {
    let pair = line[index...].prefix(2)
    let (byte, next) = (line[index], pair.count == 2 ? pair.last : nil)
    let isQuote = byte == UInt8(ascii: "'")
    // Two quotes are one in the text: the second one opens it again.
    let isEscape = isQuote ? next == byte : escapes && byte == UInt8(ascii: "\\") && next != nil
    let taken = isEscape ? pair : pair.prefix(1)
    statement += taken
    index += taken.count
    return isQuote && !isEscape ? .plain : .quote(escapes: escapes)
  }

  /// Passes a byte of a comment, or a whole mark of one; returns the context behind it.
  private static func passComment(_ line: [UInt8], _ index: inout Int, depth: Int) -> Context {
    let pair = line[index...].prefix(2)
    let isEnd = pair.elementsEqual("*/".utf8)
    let isMark = isEnd || pair.elementsEqual("/*".utf8)
    index += isMark ? 2 : 1
    if isEnd { return depth == 1 ? .plain : .comment(depth: depth - 1) }
    return .comment(depth: isMark ? depth + 1 : depth)
  }

  /// `$$` or `$name$` at the beginning of the bytes; nil for another dollar sign.
  private static func dollarTag(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    let name = bytes.dropFirst().prefix { byte in
      byte == 0x5F || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || byte >= 0x80
    }
    guard name.first.map({ !(0x30...0x39).contains($0) }) ?? true,
      bytes.dropFirst(1 + name.count).first == UInt8(ascii: "$")
    else { return nil }
    return Array(bytes.prefix(name.count + 2))
  }
}
