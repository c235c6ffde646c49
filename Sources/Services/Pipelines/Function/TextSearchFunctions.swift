import BaseText
import FirestoreModel
import SecurityRules

/// Functions that look for something in strings or bytes, and those that cut and join them.
enum TextSearchFunctions {
  static let all: [FunctionDefinition] = [
    test("starts_with") { $0.starts(with: $1) },
    test("ends_with") { $0.suffix($1.count) == $1[...] },
    test("string_contains") { index(of: $1[...], in: $0[...]) != nil },
    .strict("like", 2...2) { values, evaluator in
      let text = Array(try values[0].text("like").unicodeScalars)
      return .boolean(try isLike(text, try likeParts(values[1].text("like")), evaluator))
    },
    .strict("regex_contains", 2...2) { values, evaluator in
      let pattern = try evaluator.pattern(Text(values[1].text("regex_contains")))
      return .boolean(
        try !matches(pattern, values[0].text("regex_contains"), limit: 1).isEmpty
      )
    },
    .strict("regex_match", 2...2) { values, evaluator in
      let pattern = try evaluator.pattern(Text(values[1].text("regex_match")))
      guard let matches = pattern.matchesWhole(Text(try values[0].text("regex_match"))) else {
        throw tooMuchWork
      }
      return .boolean(matches)
    },
    .strict("regex_find", 2...2) { values, evaluator in
      let pattern = try evaluator.pattern(Text(values[1].text("regex_find")))
      return try matches(pattern, values[0].text("regex_find"), limit: 1).first.map(Value.string)
        ?? .null
    },
    .strict("regex_find_all", 2...2) { values, evaluator in
      let pattern = try evaluator.pattern(Text(values[1].text("regex_find_all")))
      return .array(try matches(pattern, values[0].text("regex_find_all")).map(Value.string))
    },
    .strict("split", 1...2, split),
    .lenient("join", 2...3, join),
    .strict("string_index_of", 2...2) { values, _ in
      let (units, sought, isText) = try pair(values, "string_index_of")
      guard let position = index(of: sought[...], in: units[...]) else { return .integer(-1) }
      guard isText else { return .integer(Int64(position)) }
      let scalars = String(decoding: units[..<position], as: UTF8.self).unicodeScalars
      return .integer(Int64(scalars.count))
    },
    .strict("string_replace_all", 3...3) { try replace($0, $1, all: true) },
    .strict("string_replace_one", 3...3) { try replace($0, $1, all: false) },
  ]

  private static func test(
    _ name: String,
    _ body: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
  ) -> FunctionDefinition {
    .strict(name, 2...2) { values, _ in
      let (units, sought, _) = try pair(values, name)
      return .boolean(body(units, sought))
    }
  }

  /// Two strings or two byte strings, as bytes.
  private static func pair(
    _ values: [Value],
    _ name: String
  ) throws -> ([UInt8], [UInt8], isText: Bool) {
    switch (values[0], values[1]) {
    case (.string(let left), .string(let right)):
      (Array(left.string.utf8), Array(right.string.utf8), true)
    case (.bytes(let left), .bytes(let right)): (left, right, false)
    default: throw ExpressionFailure.wrongType(name)
    }
  }

  /// The first position of bytes in others, in time linear in both (Knuth, Morris, Pratt).
  static func index(of sought: ArraySlice<UInt8>, in units: ArraySlice<UInt8>) -> Int? {
    let sought = Array(sought)
    guard !sought.isEmpty else { return units.startIndex }
    var borders = [0]
    borders.reserveCapacity(sought.count)
    var length = 0
    for unit in sought.dropFirst() {
      while length > 0, sought[length] != unit { length = borders[length - 1] }
      if sought[length] == unit { length += 1 }
      borders.append(length)
    }
    length = 0
    for position in units.indices {
      while length > 0, sought[length] != units[position] { length = borders[length - 1] }
      if sought[length] == units[position] { length += 1 }
      if length == sought.count { return position - length + 1 }
    }
    return nil
  }

  /// A part of a pattern of `like`.
  private enum LikePart: Equatable {
    case one(Unicode.Scalar)
    case any
    case many
  }

  private static func likeParts(_ pattern: String) throws -> [LikePart] {
    var parts: [LikePart] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        parts.append(.one(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "%": if parts.last != .many { parts.append(.many) }
      case "_": parts.append(.any)
      default: parts.append(.one(scalar))
      }
    }
    guard !isEscaped else { throw ExpressionFailure("The pattern of like ends with a backslash.") }
    return parts
  }

