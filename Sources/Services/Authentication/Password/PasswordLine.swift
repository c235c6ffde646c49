/// Items that wait for a password thread: those of familiar callers and those of strangers take turns.
///
/// A familiar caller who finds it full takes a stranger's slot, so that people who sign in from where they
/// were before get through a flood of strangers, however many addresses it comes from. A quarter of the
/// slots is left to strangers, or who has many accounts would keep everybody out who is new.
struct PasswordLine<Item> {
  private var familiar = FairQueue<Item>()
  private var strangers = FairQueue<Item>()
  private var isStrangersTurn = false

  var count: Int { familiar.count + strangers.count }

  mutating func append(_ item: Item, for caller: PasswordCaller) {
    if caller.isFamiliar {
      familiar.append(item, for: caller)
    } else {
      strangers.append(item, for: caller)
    }
  }

  /// Takes the item whose turn it is.
  mutating func removeFirst() -> Item? {
    defer { isStrangersTurn.toggle() }
    return isStrangersTurn
      ? strangers.removeFirst() ?? familiar.removeFirst()
      : familiar.removeFirst() ?? strangers.removeFirst()
  }

  /// Removes an item in favour of that caller; nil where he has his share.
  mutating func crowdedOut(by caller: PasswordCaller) -> Item? {
    let share = count / 4
    if caller.isFamiliar {
      return (strangers.count > share ? strangers.removeNewest() : nil)
        ?? familiar.crowdedOut(by: caller)
    }
    return (strangers.count < share ? familiar.removeNewest() : nil)
      ?? strangers.crowdedOut(by: caller)
  }
}
