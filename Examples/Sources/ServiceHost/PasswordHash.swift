import Crypto
import CryptoExtras
import Foundation
import NIOPosix

/// Hashes passwords with scrypt (RFC 7914) and checks them in constant time.
///
/// A hash is text of five parts, so that the cost can be raised without a migration:
///
///     scrypt$<rounds>$<block size>$<base64 salt, 16 bytes>$<base64 key, 32 bytes>
///
/// The work is done on threads of its own; a request's task never blocks for it.
package struct PasswordHash: Sendable {
  private let rounds: Int
  private static let blockSize = 8

  /// - Parameter rounds: A power of two; the default costs 16 MiB.
  package init(rounds: Int = 1 << 14) {
    self.rounds = rounds
  }

  package func hash(_ password: String) async throws -> String {
    let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
    let key = try await Self.key(password, salt: salt, rounds: rounds, blockSize: Self.blockSize)
    return [
      "scrypt", "\(rounds)", "\(Self.blockSize)", salt.base64EncodedString(),
      key.base64EncodedString(),
    ]
    .joined(separator: "$")
  }

  package func verify(_ password: String, against stored: String) async throws -> Bool {
    let parts = stored.split(separator: "$").map(String.init)
    guard parts.count == 5, parts[0] == "scrypt", let rounds = Int(parts[1]),
      let blockSize = Int(parts[2]), let salt = Data(base64Encoded: parts[3]),
      let expected = Data(base64Encoded: parts[4])
    else { return false }
    let key = try await Self.key(password, salt: salt, rounds: rounds, blockSize: blockSize)
    return Secret.isEqual(key, expected)
  }

  private static func key(
    _ password: String,
    salt: Data,
    rounds: Int,
    blockSize: Int
  ) async throws -> Data {
    try await NIOThreadPool.singleton.runIfActive {
      try KDF.Scrypt.deriveKey(
        from: Data(password.utf8),
        salt: salt,
        outputByteCount: 32,
        rounds: rounds,
        blockSize: blockSize,
        parallelism: 1
      )
      .withUnsafeBytes { Data($0) }
    }
  }
}
