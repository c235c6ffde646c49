import BaseJSON
import BaseText
import Crypto
import Foundation

/// JSON Web Tokens signed by ES256 (RFC 7515, 7518), as push services take them.
enum ES256Token {
  /// The compact form of a token with this header and these claims.
  static func signed(
    header: [JSONValue.Member],
    claims: [JSONValue.Member],
    by key: P256.Signing.PrivateKey
  ) throws -> String {
    let text = encoded(.object(header)) + "." + encoded(.object(claims))
    let signature = try key.signature(for: Array(text.utf8))
    return text + "." + Base64.url(signature.rawRepresentation)
  }

  private static func encoded(_ part: JSONValue) -> String { Base64.url(part.compact.utf8) }
}
