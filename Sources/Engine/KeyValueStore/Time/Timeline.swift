/// The order of versions and read times of one engine, as a state machine without clock or disk.
///
/// Groups run one after the other. A group in flight is *pending* from its first version on, until
/// its outcome is known: it landed (visible and durable) or it was abandoned (nothing written). A
/// group with an unknown outcome, after a failed write, stays pending until its engine has read the
/// disk again and made sure that it never lands.
///
/// The basic rule: for the read time T of a view, every landed or still possible version at or
/// below T is in that view, and none above T is. It takes two facts about a view:
/// - its *floor*, noted just before the view was opened: every version that may ever land at or
///   below the floor had landed already, so the view holds it;
/// - the version that it *holds*: the last version of the last group in the view.
/// When the view holds everything that has landed and nothing is pending, time may move on to the
/// clock. Otherwise the greater of floor and held version is the response.
///
/// No read time is above the *ceiling*, which is durable; after a restart no version falls below it.
/// Versions need no ceiling of their own: they are durable with their group, or forgotten with it.
package struct Timeline: Sendable {
  /// The time ahead of the clock up to which a ceiling may be persisted.
  package static let lead: Int64 = 1_000_000

  /// A read time, or the ceiling that must be durable first.
  package enum ReadTime: Sendable, Equatable {
    case time(Int64)
    case needsCeiling(Int64)
  }

  /// The highest version or read time handed out.
  private var last: Int64
  /// The highest version known to have landed.
  package private(set) var landed: Int64
  /// The first and last version of the group in flight.
  private var pending: ClosedRange<Int64>?
  /// The number of groups that have taken versions since the start.
  private var groups: UInt64 = 0
  /// The highest time that a view may be given.
  package private(set) var ceiling: Int64

  /// Continues after a restart: `landed` is the last durable version, `ceiling` the highest durable
  /// ceiling (0 and 0 in a new store).
  package init(landed: Int64, ceiling: Int64) {
    self.landed = landed
    self.ceiling = max(landed, ceiling)
    last = self.ceiling
  }

  /// A version for the group in flight, above all that was handed out.
  package mutating func allocateVersion(now: Int64) -> Int64 {
    last = max(last + 1, now)
    if pending == nil { groups += 1 }
    pending = (pending?.lowerBound ?? last)...last
    return last
  }

  /// The ceiling that the group in flight can make durable along with its last version; nil when
  /// it took no version.
  package var groupRecord: (version: Int64, ceiling: Int64)? {
    pending.map { ($0.upperBound, max(ceiling, $0.upperBound + Self.lead)) }
  }

  /// The group in flight, if it took versions, is visible and durable, as is the ceiling that it
  /// wrote, if any.
  package mutating func groupLanded(ceiling newCeiling: Int64?) {
    if let pending {
      landed = pending.upperBound
    }
    pending = nil
    ceiling = max(ceiling, landed, newCeiling ?? 0)
  }

  /// The group in flight wrote nothing and never will.
  package mutating func groupAbandoned() {
    pending = nil
  }

  /// Continues after the disk was read again.
  ///
  /// That must hold all that landed and every ceiling in use, and no group besides: the one in flight
  /// never lands then. Otherwise the response is false, and nothing has changed.
  package mutating func resume(at recovered: Timeline) -> Bool {
    guard recovered.landed == landed, recovered.ceiling >= ceiling else { return false }
    pending = nil
    ceiling = recovered.ceiling
    return true
  }

  /// The floor of a view that is opened after this call.
  package var floor: Int64 {
    pending.map { $0.lowerBound - 1 } ?? last
  }

  /// Identifies this moment where no group is in flight; nil where one is.
  package var quietMoment: UInt64? { pending == nil ? groups : nil }

  /// The version that a view holds which was opened after that moment, if no group has taken a
  /// version since; else the view has to be asked.
  package func held(since quietMoment: UInt64?) -> Int64? {
    guard let quietMoment, pending == nil, quietMoment == groups else { return nil }
    return landed
  }

  /// The read time of a view while no ceiling can be made durable: at most the one that is.
  ///
  /// The view holds every version up to it, and none above.
  package mutating func readTimeBelowCeiling(floor: Int64, held: Int64) -> Int64 {
    let time = max(held, min(floor, ceiling))
    last = max(last, time)
    return time
  }

  /// A ceiling became durable.
  package mutating func raiseCeiling(to newCeiling: Int64) {
    ceiling = max(ceiling, newCeiling)
  }

  /// The read time of a view with that floor which holds every group up to version `held`.
  package mutating func readTime(floor: Int64, held: Int64, now: Int64) -> ReadTime {
    if let pending, pending.upperBound <= held {
      // Visible, and so durable, before its writer came to say so.
      groupLanded(ceiling: nil)
    }
    let isCurrent = pending == nil && landed <= held
    let time = isCurrent ? max(last, now) : max(floor, held)
    guard time <= ceiling else { return .needsCeiling(time + Self.lead) }
    last = max(last, time)
    return .time(time)
  }
}
