/// The caller of a call, as far as its credentials say.
package enum Caller: Sendable, Hashable {
  /// Holds the administrator key, or is development mode's `Bearer owner`: rules do not apply.
  case administrator
  /// Sent no credentials.
  case nobody
  /// Signed in; reaches what the rules allow.
  case user(UserIdentity)
}
