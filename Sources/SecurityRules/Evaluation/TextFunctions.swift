import FirestoreModel

extension Text {
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
    var units = Array(string.utf8)[...]
    while let last = units.last, last <= 0x20 { units.removeLast() }
    while let first = units.first, first <= 0x20 { units.removeFirst() }
    return Text(String(decoding: units, as: UTF8.self))
  }
}

extension Substring {
  /// With `%20` and its like decoded; what is no such code, or gives no text, stays as it is.
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
  /// The parts between matches as Java's `split` gives them: no empty ones at the end, none in
  /// front of a match of nothing at the beginning, except where the pattern is empty.
  mutating func split() -> [Text] {
    var parts: [Text] = []
    var start = 0
    var position = 0
    while position <= count, let slots = firstMatch(from: position) {
      let (begin, end) = (slots[0], slots[1])
      if begin == count, begin == end { break }
      if end > 0 || begin == end { parts.append(text(start..<begin)) }
      start = end
      position = end > begin ? end : end + 1
    }
    parts.append(text(start..<count))
    while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    return parts
  }

  /// Every match replaced; `$1` and `$0` name groups, a backslash takes the next character as it is.
  ///
  /// Nil where the template names a group that does not exist, or the result is too long.
  mutating func replace(_ template: Text, groupCount: Int) -> Text? {
    var result = ""
    var start = 0
    var position = 0
    while position <= count, let slots = firstMatch(from: position) {
      let (begin, end) = (slots[0], slots[1])
      result += text(start..<begin).string
      guard append(template, slots, groupCount, to: &result) else { return nil }
      start = end
      position = end > begin ? end : end + 1
      guard result.utf8.count <= RulesLimits.resultSize else { return nil }
    }
    return Text(result + text(min(start, count)..<count).string)
  }

  private func append(
    _ template: Text,
    _ slots: [Int],
    _ groupCount: Int,
    to result: inout String
  ) -> Bool {
    var rest = template.string.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\" {
        guard let next = rest.popFirst() else { return false }
        result.unicodeScalars.append(next)
      } else if scalar == "$" {
        guard let digit = rest.popFirst(), var group = Self.digit(digit), group <= groupCount else {
          return false
        }
        while let next = rest.first.flatMap(Self.digit), group * 10 + next <= groupCount {
          group = group * 10 + next
          rest.removeFirst()
        }
        let begin = slots[group * 2]
        if begin >= 0 { result += text(begin..<slots[group * 2 + 1]).string }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return true
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    ("0"..."9").contains(scalar) ? Int(scalar.value - 0x30) : nil
  }
}
