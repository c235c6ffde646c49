import Authentication
import BaseText
import Crypto
import Synchronization

/// The challenges that passkeys sign.
///
/// A challenge is sixteen random bytes, its end in microseconds as eight bytes, and a MAC of both and of its purpose
/// under a key of this process: what strangers ask for takes no memory. Those that were used are remembered until their
/// end. Any thread may call.
final class PasskeyChallenges: Sendable {
  private let key = SymmetricKey(size: .bits256)
  private let used = Mutex<[[UInt8]: Int64]>([:])
  private let random: RandomBytes
  private let now: @Sendable () -> Int64

  /// Microseconds for which a challenge is valid.
  private static let lifetime: Int64 = 300_000_000

  /// Challenges by that clock, in microseconds since 1970.
  init(random: RandomBytes, now: @escaping @Sendable () -> Int64) {
    self.random = random
    self.now = now
  }

  /// A new challenge for a purpose.
  func make(for purpose: String) -> String {
    let end = now() + Self.lifetime
    let content = random.bytes(16) + withUnsafeBytes(of: end.bigEndian) { Array($0) }
    return Base64.url(content + mac(content, purpose))
  }

  /// Returns true if a challenge was made for that purpose, has not expired, and is used for the
  /// first time.
  func redeem(_ text: String, for purpose: String) -> Bool {
    guard let bytes = Base64.decode(text), bytes.count == 56 else { return false }
    let content = Array(bytes[..<24])
    let end = content[16...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let time = now()
    let message = content + Array(purpose.utf8)
    guard end > time,
      HMAC<SHA256>.isValidAuthenticationCode(
        Array(bytes[24...]),
        authenticating: message,
        using: key
      )
    else { return false }
    return used.withLock { used in
      used = used.filter { $0.value > time }
      return used.updateValue(end, forKey: content) == nil
    }
  }

  private func mac(_ content: [UInt8], _ purpose: String) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: content + Array(purpose.utf8), using: key))
  }
}
