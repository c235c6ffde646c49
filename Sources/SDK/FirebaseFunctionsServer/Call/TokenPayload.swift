import Foundation

/// The claims of a token that the host has verified or made.
struct TokenPayload {
  /// The claims as JSON.
  let json: Data

  /// Reads the middle part of a token; nil for a text that is none.
  init?(_ token: Substring) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let json = Data(base64Encoded: text) else { return nil }
    self.json = json
  }
}
