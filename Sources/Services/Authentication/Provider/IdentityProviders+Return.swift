import BaseText

// The state and the nonce of sign-ins by code. Both are derived from the session's id, which only the client that began
// has. The state may carry the signed address of an app, which the handler leads on to; the nonce shows by itself that
// this server chose it.

extension IdentityProviders {
  /// The state of a session.
  ///
  /// - Parameter app: The address of an app's own scheme, to which the handler leads on; nil for web pages.
  func state(of session: String, leadingTo app: String?) -> String {
    let token = proof("state", session)
    guard let app else { return token }
    let signed = "\(token).\(Base64.url(Array(app.utf8)))"
    return "\(signed).\(proof("return", signed))"
  }

  /// Returns true if the provider brought the state of that session.
  func isState(_ state: String, of session: String) -> Bool {
    let token = state.prefix { $0 != "." }
    return ConstantTime.areEqual(Array(token.utf8), Array(proof("state", session).utf8))
  }

  /// The app's address in a state that this server made; nil for states without one, and for all others.
  package func appAddress(inState state: String) -> String? {
    guard state.utf8.count <= 2_048 else { return nil }
    let parts = state.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      ConstantTime.areEqual(
        Array(parts[2].utf8),
        Array(proof("return", "\(parts[0]).\(parts[1])").utf8)
      )
    else { return nil }
    return Base64.decode(String(parts[1])).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The nonce of a session's ID tokens: 128 bits of the session, and their signature.
  func ownNonce(of session: String) -> String {
    let value = String(proof("nonce", session).prefix(22))
    return "\(value)\(proof("own-nonce", value))"
  }

  /// Returns true for a nonce that this server chose for some session.
  func isOwnNonce(_ nonce: String) -> Bool {
    guard nonce.utf8.count == 65 else { return false }
    let value = String(nonce.prefix(22))
    return ConstantTime.areEqual(
      Array(nonce.dropFirst(22).utf8),
      Array(proof("own-nonce", value).utf8)
    )
  }
}
