/// Items that wait for a password thread: those of familiar callers, of strangers who sign in and of sign-ups take turns.
///
/// A caller who finds it full takes a slot of the next kind. So people who sign in from a known
/// place get through a flood of strangers, and people who sign in at all get through a flood of
/// sign-ups, from any number of addresses. A quarter of the slots is reserved for each kind;
/// otherwise a caller with many accounts would keep all new people out.
struct PasswordLine<Item> {
  /// By kind.
  private var queues = PasswordCaller.Kind.allCases.map { _ in FairQueue<Item>() }
  /// The kind whose turn it is.
  private var turn = 0

  var count: Int { queues.reduce(0) { $0 + $1.count } }

  mutating func append(_ item: Item, for caller: PasswordCaller) {
    queues[caller.kind.rawValue].append(item, for: caller)
  }

  /// Takes the item whose turn it is.
  mutating func removeFirst() -> Item? {
    for step in queues.indices {
      let kind = (turn + step) % queues.count
      guard let item = queues[kind].removeFirst() else { continue }
      turn = (kind + 1) % queues.count
      return item
    }
    return nil
  }

  /// Removes an item in favour of that caller; nil where the caller has its share.
  mutating func crowdedOut(by caller: PasswordCaller) -> Item? {
    let share = count / 4
    let own = caller.kind.rawValue
    for kind in queues.indices.reversed() where kind > own && queues[kind].count > share {
      return queues[kind].removeNewest()
    }
    if queues[own].count < share {
      for kind in queues.indices where kind < own && queues[kind].count > share {
        return queues[kind].removeNewest()
      }
    }
    return queues[own].crowdedOut(by: caller)
  }
}
