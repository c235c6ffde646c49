import BaseText

/// Items that wait, served by turns: one of each network, within a network one of each address, and within an address one of
/// each account.
///
/// It has no bound of its own: its owner calls `crowdedOut(by:)` when it is full.
struct FairQueue<Item> {
  /// The keys below, by turn; none where the items themselves are.
  private var order: [Text] = []
  private var branches: [Text: FairQueue<Item>] = [:]
  private var items: [Item] = []
  private(set) var count = 0

  /// Adds an item behind those of its network, address and account.
  mutating func append(_ item: Item, for caller: PasswordCaller) {
    append(item, at: caller.turns[...])
  }

  private mutating func append(_ item: Item, at path: ArraySlice<Text>) {
    count += 1
    guard let key = path.first else { return items.append(item) }
    if branches[key] == nil { order.append(key) }
    branches[key, default: FairQueue()].append(item, at: path.dropFirst())
  }

  /// Takes the item whose turn it is.
  mutating func removeFirst() -> Item? {
    guard count > 0 else { return nil }
    count -= 1
    guard let key = order.first else { return items.removeFirst() }
    order.removeFirst()
    let item = branches[key]?.removeFirst()
    if count(of: key) > 0 { order.append(key) } else { branches[key] = nil }
    return item
  }

  /// Removes an item in favour of that caller; nil if the caller has its share.
  ///
  /// The item is the newest of the network with the most items, if the caller's network has fewer.
  /// Otherwise the same rule decides among addresses of the network, and among accounts of the
  /// address.
  mutating func crowdedOut(by caller: PasswordCaller) -> Item? {
    crowdedOut(by: caller.turns[...])
  }

  private mutating func crowdedOut(by path: ArraySlice<Text>) -> Item? {
    guard let own = path.first, let largest else { return nil }
    if largest != own, count(of: largest) > count(of: own) + 1 { return removeNewest(of: largest) }
    guard let item = branches[own]?.crowdedOut(by: path.dropFirst()) else { return nil }
    count -= 1
    return item
  }

  /// Removes the newest item of the network that has the most, there of the address and account that have the most.
  mutating func removeNewest() -> Item? {
    guard count > 0 else { return nil }
    if let largest { return removeNewest(of: largest) }
    count -= 1
    return items.popLast()
  }

  private mutating func removeNewest(of key: Text) -> Item? {
    guard let item = branches[key]?.removeNewest() else { return nil }
    count -= 1
    if count(of: key) == 0 {
      branches[key] = nil
      order.removeAll { $0 == key }
    }
    return item
  }

  /// The key with the most items.
  private var largest: Text? { order.max { count(of: $0) < count(of: $1) } }

  private func count(of key: Text) -> Int { branches[key]?.count ?? 0 }
}
