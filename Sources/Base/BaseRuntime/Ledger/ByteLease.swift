import Synchronization

/// Bytes of one kind that an account holds until the object is gone.
///
/// The owner of the bytes keeps the object. Any thread may call.
package final class ByteLease: Sendable {
  private let account: LedgerAccount
  private let kind: ByteLedger.Kind
  private let held: Mutex<Int>

  /// A lease on so many bytes; nil where the account has no room for them.
  package init?(_ account: LedgerAccount, _ bytes: Int = 0, for kind: ByteLedger.Kind) {
    guard bytes == 0 || account.reserve(bytes, for: kind) else { return nil }
    self.account = account
    self.kind = kind
    held = Mutex(bytes)
  }

  deinit { account.release(held.withLock { $0 }, for: kind) }

  /// The bytes that are held.
  package var bytes: Int { held.withLock { $0 } }

  /// Takes more, or gives some back, until it holds so many; false, and nothing changed, where there is no room.
  package func resize(to bytes: Int) -> Bool {
    held.withLock { held in
      if bytes > held, !account.reserve(bytes - held, for: kind) { return false }
      account.release(held - bytes, for: kind)
      held = bytes
      return true
    }
  }
}
