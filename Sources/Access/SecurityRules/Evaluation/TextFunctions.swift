import BaseText

extension Text {
  /// The steps of mapping every character: those beyond ASCII are looked up.
  var mappingSteps: Int { string.utf8.reduce(byteCount) { $1 < 0x80 ? $0 : $0 + 8 } }

  /// Every character replaced by its mapping where that is one character.
  func mapped(_ mapping: (Unicode.Scalar.Properties) -> String) -> Text {
    var result = String.UnicodeScalarView()
    for scalar in string.unicodeScalars {
      let mapped = mapping(scalar.properties).unicodeScalars
      if mapped.count == 1 { result.append(contentsOf: mapped) } else { result.append(scalar) }
    }
    return Text(String(result))
  }

  /// Without the blanks and control characters around it.
  var trimmed: Text {
    let units = string.utf8
    guard let first = units.firstIndex(where: { $0 > 0x20 }),
      let last = units.lastIndex(where: { $0 > 0x20 })
    else { return "" }
    return Text(String(string[first...last]))
  }
}

extension Substring {
  /// With escapes such as `%20` decoded; an invalid escape, or one that gives no text, stays as it
  /// is.
  var percentDecoded: String {
    guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
    let bytes = Array(utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let digits = String(decoding: bytes[index...].dropFirst().prefix(2), as: UTF8.self)
      if bytes[index] == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      {
        decoded.append(value)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(validating: decoded, as: UTF8.self) ?? String(self)
  }
}

extension RegexMatcher {
  /// Steps of a text that is made of a part.
  private static let partSteps = 16

  /// The parts between matches as Java's `split` gives them: no empty ones at the end, none in
  /// front of a match of nothing at the beginning, except where the pattern is empty.
  mutating func split() -> [Text] {
    var parts: [Text] = []
    var start = 0
    var position = 0
    while position <= count, let slots = firstMatch(from: position) {
      let (begin, end) = (slots[0], slots[1])
      if begin == count, begin == end { break }
      if end > 0 || begin == end {
        guard spend(Self.partSteps + begin - start) else { return [] }
        parts.append(text(start..<begin))
      }
      start = end
      position = end > begin ? end : end + 1
    }
    guard spend(count - start) else { return [] }
    parts.append(text(start..<count))
    while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    return parts
  }

  /// Every match replaced.
  ///
  /// Nil where the steps are used up, or the result would be too long.
  mutating func replace(_ template: RegexTemplate) -> Text? {
    var result = ""
    var start = 0
    var position = 0
    while position <= count, let slots = firstMatch(from: position) {
      let (begin, end) = (slots[0], slots[1])
      guard append(start..<begin, to: &result) else { return nil }
      for part in template.parts {
        switch part {
        case .text(let text):
          guard spend(1 + text.utf8.count / 4) else { return nil }
          result += text
        case .group(let group):
          let begin = slots[group * 2]
          guard spend(2), begin < 0 || append(begin..<slots[group * 2 + 1], to: &result) else {
            return nil
          }
        }
        guard result.utf8.count <= RulesLimits.resultSize else { return nil }
      }
      start = end
      position = end > begin ? end : end + 1
    }
    guard append(min(start, count)..<count, to: &result), budget >= 0 else { return nil }
    return Text(result)
  }

  private mutating func append(_ range: Range<Int>, to result: inout String) -> Bool {
    if range.isEmpty { return true }
    guard spend(Self.partSteps + range.count), result.utf8.count <= RulesLimits.resultSize else {
      return false
    }
    result += text(range).string
    return true
  }
}

/// The replacement of a match: `$1` and `$0` name groups, a backslash takes the next character as
/// it is.
struct RegexTemplate {
  enum Part {
    case text(String)
    case group(Int)
  }

  private(set) var parts: [Part] = []

  /// Nil where the template names a group that does not exist.
  init?(_ template: Text, groupCount: Int) {
    var plain = String.UnicodeScalarView()
    var rest = template.string.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\" {
        guard let next = rest.popFirst() else { return nil }
        plain.append(next)
      } else if scalar == "$" {
        guard let group = Self.group(&rest, groupCount) else { return nil }
        if !plain.isEmpty { parts.append(.text(String(plain))) }
        plain = String.UnicodeScalarView()
        parts.append(.group(group))
      } else {
        plain.append(scalar)
      }
    }
    if !plain.isEmpty { parts.append(.text(String(plain))) }
  }

  private static func group(
    _ rest: inout Substring.UnicodeScalarView,
    _ groupCount: Int
  ) -> Int? {
    guard var group = rest.popFirst().flatMap(digit), group <= groupCount else { return nil }
    while let next = rest.first.flatMap(digit), group * 10 + next <= groupCount {
      group = group * 10 + next
      rest.removeFirst()
    }
    return group
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    ("0"..."9").contains(scalar) ? Int(scalar.value - 0x30) : nil
  }
}
