import Access
import BaseStatus
import BaseText
import Synchronization

/// Verifies the tokens of `TestTokens`, as a production verifier would verify its own.
package final class TestVerifier: TokenVerifier {
  private struct State {
    var revoked: Set<Text> = []
    var observers: [@Sendable (Text, Text) -> Void] = []
  }

  private let state = Mutex(State())

  /// A verifier to which no token is revoked.
  package init() {}

  /// Ends all tokens of a user of project `p`.
  package func revoke(_ uid: Text) {
    let observers = state.withLock { state in
      state.revoked.insert(uid)
      return state.observers
    }
    for observer in observers { observer("p", uid) }
  }

  package func caller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let unsigned = try? UnsignedToken(token), unsigned.isIssued,
      Base64.decode(parts[2].utf8) == TestTokens.signature("\(parts[0]).\(parts[1])")
    else { throw AccessControl.invalidCredentials }
    let claimed = unsigned.identity
    let issuer = "https://securetoken.google.com/\(claimed.project.string)"
    guard claimed.claims["iss"] == .string(Text(issuer)), claimed.expiry > TestTokens.now
    else { throw AccessControl.invalidCredentials }
    return .user(
      UserIdentity(
        project: claimed.project,
        uid: claimed.uid,
        claims: claimed.claims,
        expiry: claimed.expiry,
        issued: claimed.issued
      )
    )
  }

  package func knownCaller(
    holding token: Substring,
    isSecure: Bool
  ) throws(ServiceError) -> Caller? { nil }

  package func isGenuine(_ token: Substring) -> Bool {
    (try? caller(holding: token, isSecure: true)) != nil
  }

  package func isValid(_ identity: UserIdentity) -> Bool {
    identity.expiry > TestTokens.now && !state.withLock { $0.revoked.contains(identity.uid) }
  }

  package func mark(of identity: UserIdentity) throws(ServiceError) -> String? {
    state.withLock { $0.revoked.contains(identity.uid) } ? nil : ""
  }

  package func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void) {
    state.withLock { $0.observers.append(observer) }
  }
}
