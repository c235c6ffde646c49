import FirestoreModel

/// The body of a WebChannel POST, a form: `count` maps that are numbered from `ofs`, and on opening
/// `headers`.
///
/// A map's fields are `req0___data__`, `req1___data__`, …; its value is the JSON of one message. A map
/// with a `_type` of `_badmap` could not be encoded by the client and has no message.
package struct WebChannelForm: Sendable {
  /// What a client may put into one request.
  private static let maximumCount = 1_000

  /// The number of the first map.
  package let offset: Int
  /// The messages' JSON in their order; nil where there is none.
  package let maps: [[UInt8]?]
  package let headers: WebChannelHeaders

  /// Reads a body.
  package init(_ body: [UInt8]) throws(FirestoreError) {
    var count = 0
    var offset = 0
    var headers = ""
    var maps: [Int: [UInt8]] = [:]
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = String(decoding: pair[..<equals], as: UTF8.self)
      guard let value = PercentEncoding.decodeForm(pair[equals...].dropFirst()) else {
        throw .invalidArgument("A form field has a malformed escape.")
      }
      switch name {
      case "count": count = try Self.number(value, atMost: Self.maximumCount)
      case "ofs": offset = try Self.number(value, atMost: Int.max / 2)
      case "headers": headers = String(decoding: value, as: UTF8.self)
      default: if let index = Self.index(of: name) { maps[index] = value }
      }
    }
    self.offset = offset
    self.maps = (0..<count).map { maps[$0] }
    self.headers = WebChannelHeaders(headers)
  }

  private static func number(_ text: [UInt8], atMost limit: Int) throws(FirestoreError) -> Int {
    guard let number = Int(String(decoding: text, as: UTF8.self)), (0...limit).contains(number)
    else { throw .invalidArgument("A number in the form is malformed or too large.") }
    return number
  }

  /// The number in `req<number>___data__`.
  private static func index(of name: String) -> Int? {
    guard name.hasPrefix("req"), name.hasSuffix("___data__") else { return nil }
    return Int(name.dropFirst(3).dropLast(9))
  }
}
