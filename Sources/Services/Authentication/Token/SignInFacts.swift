import BaseText

/// The beginning of a session, which every token of it states.
package struct SignInFacts: Sendable, Hashable {
  /// `password`, `anonymous`, `custom`, or a provider's id.
  package var provider: Text
  /// Seconds since 1970.
  package var time: Int64
  /// The claims of a custom token, as the text of a JSON object.
  package var extraClaims: String?
  /// The second factor that was given.
  package var secondFactor: Factor?

  /// A second factor as tokens name it.
  package struct Factor: Sendable, Hashable {
    /// The enrolment's id, `second_factor_identifier` in a token.
    package let id: Text
    /// `totp` or `phone`.
    package let kind: Text
  }

  /// A sign-in at that time, in seconds.
  package init(
    provider: Text,
    time: Int64,
    extraClaims: String? = nil,
    secondFactor: Factor? = nil
  ) {
    self.provider = provider
    self.time = time
    self.extraClaims = extraClaims
    self.secondFactor = secondFactor
  }
}
