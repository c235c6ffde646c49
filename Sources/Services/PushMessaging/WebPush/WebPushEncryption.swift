import Crypto
import Foundation

/// Encrypts one message for one subscription (RFC 8291).
///
/// Salt and key pair belong to one message; `init()` creates both each time. The body is one
/// record, as RFC 8291 demands, and has at most 4,096 bytes.
package struct WebPushEncryption: Sendable {
  /// The largest content whose body has at most 4,096 bytes.
  package static let maximumContent = 3_993

  private static let recordSize = 4_096

  /// The reason why a message cannot be encrypted.
  package enum Problem: Error, Equatable {
    /// The content has more than `maximumContent` bytes.
    case contentTooLarge
    /// No secret can be agreed with the receiver's key.
    case unusableKey
  }

  private let salt: [UInt8]
  private let privateKey: P256.KeyAgreement.PrivateKey

  /// A new salt and key pair.
  package init() {
    self.init(
      salt: SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) },
      privateKey: P256.KeyAgreement.PrivateKey()
    )
  }

  init(salt: [UInt8], privateKey: P256.KeyAgreement.PrivateKey) {
    self.salt = salt
    self.privateKey = privateKey
  }

  /// The body of the request to the push service.
  package func body(_ content: [UInt8], for keys: WebPushKeys) throws(Problem) -> [UInt8] {
    guard content.count <= Self.maximumContent else { throw .contentTooLarge }
    let sender = Array(privateKey.publicKey.x963Representation)
    let header = EncryptedContent.Header(
      salt: salt,
      recordSize: Self.recordSize,
      keyID: sender
    )
    do {
      let receiver = try P256.KeyAgreement.PublicKey(x963Representation: keys.publicKey)
      let shared = try privateKey.sharedSecretFromKeyAgreement(with: receiver)
      let inputKey = Self.inputKey(shared, keys, sender: sender)
      return try EncryptedContent(header: header, inputKey: inputKey).sealed(content)
    } catch {
      throw .unusableKey
    }
  }

  /// The input key of the content encoding, which binds both sides' keys and the receiver's secret.
  static func inputKey(
    _ shared: SharedSecret,
    _ keys: WebPushKeys,
    sender: [UInt8]
  ) -> SymmetricKey {
    shared.hkdfDerivedSymmetricKey(
      using: SHA256.self,
      salt: keys.secret,
      sharedInfo: Array("WebPush: info".utf8) + [0] + keys.publicKey + sender,
      outputByteCount: 32
    )
  }
}
