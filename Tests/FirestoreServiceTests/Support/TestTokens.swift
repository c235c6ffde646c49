import Crypto
import FirestoreModel
import FirestoreWire
import Synchronization

@testable import Access
@testable import FirestoreService

/// Tokens of users, signed with a key that `TestVerifier` knows.
struct TestTokens {
  /// The time that verifiers take for now.
  static let now: Int64 = 1_800_000_000
  private static let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

  /// A token's header value; by default one that is valid for the user in project `p`.
  static func bearer(
    _ uid: String,
    project: String = "p",
    issuer: String? = nil,
    expiry: Int64 = now + 3_600,
    isSigned: Bool = true,
    claims: String = ""
  ) -> String {
    let issuer = issuer ?? "https://securetoken.google.com/\(project)"
    let payload =
      #"{"iss":"\#(issuer)","aud":"\#(project)","sub":"\#(uid)","user_id":"\#(uid)","#
      + #""iat":\#(now - 10),"exp":\#(expiry)\#(claims.isEmpty ? "" : "," + claims)}"#
    let header = #"{"alg":"\#(isSigned ? "HS256" : "none")","typ":"JWT"}"#
    let content = "\(encode(Array(header.utf8))).\(encode(Array(payload.utf8)))"
    return "Bearer \(content).\(isSigned ? encode(signature(content)) : "")"
  }

  static func signature(_ content: String) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key))
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    Base64.url(bytes)
  }
}

/// Verifies the tokens of `TestTokens`, as a production verifier would verify its own.
final class TestVerifier: TokenVerifier {
  private struct State {
    var revoked: Set<Text> = []
    var observers: [@Sendable (Text, Text) -> Void] = []
  }

  private let state = Mutex(State())

  /// Ends all tokens of a user of project `p`.
  func revoke(_ uid: Text) {
    let observers = state.withLock { state in
      state.revoked.insert(uid)
      return state.observers
    }
    for observer in observers { observer("p", uid) }
  }

  func caller(holding token: Substring, isSecure: Bool) throws(FirestoreError) -> Caller {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let unsigned = try? UnsignedToken(token), unsigned.isSigned,
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

  func isValid(_ identity: UserIdentity) -> Bool {
    identity.expiry > TestTokens.now && !state.withLock { $0.revoked.contains(identity.uid) }
  }

  func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void) {
    state.withLock { $0.observers.append(observer) }
  }
}
