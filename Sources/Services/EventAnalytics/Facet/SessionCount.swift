/// The sessions of a day, each by its user and the id that the app gave it.
///
/// A session counts once on each of its days, as engaged from the event on that says so.
struct SessionCount {
  struct Name: Hashable {
    let user: UInt32
    let id: Int64
  }

  /// The sessions that were seen; true of engaged ones.
  private(set) var seen: [Name: Bool] = [:]
  /// Those that an earlier segment has counted, as it did.
  private var counted: [Name: Bool] = [:]

  /// Records an event of a known user.
  mutating func note(_ event: TimelineEvent, of user: UInt32) {
    guard let id = event.integer(.ga_session_id) else { return }
    let isEngaged = event.integer(.session_engaged) == 1
    let name = Name(user: user, id: id)
    if seen[name] == nil || isEngaged { seen[name] = isEngaged }
  }

  /// Says that a session has been counted before.
  mutating func setCounted(_ name: Name, isEngaged: Bool) { counted[name] = isEngaged }

  /// Those that are new, or newly engaged.
  var uncounted: [(name: Name, isEngaged: Bool)] {
    seen.compactMap { name, isEngaged in
      guard let known = counted[name] else { return (name, isEngaged) }
      return isEngaged && !known ? (name, true) : nil
    }
  }

  /// The additions to the counts of all sessions and of engaged ones.
  var tallies: [(Facet, Tally)] {
    let new = uncounted
    return [
      (SessionGroup.all, new.filter { counted[$0.name] == nil }),
      (SessionGroup.engaged, new.filter(\.isEngaged)),
    ].compactMap { group, sessions in
      guard !sessions.isEmpty else { return nil }
      var tally = Tally()
      tally.count = Int64(sessions.count)
      tally.users = UserSet(sessions.map(\.name.user))
      return (Facet(.sessions, group.rawValue), tally)
    }
  }
}

/// The sessions of a day that are counted apart.
enum SessionGroup: UInt32, Sendable {
  /// Every session with an event on the day.
  case all = 0
  /// Those of which an event says `session_engaged`.
  case engaged = 1
}
