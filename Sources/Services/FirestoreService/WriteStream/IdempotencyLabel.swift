import Access
import BaseStatus
import Crypto
import DocumentStore

/// The label of a Write stream's message that makes sending its batch again harmless.
///
/// A batch with the label is applied once. If the same caller sends the same key again to the same
/// database, on any stream, within the retention of history, the first response is repeated and
/// nothing is written or evaluated. A batch that failed may be tried again. Keys are 1 to 128 bytes
/// and should be random, as UUIDs are: callers without credentials are one caller.
package enum IdempotencyLabel {
  /// The label's name.
  package static let name = "brasa-idempotency-key"

  /// The longest key, in bytes.
  package static let maximumLength = 128

  /// The key among a message's labels; nil when there is none.
  static func key(in labels: [String: String]) throws(ServiceError) -> String? {
    guard let key = labels[name] else { return nil }
    guard (1...maximumLength).contains(key.utf8.count) else {
      throw .invalidArgument("The label '\(name)' must have 1 to \(maximumLength) bytes.")
    }
    return key
  }

  /// The store's key for a caller's label.
  static func storeKey(_ key: String, of caller: Caller) -> IdempotencyKey? {
    var digest = SHA256()
    switch caller {
    case .administrator, .projectAdministrator: digest.update(data: [0])
    case .nobody: digest.update(data: [1])
    case .user(let user):
      digest.update(data: [2])
      for part in [user.project, user.uid] {
        let bytes = Array(part.string.utf8)
        withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { digest.update(bufferPointer: $0) }
        digest.update(data: bytes)
      }
    }
    digest.update(data: Array(key.utf8))
    return IdempotencyKey(digest: Array(digest.finalize()))
  }
}
