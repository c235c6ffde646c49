import FirestoreModel

/// Items that wait, served by turns: one of each address, and within an address one of each account.
///
/// It has no bound of its own: who keeps it asks `crowdedOut(by:)` when it is full.
struct FairQueue<Item> {
  /// Items under their keys; each key that has some has one turn.
  private struct Turns {
    var order: [Text] = []
    var items: [Text: [Item]] = [:]
    var count = 0

    mutating func append(_ item: Item, for key: Text) {
      if items[key] == nil { order.append(key) }
      items[key, default: []].append(item)
      count += 1
    }

    mutating func removeFirst() -> Item? {
      guard let key = order.first, var waiting = items[key] else { return nil }
      order.removeFirst()
      let item = waiting.removeFirst()
      items[key] = waiting.isEmpty ? nil : waiting
      if !waiting.isEmpty { order.append(key) }
      count -= 1
      return item
    }

    /// The key with the most items.
    var largest: Text? { order.max { items[$0]?.count ?? 0 < items[$1]?.count ?? 0 } }

    /// Removes the newest item of a key.
    mutating func removeLast(of key: Text) -> Item? {
      guard var waiting = items[key], let item = waiting.popLast() else { return nil }
      items[key] = waiting.isEmpty ? nil : waiting
      if waiting.isEmpty { order.removeAll { $0 == key } }
      count -= 1
      return item
    }
  }

  private var order: [Text] = []
  private var addresses: [Text: Turns] = [:]
  private(set) var count = 0

  /// Adds an item behind those of its address and account.
  mutating func append(_ item: Item, for caller: PasswordCaller) {
    if addresses[caller.address] == nil { order.append(caller.address) }
    addresses[caller.address, default: Turns()].append(item, for: caller.account)
    count += 1
  }

  /// Takes the item whose turn it is.
  mutating func removeFirst() -> Item? {
    guard let address = order.first, var turns = addresses[address],
      let item = turns.removeFirst()
    else { return nil }
    order.removeFirst()
    if turns.count > 0 { order.append(address) }
    addresses[address] = turns.count > 0 ? turns : nil
    count -= 1
    return item
  }

  /// Removes an item in favour of that caller: the newest of the address that has the most, if the
  /// caller's has fewer, else of an account of the same address in the same way; nil where the caller has
  /// its share.
  mutating func crowdedOut(by caller: PasswordCaller) -> Item? {
    let own = addresses[caller.address]
    guard let largest = order.max(by: { count(at: $0) < count(at: $1) }) else { return nil }
    if largest != caller.address, count(at: largest) > count(at: caller.address) + 1 {
      return removeNewest(at: largest)
    }
    guard let own, let account = own.largest,
      own.items[account]?.count ?? 0 > (own.items[caller.account]?.count ?? 0) + 1
    else { return nil }
    return removeNewest(at: caller.address)
  }

  /// Removes the newest item of the address that has the most.
  mutating func removeNewest() -> Item? {
    order.max { count(at: $0) < count(at: $1) }.flatMap { removeNewest(at: $0) }
  }

  private func count(at address: Text) -> Int { addresses[address]?.count ?? 0 }

  /// Removes the newest item of the account that has the most at that address.
  private mutating func removeNewest(at address: Text) -> Item? {
    guard var turns = addresses[address], let account = turns.largest,
      let item = turns.removeLast(of: account)
    else { return nil }
    addresses[address] = turns.count > 0 ? turns : nil
    if turns.count == 0 { order.removeAll { $0 == address } }
    count -= 1
    return item
  }
}
