import BaseText

/// Divides a database's transactions among the callers under rules.
///
/// They have three quarters of all transactions together; the rest is for administrators. Their
/// part is divided by dynamic thresholds (Choudhury and Hahne): a network may hold at most as many
/// as are left, and an account at most as many as its network could still take. So a single caller
/// gets a third, or half if it is a network without accounts, and however many press, something is
/// left for the next one.
struct TransactionShares {
  /// The number of transactions that callers under rules may hold together.
  let capacity: Int
  private(set) var count = 0
  private var accounts: [Text: Int] = [:]
  private var networks: [String: Int] = [:]

  /// Shares of a table of that size, nothing held.
  init(of tableSize: Int) { capacity = tableSize - tableSize / 4 }

  /// Takes a slot for a holder; false where its share is used up.
  mutating func take(for holder: TransactionHolder) -> Bool {
    let held = networks[holder.network] ?? 0
    let left = capacity - count
    guard held < left else { return false }
    if let account = holder.account {
      guard accounts[account] ?? 0 < left - held else { return false }
      accounts[account, default: 0] += 1
    }
    networks[holder.network, default: 0] += 1
    count += 1
    return true
  }

  /// Gives a slot back.
  mutating func release(_ holder: TransactionHolder) {
    if let account = holder.account { Self.remove(account, from: &accounts) }
    Self.remove(holder.network, from: &networks)
    count -= 1
  }

  /// Returns the time that a transaction of theirs may be idle: all of the usual time while at
  /// least half of their slots are free, then less and less, down to a twelfth.
  func idleTimeout(_ usual: Int64) -> Int64 {
    let left = capacity - count
    guard left < capacity / 2, capacity > 1 else { return usual }
    let twelfth = usual / 12
    return max(twelfth, usual / Int64(capacity / 2) * Int64(max(left, 0)))
  }

  private static func remove<Key: Hashable>(_ key: Key, from counts: inout [Key: Int]) {
    guard let count = counts[key] else { return }
    counts[key] = count > 1 ? count - 1 : nil
  }
}
