import BaseStatus
import BaseText

/// The body of a WebChannel POST, a form: `count` maps that are numbered from `ofs`, and on opening
/// `headers`.
///
/// A map's fields are `req0___data__`, `req1___data__`, …; its value is the JSON of one message. A map
/// with a `_type` of `_badmap` could not be encoded by the client and has no message.
package struct WebChannelForm: Sendable {
  /// The most maps that a client may put into one request.
  private static let maximumCount = 1_000

  /// The number of the first map.
  package let offset: Int
  /// The messages' JSON in their order; nil where there is none.
  package let maps: [[UInt8]?]
  /// The request headers that the opening POST carries in its body; empty in later ones.
  package let headers: WebChannelHeaders

  /// Reads a body, which is looked at once and never copied whole.
  package init(_ body: [UInt8]) throws(ServiceError) {
    var count = 0
    var offset = 0
    var headers: [UInt8] = []
    var maps: [Int: [UInt8]] = [:]
    var rest = body[...]
    while let (name, encoded) = Self.nextField(&rest) {
      guard let field = try Field(name) else { continue }
      guard let value = PercentEncoding.decodeForm(encoded) else {
        throw .invalidArgument("A form field has a malformed escape.")
      }
      switch field {
      case .count: count = try Self.number(value, atMost: Self.maximumCount)
      case .offset: offset = try Self.number(value, atMost: WebChannelNumber.greatest)
      case .headers: headers = value
      case .map(let index): maps[index] = value
      }
    }
    self.offset = offset
    self.maps = (0..<count).map { maps[$0] }
    self.headers = try WebChannelHeaders(headers)
  }

  /// The fields that mean something.
  private enum Field {
    case count
    case offset
    case headers
    /// The message of the map with that number, counted from the form's first.
    case map(Int)

    /// Nil for any other name.
    init?(_ name: ArraySlice<UInt8>) throws(ServiceError) {
      guard name.count <= 64 else { return nil }
      switch String(decoding: name, as: UTF8.self) {
      case "count": self = .count
      case "ofs": self = .offset
      case "headers": self = .headers
      case let name where name.hasPrefix("req") && name.hasSuffix("___data__"):
        let digits = Array(name.utf8.dropFirst(3).dropLast(9))
        self = .map(try WebChannelForm.number(digits, atMost: WebChannelForm.maximumCount - 1))
      default: return nil
      }
    }
  }

  /// Takes a field off the front; its value is still encoded.
  private static func nextField(
    _ rest: inout ArraySlice<UInt8>
  ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
    let field = rest[..<end]
    rest = rest[end...].dropFirst()
    let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
    return (field[..<equals], field[equals...].dropFirst())
  }

  private static func number(_ digits: [UInt8], atMost limit: Int) throws(ServiceError) -> Int {
    try WebChannelNumber.parse(String(decoding: digits, as: UTF8.self), in: 0...limit)
  }
}
