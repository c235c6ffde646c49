/// Reads a document of `XMLElement`s, with bounds: no document type, no entities but the five and numbers.
package struct XMLReader {
  /// The reason for refusing a document.
  package enum Problem: Error, Sendable, Equatable {
    case malformed(at: Int)
    case tooDeep
    case tooLarge
  }

  private let bytes: [UInt8]
  private var position = 0
  private var elements = 0

  private static let deepest = 16
  private static let most = 100_000

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The document's one element.
  package static func read(_ bytes: [UInt8]) throws(Problem) -> XMLElement {
    var reader = XMLReader(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    try reader.skipMarkup()
    let element = try reader.element(depth: 0)
    try reader.skipMarkup()
    guard reader.position == bytes.count else { throw .malformed(at: reader.position) }
    return element
  }

  /// Skips spaces, comments and processing instructions between elements.
  private mutating func skipMarkup() throws(Problem) {
    while true {
      skipSpaces()
      if has("<?") {
        try skip(through: "?>")
      } else if has("<!--") {
        try skip(through: "-->")
      } else {
        return
      }
    }
  }

  private mutating func element(depth: Int) throws(Problem) -> XMLElement {
    guard depth < Self.deepest else { throw .tooDeep }
    elements += 1
    guard elements <= Self.most else { throw .tooLarge }
    let name = try openingTag()
    guard let name = name.open else { return XMLElement(name.closed) }
    var element = XMLElement(name)
    var text: [UInt8] = []
    while !has("</") {
      if has("<!--") {
        try skip(through: "-->")
      } else if has("<![CDATA[") {
        text += try characterData()
      } else if peek == UInt8(ascii: "<") {
        element.children.append(try self.element(depth: depth + 1))
      } else {
        try character(&text)
      }
    }
    try closingTag(name)
    guard element.children.isEmpty else { return element }
    guard let valid = String(validating: text, as: UTF8.self) else { throw problem }
    element.text = valid
    return element
  }

  /// The name of an element; `closed` where it ends with its tag.
  private mutating func openingTag() throws(Problem) -> (open: String?, closed: String) {
    try expect("<")
    let name = try self.name()
    while true {
      skipSpaces()
      if has("/>") {
        position += 2
        return (nil, name)
      }
      if has(">") {
        position += 1
        return (name, name)
      }
      try attribute()
    }
  }

  private mutating func closingTag(_ name: String) throws(Problem) {
    try expect("</")
    guard try self.name() == name else { throw problem }
    skipSpaces()
    try expect(">")
  }

  /// A name, without its prefix.
  private mutating func name() throws(Problem) -> String {
    let start = position
    while let unit = peek, Self.isName(unit) { position += 1 }
    guard position > start, let text = String(validating: bytes[start..<position], as: UTF8.self)
    else { throw problem }
    return text.split(separator: ":").last.map(String.init) ?? text
  }

  private mutating func attribute() throws(Problem) {
    _ = try name()
    skipSpaces()
    try expect("=")
    skipSpaces()
    guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw problem
    }
    position += 1
    while let unit = peek, unit != quote {
      guard unit != UInt8(ascii: "<") else { throw problem }
      position += 1
    }
    guard peek == quote else { throw problem }
    position += 1
  }

  private mutating func characterData() throws(Problem) -> ArraySlice<UInt8> {
    let start = position + 9
    try skip(through: "]]>")
    return bytes[start..<(position - 3)]
  }

  private mutating func character(_ text: inout [UInt8]) throws(Problem) {
    guard let unit = peek else { throw problem }
    position += 1
    guard unit == UInt8(ascii: "&") else {
      text.append(unit)
      return
    }
    guard let end = bytes[position...].prefix(10).firstIndex(of: UInt8(ascii: ";")) else {
      throw problem
    }
    let name = String(decoding: bytes[position..<end], as: UTF8.self)
    guard let scalar = Self.entity(name) else { throw problem }
    text += Array(String(Character(scalar)).utf8)
    position = end + 1
  }

  private static func entity(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { return nil }
      let digits = name.dropFirst()
      let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    }
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var problem: Problem { .malformed(at: position) }

  private func has(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func expect(_ text: String) throws(Problem) {
    guard has(text) else { throw problem }
    position += text.utf8.count
  }

  private mutating func skip(through text: String) throws(Problem) {
    while position < bytes.count {
      if has(text) {
        position += text.utf8.count
        return
      }
      position += 1
    }
    throw problem
  }

  private mutating func skipSpaces() {
    while let unit = peek, [0x20, 0x09, 0x0A, 0x0D].contains(unit) { position += 1 }
  }

  private static func isName(_ unit: UInt8) -> Bool {
    switch unit {
    case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x80...0xFF: true
    default: false
    }
  }
}
