import BaseRuntime

/// Charges what a session holds to its account of the ledger.
///
/// The session says how many bytes it holds whenever that changes; the difference is reserved or given
/// back. Bytes for which there was no room are not counted, and the session must let go of them.
struct WebChannelMeter {
  /// The number of bytes that a session takes while it holds no messages.
  static let sessionBytes = 4 << 10
  /// The number of bytes that a message takes beside its own.
  static let messageBytes = 64

  private let account: LedgerAccount
  private var charged = 0

  init(_ account: LedgerAccount) { self.account = account }

  /// Has the account hold that many bytes; false where its share does not allow as many.
  mutating func settle(to bytes: Int) -> Bool {
    if bytes > charged {
      guard account.reserve(bytes - charged, for: .session) else { return false }
    } else {
      account.release(charged - bytes, for: .session)
    }
    charged = bytes
    return true
  }

  /// The session's caller has shown credentials that are valid.
  func trust() { account.trust() }

  /// Gives everything back.
  func close() { account.close() }
}
