import BaseText
import Crypto

/// The keys of a subscription, with which messages are encrypted for it: the receiver's public key
/// and its secret.
package struct WebPushKeys: Sendable, Hashable {
  /// The receiver's point on P-256, uncompressed: 65 bytes.
  package let publicKey: [UInt8]
  /// The secret of 16 bytes that only the receiver and its application know.
  package let secret: [UInt8]

  /// The keys of a subscription, `p256dh` and `auth`, in Base64 of either alphabet; nil for values
  /// that are not a point on the curve or a secret of 16 bytes.
  package init?(p256dh: String, auth: String) {
    guard p256dh.utf8.count <= 128, auth.utf8.count <= 64,
      let publicKey = Base64.decode(p256dh.utf8), let secret = Base64.decode(auth.utf8)
    else { return nil }
    self.init(publicKey: publicKey, secret: secret)
  }

  /// The keys as bytes; nil for values that are not a point on the curve or a secret of 16 bytes.
  package init?(publicKey: [UInt8], secret: [UInt8]) {
    guard publicKey.count == 65, secret.count == 16,
      (try? P256.KeyAgreement.PublicKey(x963Representation: publicKey)) != nil
    else { return nil }
    self.publicKey = publicKey
    self.secret = secret
  }
}
