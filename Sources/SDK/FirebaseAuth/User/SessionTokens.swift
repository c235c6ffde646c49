import Foundation

/// The tokens of a session.
struct SessionTokens: Codable, Sendable, Equatable {
  var idToken: String
  var refreshToken: String
  /// The time at which the ID token expires, by this machine's clock.
  var expiration: Date

  /// A token with less than this left is renewed before it is used.
  static let leeway: TimeInterval = 5 * 60

  init(idToken: String, refreshToken: String, expiration: Date) {
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.expiration = expiration
  }

  /// The tokens of a response; nil where it has none.
  ///
  /// `seconds` is how long the ID token lives, as the response
  /// says, else the token itself.
  init?(idToken: String?, refreshToken: String?, seconds: String?, now: Date) {
    guard let idToken, let refreshToken else { return nil }
    let life = seconds.flatMap(TimeInterval.init) ?? IDTokenClaims(idToken)?.life ?? 0
    self.init(
      idToken: idToken,
      refreshToken: refreshToken,
      expiration: now.addingTimeInterval(life)
    )
  }

  func isFresh(at now: Date) -> Bool { expiration.timeIntervalSince(now) > Self.leeway }
}