  /// Matches greedily and goes back to the last `%` alone, so the time is the product of both lengths at most.
  private static func isLike(
    _ text: [Unicode.Scalar],
    _ parts: [LikePart],
    _ evaluator: Evaluator
  ) throws -> Bool {
    var position = 0
    var part = 0
    var retry: (part: Int, position: Int)?
    while position < text.count {
      try evaluator.resources.step()
      if part < parts.count, parts[part] == .many {
        retry = (part, position)
        part += 1
      } else if part < parts.count, parts[part] == .any || parts[part] == .one(text[position]) {
        part += 1
        position += 1
      } else if let last = retry {
        retry = (last.part, last.position + 1)
        part = last.part + 1
        position = last.position + 1
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .many }
  }

  private static func matches(
    _ pattern: TextSearch,
    _ text: String,
    limit: Int = .max
  ) throws -> [Text] {
    guard let found = pattern.matches(in: Text(text), limit: limit) else {
      throw tooMuchWork
    }
    return found
  }

  private static var tooMuchWork: ExpressionFailure {
    ExpressionFailure("The regular expression takes too many steps on that text.")
  }

  private static func split(_ values: [Value], _ evaluator: Evaluator) throws -> Value? {
    if case .bytes(let bytes) = values[0] {
      guard values.count == 2, case .bytes(let delimiter) = values[1] else {
        throw ExpressionFailure.wrongType("split")
      }
      return .array(try parts(of: bytes, at: delimiter, evaluator).map(Value.bytes))
    }
    let text = try values[0].text("split")
    let delimiter = values.count == 2 ? try values[1].text("split") : ","
    if delimiter.isEmpty, !text.isEmpty {
      try evaluator.checkRoom(text.utf8.count * Value.overhead)
      return .array(text.unicodeScalars.map { .string(Text(String($0))) })
    }
    let pieces = try parts(of: Array(text.utf8), at: Array(delimiter.utf8), evaluator)
    return .array(pieces.map { .string(Text(String(decoding: $0, as: UTF8.self))) })
  }

  private static func parts(
    of units: [UInt8],
    at delimiter: [UInt8],
    _ evaluator: Evaluator
  ) throws -> [[UInt8]] {
    guard !units.isEmpty else { return [[]] }
    if delimiter.isEmpty {
      try evaluator.checkRoom(units.count * Value.overhead)
      return units.map { [$0] }
    }
    var pieces: [[UInt8]] = []
    var rest = units[...]
    while let position = index(of: delimiter[...], in: rest) {
      pieces.append(Array(rest[..<position]))
      try evaluator.checkRoom(pieces.count * Value.overhead)
      rest = rest[(position + delimiter.count)...]
    }
    return pieces + [Array(rest)]
  }

  /// Joins the elements of an array; null elements are left out or replaced by a text.
  private static func join(_ values: [Value?], _ evaluator: Evaluator) throws -> Value? {
    guard let list = values[0], let delimiter = values[1], !list.isNull, !delimiter.isNull
    else { return .null }
    var substitute: Value?
    if values.count == 3, let text = values[2], !text.isNull { substitute = text }
    var pieces: [[UInt8]] = []
    var size = 0
    let separator = try units(delimiter, like: delimiter)
    for element in try list.array("join") {
      guard let value = element.isNull ? substitute : element else { continue }
      let piece = try units(value, like: delimiter)
      size += piece.count + separator.count
      try evaluator.checkRoom(size)
      pieces.append(piece)
    }
    let joined = Array(pieces.joined(separator: separator))
    if case .bytes = delimiter { return .bytes(joined) }
    return .string(Text(String(decoding: joined, as: UTF8.self)))
  }

  private static func units(_ value: Value, like model: Value) throws -> [UInt8] {
    switch (value, model) {
    case (.string(let text), .string): Array(text.string.utf8)
    case (.bytes(let bytes), .bytes): bytes
    default: throw ExpressionFailure.wrongType("join")
    }
  }

  private static func replace(
    _ values: [Value],
    _ evaluator: Evaluator,
    all: Bool
  ) throws -> Value? {
    let name = all ? "string_replace_all" : "string_replace_one"
    let (units, sought, isText) = try pair(values, name)
    let (_, replacement, _) = try pair([values[0], values[2]], name)
    guard !sought.isEmpty else { return values[0] }
    var result: [UInt8] = []
    var rest = units[...]
    while let position = index(of: sought[...], in: rest) {
      result += rest[..<position]
      result += replacement
      try evaluator.checkRoom(result.count)
      rest = rest[(position + sought.count)...]
      if !all { break }
    }
    result += rest
    return isText ? .string(Text(String(decoding: result, as: UTF8.self))) : .bytes(result)
  }
}
