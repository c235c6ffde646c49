import Crypto
import Foundation

/// The receiver's side of RFC 8291: a key pair and a secret, and the decryption of data for them.
package struct WebPushReceiver: Sendable {
  /// The reason for refusing a body.
  package enum Problem: Error, Equatable {
    /// It is not of the encoding "aes128gcm", or its sender's key is no point on the curve.
    case malformed
    /// It is for another receiver, or was changed on its way.
    case unauthentic
  }

  /// The keys that senders need to know.
  package let keys: WebPushKeys
  private let privateKey: P256.KeyAgreement.PrivateKey

  /// A new key pair and secret.
  package init() {
    let privateKey = P256.KeyAgreement.PrivateKey()
    let secret = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
    guard let receiver = WebPushReceiver(privateKey: privateKey, secret: secret) else {
      preconditionFailure("a new key is a point on the curve")
    }
    self = receiver
  }

  /// The receiver of the private key (32 bytes) and secret (16 bytes) that were kept; nil for anything else.
  package init?(privateKey: [UInt8], secret: [UInt8]) {
    guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey) else {
      return nil
    }
    self.init(privateKey: key, secret: secret)
  }

  private init?(privateKey: P256.KeyAgreement.PrivateKey, secret: [UInt8]) {
    let publicKey = Array(privateKey.publicKey.x963Representation)
    guard let keys = WebPushKeys(publicKey: publicKey, secret: secret) else { return nil }
    self.keys = keys
    self.privateKey = privateKey
  }

  /// The private key to keep: 32 bytes.
  package var privateBytes: [UInt8] { Array(privateKey.rawRepresentation) }

  /// The content of a push message's body.
  package func content(of body: [UInt8]) throws(Problem) -> [UInt8] {
    do {
      let header = try EncryptedContent.Header(reading: body)
      let sender = try P256.KeyAgreement.PublicKey(x963Representation: header.keyID)
      let shared = try privateKey.sharedSecretFromKeyAgreement(with: sender)
      let inputKey = WebPushEncryption.inputKey(shared, keys, sender: header.keyID)
      return try EncryptedContent(header: header, inputKey: inputKey).opened(body)
    } catch EncryptedContent.Problem.unauthenticRecord {
      throw .unauthentic
    } catch {
      throw .malformed
    }
  }
}
