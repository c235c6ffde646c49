import BaseJSON
import DocumentCodec

/// A scalar read from JSON, ready to be written.
enum JSONScalar {
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case bytes([UInt8])

  /// True if a field without presence leaves the value out.
  var isDefault: Bool {
    switch self {
    case .bool(let flag): !flag
    case .integer(let number): number == 0
    case .double(let number): number.bitPattern == 0
    case .string(let text): text.utf8.isEmpty
    case .bytes(let bytes): bytes.isEmpty
    }
  }

  /// Writes it as that field.
  func write(_ field: Int, to writer: inout ProtobufWriter) {
    switch self {
    case .bool(let flag): writer.bool(field, flag)
    case .integer(let number): writer.int64(field, number)
    case .double(let number): writer.double(field, number)
    case .string(let text): writer.string(field, text)
    case .bytes(let bytes): writer.content(field, bytes)
    }
  }

  /// An integer written as a number or a string; `1.0` and `1e3` are integers, too.
  static func integer(_ json: JSONValue, within range: ClosedRange<Int64>) -> JSONScalar? {
    let text: String
    switch json {
    case .number(let spelled), .string(let spelled): text = spelled
    default: return nil
    }
    guard isNumber(text), let number = Int64(text) ?? exactInteger(text), range.contains(number)
    else { return nil }
    return .integer(number)
  }

  /// A double written as a number or a string, or one of the three names.
  static func double(_ json: JSONValue) -> JSONScalar? {
    switch json {
    case .number(let text): return finite(text)
    case .string("NaN"): return .double(.nan)
    case .string("Infinity"): return .double(.infinity)
    case .string("-Infinity"): return .double(-.infinity)
    case .string(let text): return finite(text)
    default: return nil
    }
  }

  private static func finite(_ text: String) -> JSONScalar? {
    guard isNumber(text), let number = Double(text), number.isFinite else { return nil }
    return .double(number)
  }

  private static func exactInteger(_ text: String) -> Int64? {
    Double(text).flatMap { Int64(exactly: $0) }
  }

  /// Returns true if the text has only the characters of JSON numbers: no `nan`, `0x` or leading
  /// `+`.
  private static func isNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
    else { return false }
    return text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
  }
}
