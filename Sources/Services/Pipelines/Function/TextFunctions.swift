import BaseText
import FirestoreModel

/// Functions of strings and bytes: code points of the one, bytes of the other.
enum TextFunctions {
  private static let many = FunctionDefinition.many
  private static let largestRepeat = 1 << 20

  static let all: [FunctionDefinition] = [
    .strict("char_length", 1...1) { values, _ in
      .integer(Int64(try values[0].text("char_length").unicodeScalars.count))
    },
    .strict("byte_length", 1...1) { values, _ in
      switch values[0] {
      case .string(let text): .integer(Int64(text.byteCount))
      case .bytes(let bytes): .integer(Int64(bytes.count))
      default: throw ExpressionFailure.wrongType("byte_length")
      }
    },
    .strict("length", 1...1) { values, _ in
      switch values[0] {
      case .string(let text): .integer(Int64(text.string.unicodeScalars.count))
      case .bytes(let bytes): .integer(Int64(bytes.count))
      case .array(let elements): .integer(Int64(elements.count))
      case .vector(let numbers): .integer(Int64(numbers.count))
      case .map(let map): .integer(Int64(map.entries.count))
      default: throw ExpressionFailure.wrongType("length")
      }
    },
    .strict("concat", 2...many, concat),
    .strict("string_concat", 1...many) { values, evaluator in
      let texts = try values.map { try $0.text("string_concat") }
      try evaluator.checkRoom(texts.reduce(0) { $0 + $1.utf8.count })
      return .string(Text(texts.joined()))
    },
    .strict("to_lower", 1...1) { values, _ in
      if case .bytes(let bytes) = values[0] {
        return .bytes(bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 })
      }
      return .string(Text(try values[0].text("to_lower").lowercased()))
    },
    .strict("to_upper", 1...1) { values, _ in
      if case .bytes(let bytes) = values[0] {
        return .bytes(bytes.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 })
      }
      return .string(Text(try values[0].text("to_upper").uppercased()))
    },
    .strict("reverse", 1...1) { values, _ in
      switch values[0] {
      case .string, .bytes: try reversed(values[0], "reverse")
      case .array(let elements): .array(elements.reversed())
      default: throw ExpressionFailure.wrongType("reverse")
      }
    },
    .strict("string_reverse", 1...1) { values, _ in try reversed(values[0], "string_reverse") },
    .strict("substring", 2...3, substring),
    trimming("trim", start: true, end: true),
    trimming("ltrim", start: true, end: false),
    trimming("rtrim", start: false, end: true),
    .strict("string_repeat", 2...2, repeated),
  ]

  /// Joins strings, bytes or arrays; all of one type.
  private static func concat(_ values: [Value], _ evaluator: Evaluator) throws -> Value? {
    switch values[0] {
    case .string:
      let texts = try values.map { try $0.text("concat") }
      try evaluator.checkRoom(texts.reduce(0) { $0 + $1.utf8.count })
      return .string(Text(texts.joined()))
    case .bytes:
      var parts: [[UInt8]] = []
      for value in values {
        guard case .bytes(let bytes) = value else { throw ExpressionFailure.wrongType("concat") }
        parts.append(bytes)
      }
      try evaluator.checkRoom(parts.reduce(0) { $0 + $1.count })
      return .bytes(Array(parts.joined()))
    case .array:
      return try evaluator.bounded(
        .array(try values.flatMap { try $0.array("concat") })
      )
    default: throw ExpressionFailure.wrongType("concat")
    }
  }

  private static func reversed(_ value: Value, _ name: String) throws -> Value {
    if case .bytes(let bytes) = value { return .bytes(bytes.reversed()) }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: try value.text(name).unicodeScalars.reversed())
    return .string(Text(String(view)))
  }

  private static func substring(_ values: [Value], _ evaluator: Evaluator) throws -> Value? {
    let position = try values[1].integer("substring")
    let length = values.count == 3 ? try values[2].integer("substring") : .max
    guard length >= 0 else {
      throw ExpressionFailure("The length of substring must be non-negative.")
    }
    if case .bytes(let bytes) = values[0] {
      return .bytes(Array(bytes[Self.range(position, length, of: bytes.count)]))
    }
    let scalars = Array(try values[0].text("substring").unicodeScalars)
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[Self.range(position, length, of: scalars.count)])
    return .string(Text(String(view)))
  }

  /// The part from a position on, counted from the end if it is negative; cut to the available
  /// part.
  static func range(_ position: Int64, _ length: Int64, of count: Int) -> Range<Int> {
    let count = Int64(count)
    let start = position < 0 ? max(0, count + max(position, -count)) : min(position, count)
    return Int(start)..<Int(start + min(length, count - start))
  }

  private static func trimming(_ name: String, start: Bool, end: Bool) -> FunctionDefinition {
    .strict(name, 1...2) { values, _ in
      if case .bytes(let bytes) = values[0] {
        guard values.count == 2 else {
          return .bytes(Array(cut(bytes[...], start, end) { isSpace(UInt32($0)) }))
        }
        guard case .bytes(let set) = values[1] else { throw ExpressionFailure.wrongType(name) }
        return .bytes(Array(cut(bytes[...], start, end) { set.contains($0) }))
      }
      let scalars = Array(try values[0].text(name).unicodeScalars)
      let set = values.count == 2 ? Set(try values[1].text(name).unicodeScalars) : nil
      var view = String.UnicodeScalarView()
      view.append(
        contentsOf: cut(scalars[...], start, end) { scalar in
          set?.contains(scalar) ?? (isSpace(scalar.value) || scalar.properties.isWhitespace)
        }
      )
      return .string(Text(String(view)))
    }
  }

  private static func isSpace(_ value: UInt32) -> Bool {
    value == 0x20 || (0x09...0x0D).contains(value)
  }

  private static func cut<Element>(
    _ slice: ArraySlice<Element>,
    _ start: Bool,
    _ end: Bool,
    _ isCut: (Element) -> Bool
  ) -> ArraySlice<Element> {
    var slice = slice
    if start { slice = slice.drop(while: isCut) }
    if end { while let last = slice.last, isCut(last) { slice.removeLast() } }
    return slice
  }

  private static func repeated(_ values: [Value], _ evaluator: Evaluator) throws -> Value? {
    let count = try values[1].integer("string_repeat")
    guard count >= 0 else {
      throw ExpressionFailure("The count of string_repeat must be non-negative.")
    }
    func check(_ bytes: Int) throws {
      guard bytes == 0 || count <= Int64(largestRepeat / bytes) else {
        throw ExpressionFailure("The result of string_repeat is larger than 1 MiB.")
      }
    }
    if case .bytes(let bytes) = values[0] {
      try check(bytes.count)
      return bytes.isEmpty
        ? values[0] : .bytes(Array(repeatElement(bytes, count: Int(count)).joined()))
    }
    let text = try values[0].text("string_repeat")
    try check(text.utf8.count)
    return text.isEmpty ? values[0] : .string(Text(String(repeating: text, count: Int(count))))
  }
}
