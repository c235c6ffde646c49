// Field paths as text: names joined by dots. A name is bare if it matches
// [a-zA-Z_][a-zA-Z_0-9]*, else between backticks, where a backslash takes the next character as it
// is. At most 1,500 bytes; names of the form `__…__` are reserved.

import BaseStatus
import BaseText

extension FieldPath {
  /// Reads a path; `__name__` alone is the document's name.
  package init(parsing text: String) throws(ServiceError) {
    if text.utf8.isEmpty { throw .invalidArgument("Invalid empty property path string.") }
    if text.utf8.count > Limits.fieldPathSize {
      throw .invalidArgument("property path is longer than 1500 bytes.")
    }
    var scanner = FieldPathScanner(text)
    guard let segments = scanner.segments() else {
      throw .invalidArgument(
        "Invalid property path \"\(text)\". Unquoted property paths must match regex "
          + "([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex "
          + "(`(?:[^`\\\\]|(?:\\\\.))+`)"
      )
    }
    self.init(segments)
    if !isDocumentName, segments.contains(where: { $0.withBytes(ResourceID.isReserved) }) {
      throw .invalidArgument("Invalid reserved name in field path \(text)")
    }
  }

  /// The path in its one shortest spelling, for comparing, storing and answering.
  package var canonicalString: String {
    segments.map(\.escapedFieldName).joined(separator: ".")
  }

  /// Returns true if this path names that one or something that holds it.
  package func isPrefix(of other: FieldPath) -> Bool { other.segments.starts(with: segments) }
}

extension FieldPath: Comparable {
  /// Name by name, by UTF-8 bytes; a path before what lies below it.
  package static func < (left: FieldPath, right: FieldPath) -> Bool {
    left.segments.lexicographicallyPrecedes(right.segments)
  }
}

extension Text {
  fileprivate var escapedFieldName: String {
    let units = string.utf8
    let isBare =
      units.first.map { isLetter($0) } == true
      && units.allSatisfy { isLetter($0) || isDigit($0) }
    if isBare { return string }
    var bytes: [UInt8] = [UInt8(ascii: "`")]
    for unit in units {
      if unit == UInt8(ascii: "`") || unit == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(unit)
    }
    bytes.append(UInt8(ascii: "`"))
    return String(decoding: bytes, as: UTF8.self)
  }
}

private struct FieldPathScanner {
  private let units: [UInt8]
  private var position = 0

  init(_ text: String) { units = Array(text.utf8) }

  /// All names; nil at a syntax error.
  mutating func segments() -> [Text]? {
    var result: [Text] = []
    repeat {
      if !result.isEmpty { position += 1 }
      guard let name = segment() else { return nil }
      result.append(Text(String(decoding: name, as: UTF8.self)))
    } while position < units.count && units[position] == UInt8(ascii: ".")
    return position == units.count ? result : nil
  }

  private mutating func segment() -> [UInt8]? {
    guard position < units.count else { return nil }
    return units[position] == UInt8(ascii: "`") ? quoted() : bare()
  }

  private mutating func bare() -> [UInt8]? {
    let start = position
    guard isLetter(units[position]) else { return nil }
    while position < units.count, isLetter(units[position]) || isDigit(units[position]) {
      position += 1
    }
    return Array(units[start..<position])
  }

  private mutating func quoted() -> [UInt8]? {
    var name: [UInt8] = []
    position += 1
    while position < units.count, units[position] != UInt8(ascii: "`") {
      if units[position] == UInt8(ascii: "\\") { position += 1 }
      guard position < units.count else { return nil }
      name.append(units[position])
      position += 1
    }
    guard position < units.count, !name.isEmpty else { return nil }
    position += 1
    return name
  }
}

private func isLetter(_ unit: UInt8) -> Bool {
  (0x61...0x7A).contains(unit) || (0x41...0x5A).contains(unit) || unit == 0x5F
}

private func isDigit(_ unit: UInt8) -> Bool { (0x30...0x39).contains(unit) }
