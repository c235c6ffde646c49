import BaseText
import Crypto

/// Tokens of users, signed with a key that `TestVerifier` knows.
package struct TestTokens {
  /// The time that verifiers take for now.
  package static let now: Int64 = 1_800_000_000
  private static let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

  /// A token's header value; by default one that is valid for the user in project `p`.
  package static func bearer(
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

  /// The signature of a token's first two parts.
  package static func signature(_ content: String) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key))
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    Base64.url(bytes)
  }
}
