import BaseText

/// Writes compact JSON piece by piece.
package struct JSONWriter {
  /// The text written so far.
  @usableFromInline package internal(set) var text: [UInt8] = []
  /// True if the next name or element is the first of its object or array.
  @usableFromInline var isFirst = true

  /// An empty text with room for that many bytes.
  @inlinable
  package init(capacity: Int = 0) { text.reserveCapacity(capacity) }

  /// Writes an object whose members the body writes.
  @inlinable
  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try enclosed("{", "}", body)
  }

  /// Writes an array whose elements the body writes, each announced by `element()`.
  @inlinable
  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try enclosed("[", "]", body)
  }

  /// Begins a member; its value follows.
  @inlinable
  package mutating func name(_ name: String) {
    element()
    string(name)
    raw(":")
  }

  /// Begins an element; its value follows.
  @inlinable
  package mutating func element() {
    if !isFirst { raw(",") }
    isFirst = false
  }

  /// Writes text that is already JSON.
  @inlinable
  package mutating func raw(_ json: String) { text.append(contentsOf: json.utf8) }

  /// Writes a double: the shortest number that reads back as it, or its name in quotes.
  ///
  /// Zero keeps its point with its sign: many readers take `-0` for an integer.
  @inlinable
  package mutating func double(_ number: Double) {
    if number.isNaN {
      raw("\"NaN\"")
    } else if number.isInfinite {
      raw(number < 0 ? "\"-Infinity\"" : "\"Infinity\"")
    } else if number.bitPattern == 0 {
      raw("0")
    } else {
      let description = number.description
      raw(
        description.hasSuffix(".0") && number != 0 ? String(description.dropLast(2)) : description
      )
    }
  }

  /// Writes a text in quotes.
  @inlinable
  package mutating func string(_ string: String) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(contentsOf: [0x5C, byte])
      case 0x0A: raw("\\n")
      case 0x0D: raw("\\r")
      case 0x09: raw("\\t")
      case 0..<0x20, 0x7F: escape(byte)
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  @usableFromInline
  mutating func escape(_ byte: UInt8) {
    raw("\\u00" + Hexadecimal.text(CollectionOfOne(byte)))
  }

  @usableFromInline
  mutating func enclosed(
    _ opening: String,
    _ closing: String,
    _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    raw(opening)
    isFirst = true
    try body(&self)
    isFirst = false
    raw(closing)
  }
}
