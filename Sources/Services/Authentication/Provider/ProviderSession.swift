import BaseText

/// The id of a sign-in with a provider, which only the client that began it holds.
///
/// It is the Base64 of 32 random bytes and of the second at which it started, 8 bytes with the highest first. A client that
/// changes the time loses the state, the nonce and the PKCE proof that are derived from the id.
package struct ProviderSession: Sendable, Hashable {
  /// The text that the client keeps and presents, `sessionId`.
  package let id: String
  private let start: Int64

  /// Seconds within which a person comes back from the provider.
  static let lifetime: Int64 = 3_600

  /// The fields of the provider's address that the server sets; a client's parameters never replace them.
  static let ownFields: Set<String> = [
    "client_id", "client_secret", "response_type", "redirect_uri", "scope", "state", "nonce",
    "code_challenge", "code_challenge_method", "response_mode", "request", "request_uri",
    "id_token_hint",
  ]

  /// A new session.
  init(startedAt start: Int64, _ random: RandomBytes) {
    let time = withUnsafeBytes(of: start.bigEndian) { Array($0) }
    id = Base64.url(random.bytes(32) + time)
    self.start = start
  }

  /// Nil for a text that is no session's id.
  package init?(id: String) {
    guard id.utf8.count == 54, let bytes = Base64.decodeStrictly(Array(id.utf8)), bytes.count == 40
    else { return nil }
    self.id = id
    start = bytes.suffix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// True while a code may be brought, at that second; the clocks of nodes may differ by a minute.
  func isValid(at now: Int64) -> Bool {
    start >= 0 && start <= now + 60 && now < start + Self.lifetime
  }
}
