import Foundation

/// The claims of an ID token, read without a check of its signature: the server's response brought it.
struct IDTokenClaims: Sendable {
  /// The claims' JSON.
  let json: Data

  private struct Times: Decodable {
    let exp: Double
    let iat: Double
    var auth_time: Double?
    var firebase: Firebase?
  }

  private struct Firebase: Decodable {
    var sign_in_provider: String?
    var sign_in_second_factor: String?
  }

  private let times: Times

  /// Nil for text that is not a token.
  init?(_ token: String) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let json = Self.decode(parts[1]),
      let times = try? JSONDecoder().decode(Times.self, from: json)
    else { return nil }
    self.json = json
    self.times = times
  }

  private static func decode(_ text: Substring) -> Data? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: base64 + padding)
  }

  /// The lifetime of the token in seconds.
  var life: TimeInterval { times.exp - times.iat }
  var expiration: Date { Date(timeIntervalSince1970: times.exp) }
  var issue: Date { Date(timeIntervalSince1970: times.iat) }
  var authentication: Date { Date(timeIntervalSince1970: times.auth_time ?? times.iat) }
  var signInProvider: String { times.firebase?.sign_in_provider ?? "" }
  var signInSecondFactor: String { times.firebase?.sign_in_second_factor ?? "" }
}
