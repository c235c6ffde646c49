import BaseText

/// Reads JSON in one pass, without building a tree.
///
/// It goes over UTF-8 that the caller has checked and lends. Safe on malformed JSON: it throws.
struct JSONScanner {
  /// The error for input that is no JSON, or not of the expected kind.
  struct Malformed: Error {
    let position: Int
  }

  /// The name of an object's member.
  struct Key {
    let bytes: UnsafeRawBufferPointer

    static func ~= (name: StaticString, key: Key) -> Bool {
      name.utf8CodeUnitCount == key.bytes.count
        && name.withUTF8Buffer { compareBytes(UnsafeRawBufferPointer($0), key.bytes) } == .equal
    }
  }

  /// Beyond any document of Firestore, within any stack.
  private static let greatestDepth = 256

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The first byte of the next value; nil at the end.
  var next: UInt8? {
    mutating get {
      skipSpace()
      return position < bytes.count ? bytes[position] : nil
    }
  }

  // MARK: Objects and arrays

  /// Reads an object; the body reads each member's value, or skips it.
  mutating func members(_ body: (Key, inout JSONScanner) throws -> Void) throws {
    try enter(UInt8(ascii: "{"))
    if take(UInt8(ascii: "}")) { return leave() }
    repeat {
      try stringBytes { scanner, key in
        try scanner.expect(UInt8(ascii: ":"))
        try body(Key(bytes: key), &scanner)
      }
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    leave()
  }

  /// Reads an array; the body reads each element, or skips it.
  mutating func elements(_ body: (inout JSONScanner) throws -> Void) throws {
    try enter(UInt8(ascii: "["))
    if take(UInt8(ascii: "]")) { return leave() }
    repeat { try body(&self) } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    leave()
  }

  private mutating func enter(_ bracket: UInt8) throws {
    try expect(bracket)
    depth += 1
    if depth > Self.greatestDepth { throw malformed }
  }

  private mutating func leave() { depth -= 1 }

  // MARK: Scalars

  /// Reads a string.
  mutating func string() throws -> String {
    try stringBytes { _, bytes in String(decoding: bytes, as: UTF8.self) }
  }

  /// Reads a string and lends its bytes, with the scanner behind it.
  mutating func stringBytes<R>(
    _ body: (inout JSONScanner, UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    try expect(UInt8(ascii: "\""))
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        return try body(&self, lent(start..<(position - 1)))
      }
      if byte == UInt8(ascii: "\\") {
        position = start
        let text = try escapedString()
        return try text.withUnsafeBytes { try body(&self, $0) }
      }
    }
    throw malformed
  }

  /// Reads a number, or a string that has one, as JSON of protobuf spells 64 bits.
  mutating func integer() throws -> Int64 {
    if next == UInt8(ascii: "\"") {
      return try stringBytes { scanner, digits in
        guard let number = Self.integer(digits) else { throw scanner.malformed }
        return number
      }
    }
    let digits = try digits()
    if let number = Self.integer(digits) { return number }
    guard let number = Int64(exactly: try Self.double(digits, malformed)) else { throw malformed }
    return number
  }

  /// Reads a number, or one of the strings for infinite values and NaN.
  mutating func double() throws -> Double {
    guard next == UInt8(ascii: "\"") else { return try Self.double(try digits(), malformed) }
    switch try string() {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    default: throw malformed
    }
  }

  /// Reads `true` or `false`.
  mutating func boolean() throws -> Bool {
    let isTrue = next == UInt8(ascii: "t")
    try word(isTrue ? "true" : "false")
    return isTrue
  }

  /// Passes over a value of any kind.
  mutating func skip() throws {
    switch next {
    case UInt8(ascii: "{"): try members { try $1.skip() }
    case UInt8(ascii: "["): try elements { try $0.skip() }
    case UInt8(ascii: "\""): try stringBytes { _, _ in }
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try boolean()
    case UInt8(ascii: "n"): try word("null")
    default: _ = try Self.double(try digits(), malformed)
    }
  }

  /// The bytes of the next value as they are spelled.
  mutating func raw() throws -> UnsafeBufferPointer<UInt8> {
    skipSpace()
    let start = position
    try skip()
    return UnsafeBufferPointer(rebasing: bytes[start..<position])
  }

  /// Throws where something follows.
  mutating func end() throws { if next != nil { throw malformed } }

  var malformed: Malformed { Malformed(position: position) }

  // MARK: Bytes

  private func lent(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range]))
  }

  private mutating func word(_ word: StaticString) throws {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count else { throw malformed }
    let isThere = word.withUTF8Buffer { word in
      word.elementsEqual(bytes[position..<(position + count)])
    }
    guard isThere else { throw malformed }
    position += count
  }

  private mutating func digits() throws -> UnsafeRawBufferPointer {
    skipSpace()
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        position += 1
        continue
      default: break
      }
      break
    }
    guard position > start else { throw malformed }
    return lent(start..<position)
  }

  private static func integer(_ digits: UnsafeRawBufferPointer) -> Int64? {
    let isNegative = digits.first == UInt8(ascii: "-")
    let rest = digits.dropFirst(isNegative ? 1 : 0)
    guard (1...19).contains(rest.count) else { return nil }
    var magnitude: UInt64 = 0
    for byte in rest {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      magnitude = magnitude * 10 + UInt64(byte - UInt8(ascii: "0"))
    }
    if !isNegative { return Int64(exactly: magnitude) }
    return magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  private static func double(
    _ digits: UnsafeRawBufferPointer,
    _ malformed: Malformed
  ) throws -> Double {
    guard let number = Double(String(decoding: digits, as: UTF8.self)) else { throw malformed }
    return number
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws {
    guard take(byte) else { throw malformed }
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  // MARK: Escapes

  private mutating func escapedString() throws -> [UInt8] {
    var result: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return result
      case UInt8(ascii: "\\"): try escape(into: &result)
      default: result.append(byte)
      }
    }
    throw malformed
  }

  private mutating func escape(into result: inout [UInt8]) throws {
    guard position < bytes.count else { throw malformed }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try scalar()
      result.append(contentsOf: Array(String(Character(scalar)).utf8))
    default: throw malformed
    }
  }

  /// A scalar from one escape or from a pair of halves; a half alone is the replacement character.
  private mutating func scalar() throws -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    let end = position
    if first < 0xDC00, position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      position += 2
      let second = try hexadecimal()
      if (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
      position = end
    }
    return "\u{FFFD}"
  }

  private mutating func hexadecimal() throws -> UInt32 {
    guard position + 4 <= bytes.count else { throw malformed }
    var number: UInt32 = 0
    for byte in bytes[position..<(position + 4)] {
      guard let digit = Hexadecimal.digit(byte) else { throw malformed }
      number = number << 4 | UInt32(digit)
    }
    position += 4
    return number
  }
}
