import BaseText
import Crypto
import Foundation

extension VAPIDPair {
  /// A new pair; `subject` is a `mailto:` or `https:` URL at which a push service's operator reaches the sender's.
  ///
  /// Browsers bind a subscription to the public key when it is made: losing the private key ends all of them.
  package init(newFor subject: String) {
    let key = P256.Signing.PrivateKey()
    self.init(
      publicKey: Array(key.publicKey.x963Representation),
      privateKey: Array(key.rawRepresentation),
      subject: subject
    )
  }

  /// The public key as pages hand it to `pushManager.subscribe`: Base64 for URLs.
  package var publicText: String { Base64.url(publicKey) }

  /// The `Authorization` header for requests to `origin`, such as `https://push.example.net` (RFC 8292).
  ///
  /// `expiry` is in seconds since 1970 and at most 24 hours ahead. Throws where the private key is none.
  package func authorization(origin: String, expiry: Int) throws -> String {
    let token = try ES256Token.signed(
      header: [.init("typ", .string("JWT")), .init("alg", .string("ES256"))],
      claims: [
        .init("aud", .string(origin)), .init("exp", .integer(expiry)),
        .init("sub", .string(subject)),
      ],
      by: P256.Signing.PrivateKey(rawRepresentation: privateKey)
    )
    return "vapid t=\(token), k=\(publicText)"
  }
}
