import BaseJSON

/// The browser's data that an authenticator signs (WebAuthn, section 5.8.1).
struct ClientData: Sendable {
  /// The use of a passkey.
  enum Ceremony: String {
    case registration = "webauthn.create"
    case signIn = "webauthn.get"
  }

  private let json: JSONValue

  /// Reads the JSON that the browser wrote; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self),
      let json = try? JSONValue(parsing: text)
    else { return nil }
    self.json = json
  }

  /// The challenge in the URL-safe form of Base64; empty without one.
  var challenge: String { json["challenge"]?.string ?? "" }

  /// Returns true if a page of that origin itself, and no frame in another one, asked for the
  /// ceremony.
  func isOf(_ ceremony: Ceremony, from origin: String) -> Bool {
    json["type"]?.string == ceremony.rawValue && json["origin"]?.string == origin
      && json["crossOrigin"] != .boolean(true)
  }
}
