import BaseJSON
import BaseText

/// The types of columns, as far as values of documents tell them apart.
enum PostgresType: Sendable, Equatable {
  indirect case array(PostgresType)
  case integer, double, numeric, boolean, json, timestamp, bytes, text

  /// The type of words such as `timestamp with time zone`.
  init(_ words: [String]) {
    if words.contains("[]") {
      self = .array(PostgresType(words.filter { $0 != "[]" }))
      return
    }
    switch words.first ?? "" {
    case "smallint", "integer", "bigint", "int", "int2", "int4", "int8", "serial", "bigserial",
      "smallserial", "oid":
      self = .integer
    case "real", "double", "float", "float4", "float8": self = .double
    case "numeric", "decimal": self = .numeric
    case "boolean", "bool": self = .boolean
    case "json", "jsonb": self = .json
    case "timestamp", "timestamptz": self = .timestamp
    case "bytea": self = .bytes
    case "pg_catalog" where words.count > 1: self.init(Array(words.dropFirst()))
    default: self = .text
    }
  }

  /// The value of a column's text; a text that is none of the type stays a text.
  ///
  /// - Parameter changed: Called with a reason for each value that is not stored as it was.
  func value(_ text: String, changed: (String) -> Void) -> JSONValue {
    switch self {
    case .integer: return Int64(text).map(FieldValue.integer) ?? kept(text, changed)
    case .double: return Double(text).map(FieldValue.double) ?? kept(text, changed)
    case .numeric:
      guard let number = Double(text) else { return kept(text, changed) }
      let digits = text.utf8.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
      if digits.count > 15 { changed("a numeric of more than 15 digits is rounded to a double") }
      return FieldValue.double(number)
    case .boolean:
      switch text {
      case "t", "true", "TRUE": return FieldValue.boolean(true)
      case "f", "false", "FALSE": return FieldValue.boolean(false)
      default: return kept(text, changed)
      }
    case .json:
      guard let json = try? JSONParser.parse(Array(text.utf8)) else { return kept(text, changed) }
      return FieldValue.json(json) { changed(Self.listInList) }
    case .timestamp: return FieldValue.timestamp(text) ?? kept(text, changed)
    case .bytes:
      guard text.hasPrefix("\\x"), let bytes = Self.bytes(text.utf8.dropFirst(2)) else {
        return kept(text, changed)
      }
      return FieldValue.value("bytesValue", .string(Base64.standard(bytes)))
    case .array(let element):
      var parser = ArrayParser(text)
      guard let items = parser.parse() else { return kept(text, changed) }
      return list(items, of: element, isInList: false, changed: changed)
    case .text: return FieldValue.text(text)
    }
  }

  private static let listInList = "a list inside a list becomes a map with the list in values"

  private func kept(_ text: String, _ changed: (String) -> Void) -> JSONValue {
    changed("a value that does not fit its type is a string")
    return FieldValue.text(text)
  }

  private func list(
    _ items: [ArrayParser.Item],
    of element: PostgresType,
    isInList: Bool,
    changed: (String) -> Void
  ) -> JSONValue {
    let values = items.map { item in
      switch item {
      case .null: FieldValue.null
      case .text(let text): element.value(text, changed: changed)
      case .list(let inner): list(inner, of: element, isInList: true, changed: changed)
      }
    }
    guard isInList else { return FieldValue.list(values) }
    changed(Self.listInList)
    return FieldValue.map([.init("values", FieldValue.list(values))])
  }

  private static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    let values = digits.compactMap(Hexadecimal.digit)
    guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  // MARK: Types of columns without a definition

  /// The narrowest of types that a text fits, for a column that so far had another type; nil is a column without values.
  static func fitting(_ text: String, so far: PostgresType?) -> PostgresType {
    let fits: [(PostgresType, Bool)] = [
      (.integer, Int64(text).map { "\($0)" == text } ?? false),
      (.double, isPlainNumber(text)),
      (.boolean, ["true", "false", "t", "f"].contains(text)),
      (.timestamp, FieldValue.timestamp(text) != nil),
      (.json, text.hasPrefix("{") || text.hasPrefix("[")),
    ]
    let own = fits.first { $0.1 }?.0 ?? .text
    guard let far else { return own }
    if far == own { return far }
    if [far, own].allSatisfy({ $0 == .integer || $0 == .double }) { return .double }
    return .text
  }

  private static func isPlainNumber(_ text: String) -> Bool {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && digits.utf8.count <= 17
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
      && (parts[0] == "0" || !parts[0].hasPrefix("0"))
  }
}

/// Reads the text of an array, such as `{1,NULL,"a b",{2}}`.
private struct ArrayParser {
  enum Item {
    case null
    case text(String)
    case list([Item])
  }

  private let bytes: [UInt8]
  private var position = 0
  private static let maximumDepth = 6

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func parse() -> [Item]? {
    // Bounds other than the usual ones come first: [0:1]={a,b}.
    if bytes.first == UInt8(ascii: "["), let start = bytes.firstIndex(of: UInt8(ascii: "=")) {
      position = start + 1
    }
    guard let items = list(depth: 0), position == bytes.count else { return nil }
    return items
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func list(depth: Int) -> [Item]? {
    guard depth < Self.maximumDepth, byte == UInt8(ascii: "{") else { return nil }
    position += 1
    var items: [Item] = []
    if byte == UInt8(ascii: "}") {
      position += 1
      return items
    }
    while true {
      guard let item = item(depth: depth) else { return nil }
      items.append(item)
      defer { position += 1 }
      switch byte {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "}"): return items
      default: return nil
      }
    }
  }

  private mutating func item(depth: Int) -> Item? {
    if byte == UInt8(ascii: "{") { return list(depth: depth + 1).map(Item.list) }
    var text: [UInt8] = []
    let isQuoted = byte == UInt8(ascii: "\"")
    if isQuoted { position += 1 }
    while let next = byte {
      if isQuoted
        ? next == UInt8(ascii: "\"") : next == UInt8(ascii: ",") || next == UInt8(ascii: "}")
      {
        break
      }
      position += 1
      if next == UInt8(ascii: "\\"), let escaped = byte {
        text.append(escaped)
        position += 1
      } else {
        text.append(next)
      }
    }
    if isQuoted {
      guard byte == UInt8(ascii: "\"") else { return nil }
      position += 1
    }
    let string = String(decoding: text, as: UTF8.self)
    return !isQuoted && string == "NULL" ? .null : .text(string)
  }
}
