import BaseJSON
import BaseText

/// Values of documents as the REST API spells them.
package enum FieldValue {
  static let null = value("nullValue", .null)
  static let emptyList = list([])

  static func value(_ kind: String, _ value: JSONValue) -> JSONValue {
    .object([JSONValue.Member(kind, value)])
  }

  static func text(_ text: String) -> JSONValue { value("stringValue", .string(text)) }

  static func integer(_ number: Int64) -> JSONValue {
    value("integerValue", .string("\(number)"))
  }

  static func boolean(_ flag: Bool) -> JSONValue { value("booleanValue", .boolean(flag)) }

  static func list(_ values: [JSONValue]) -> JSONValue {
    value("arrayValue", .object(["values": .array(values)]))
  }

  static func map(_ fields: [JSONValue.Member]) -> JSONValue {
    value("mapValue", .object(["fields": .object(fields)]))
  }

  static func double(_ number: Double) -> JSONValue {
    if number.isNaN { return value("doubleValue", .string("NaN")) }
    if number.isInfinite {
      return value("doubleValue", .string(number < 0 ? "-Infinity" : "Infinity"))
    }
    return value("doubleValue", .number("\(number)"))
  }

  /// A number as it is spelled: whole ones that 64 bits hold are integers.
  static func number(_ digits: String) -> JSONValue? {
    if let whole = Int64(digits) { return integer(whole) }
    return Double(digits).map(double)
  }

  /// The value of JSON.
  ///
  /// A list in a list, which Firestore does not have, becomes a map with the list `values`.
  ///
  /// - Parameter changed: Called for each such list.
  static func json(_ json: JSONValue, isInList: Bool = false, changed: () -> Void) -> JSONValue {
    switch json {
    case .null: return null
    case .boolean(let flag): return boolean(flag)
    case .number(let digits): return number(digits) ?? text(digits)
    case .string(let string): return text(string)
    case .array(let elements):
      let values = list(elements.map { Self.json($0, isInList: true, changed: changed) })
      guard isInList else { return values }
      changed()
      return map([.init("values", values)])
    case .object(let members):
      return map(members.map { .init($0.key, Self.json($0.value, changed: changed)) })
    }
  }

  /// The timestamp of a text such as `2026-01-31 10:00:00.5+00`, with or without a zone; nil for another text.
  ///
  /// A time without a zone is one of UTC.
  static func timestamp(_ text: String) -> JSONValue? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 19, bytes.count <= 40, bytes[10] == 0x20 || bytes[10] == 0x54 else {
      return nil
    }
    let shape = "dddd-dd-dd dd:dd:dd".utf8
    for (byte, wanted) in zip(bytes, shape) where wanted != 0x20 {
      let isDigit = (0x30...0x39).contains(byte)
      guard wanted == UInt8(ascii: "d") ? isDigit : byte == wanted else { return nil }
    }
    var rest = bytes[19...]
    var fraction: [UInt8] = []
    if rest.first == UInt8(ascii: ".") {
      fraction = Array(rest.dropFirst().prefix { (0x30...0x39).contains($0) })
      guard (1...9).contains(fraction.count) else { return nil }
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard let zone = zone(Array(rest)) else { return nil }
    let date = String(decoding: bytes[..<10], as: UTF8.self)
    let time = String(decoding: bytes[11..<19], as: UTF8.self)
    let parts = fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self)
    return value("timestampValue", .string("\(date)T\(time)\(parts)\(zone)"))
  }

  /// `Z`, `+05:30`, `+05` or nothing, as RFC 3339 has it.
  private static func zone(_ bytes: [UInt8]) -> String? {
    if bytes.isEmpty || bytes == [UInt8(ascii: "Z")] { return "Z" }
    let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
      digits.count == 2 || digits.count == 4, digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let sign = bytes[0] == UInt8(ascii: "+") ? "+" : "-"
    let hours = String(decoding: digits.prefix(2), as: UTF8.self)
    let minutes = digits.count == 4 ? String(decoding: digits.suffix(2), as: UTF8.self) : "00"
    return hours + minutes == "0000" ? "Z" : "\(sign)\(hours):\(minutes)"
  }
}

/// The providers of sign-ins by the names that other systems have for them.
package enum ForeignProvider {
  private static let names = [
    "apple": "apple.com", "facebook": "facebook.com", "github": "github.com",
    "google": "google.com", "microsoft": "microsoft.com", "twitter": "twitter.com",
    "yahoo": "yahoo.com", "azure": "microsoft.com", "x": "twitter.com",
  ]

  /// Firebase's id of a provider; nil for one that Firebase does not have.
  static func id(_ name: String) -> String? { names[name.lowercased()] }
}
