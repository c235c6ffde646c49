import Foundation

/// The body of a request, not yet encoded.
package enum RequestBody: Sendable {
  case json(any Encodable & Sendable)
  /// `application/x-www-form-urlencoded`, in the order given.
  case form([(name: String, value: String)])

  var contentType: String {
    switch self {
    case .json: "application/json"
    case .form: "application/x-www-form-urlencoded"
    }
  }

  func encoded() throws -> Data {
    switch self {
    case .json(let value):
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(value)
    case .form(let fields):
      let pairs = fields.map { "\(Self.escape($0.name))=\(Self.escape($0.value))" }
      return Data(pairs.joined(separator: "&").utf8)
    }
  }

  private static func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .urlUnreserved) ?? text
  }
}

extension CharacterSet {
  /// RFC 3986's unreserved characters: what never needs an escape in a path or a form.
  static let urlUnreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )
}
