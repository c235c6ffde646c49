import KeyValueStore
import Synchronization

/// Versions and read times of one engine of several on a timeline.
///
/// **Epochs.** One engine at a time holds the time: the row names it, with an epoch that counts the changes. It alone
/// knows which read times it has handed out, all at or below the row's ceiling, and goes on from
/// there. Another engine that begins a group or a view takes the time over: it locks the row, goes on above the
/// ceiling, and says so in the row under the next epoch. So versions of a later epoch lie above all read times
/// of the earlier ones, and a view that shows its engine's own epoch holds every commit below that epoch's
/// first time. An engine that hands out a time at or below its last ceiling does no harm even if it does not
/// know yet that it was succeeded.
///
/// **Within an epoch** `Timeline` decides, as on one machine.
///
/// **Shared.** Engines that share a store hold the time for no longer than a group. Their views'
/// read times are the last version that had landed, which is in the row and so the same for all. If
/// it is older than a second, one of them advances it (`TimelineLock.tick`). So a view takes no
/// more than to be opened, on whichever engine, and no ceiling leads.
///
/// Any thread may call.
final class EpochTime: Sendable {
  private struct State {
    var timeline = Timeline(landed: 0, ceiling: 0)
    /// Nil when the engine does not know to hold the time.
    var epoch: Int64?
    /// True if the epoch is only in the row when the group in flight lands.
    var isProvisional = false
  }

  /// The state noted just before a view is opened.
  struct Opening: Sendable {
    fileprivate let epoch: Int64?
    let floor: Int64
  }

  /// The values that a group writes into the row.
  struct Record: Sendable {
    let version: Int64
    let ceiling: Int64
    let epoch: Int64
  }

  /// This engine's number in the row.
  let writer: Int64
  let clock: ServerClock
  private let isShared: Bool
  private let state = Mutex(State())

  init(writer: Int64, clock: ServerClock, isShared: Bool) {
    self.writer = writer
    self.clock = clock
    self.isShared = isShared
  }
}

// Views.
extension EpochTime {
  func opening() -> Opening {
    state.withLock { state in
      // A version above the ceiling, which never landed, is nobody's floor: a successor may take it.
      let floor = min(state.timeline.floor, state.timeline.ceiling)
      return Opening(epoch: state.isProvisional ? nil : state.epoch, floor: floor)
    }
  }

  /// Returns true if a view that shows that row was opened in this engine's own epoch.
  func holds(_ row: TimelineRow, since opening: Opening) -> Bool {
    row.holder == writer && row.epoch == opening.epoch
  }

  /// The read time of a view with that floor which holds every group up to `held`, or the ceiling that it
  /// needs first.
  func readTime(floor: Int64, held: Int64, now: Int64) -> Timeline.ReadTime {
    state.withLock { $0.timeline.readTime(floor: floor, held: held, now: now) }
  }

  /// The same within the body of a group, where no ceiling can be raised: time does not pass it.
  func readTimeInGroup(floor: Int64, held: Int64, now: Int64) -> Timeline.ReadTime {
    state.withLock { state in
      let ceiling = state.timeline.ceiling
      return state.timeline.readTime(
        floor: min(floor, ceiling),
        held: held,
        now: min(now, ceiling)
      )
    }
  }
}

// Under the row's lock. One thread at a time calls, and calls before any other group or ceiling of this engine
// may lock the row.
extension EpochTime {
  /// Returns true if the row names this engine's epoch.
  func holds(_ row: TimelineRow) -> Bool {
    state.withLock { $0.epoch == row.epoch } && row.holder == writer
  }

  /// A group has locked the row; if another engine holds the time, this one does when the group lands.
  func groupBegins(_ row: TimelineRow) {
    let isHolder = !isShared && holds(row)
    state.withLock { state in
      if isHolder {
        // A ceiling whose response was lost may have been written all the same.
        state.timeline.raiseCeiling(to: row.ceiling)
      } else {
        state = State(
          timeline: Timeline(landed: row.version, ceiling: row.ceiling),
          epoch: row.epoch + 1,
          isProvisional: true
        )
      }
    }
  }

  func allocateVersion() -> Int64 {
    let now = clock.now()
    return state.withLock { $0.timeline.allocateVersion(now: now) }
  }

  /// True if a group without a version has to be written for the time's sake.
  var isProvisional: Bool { state.withLock { $0.isProvisional } }

  /// Returns the values that the group in flight writes into the row; nil if the engine no longer
  /// knows that it holds the time.
  ///
  /// The ceiling leads the clock and not the version: a successor goes on above it, so that time
  /// would run away if engines took turns.
  func groupRecord() -> Record? {
    let now = clock.now()
    return state.withLock { state in
      guard let epoch = state.epoch else { return nil }
      let version = state.timeline.groupRecord?.version ?? state.timeline.landed
      return Record(
        version: version,
        ceiling: max(state.timeline.ceiling, version, isShared ? 0 : now + Timeline.lead),
        epoch: epoch
      )
    }
  }

  /// The group in flight is visible and durable.
  func groupLanded(_ record: Record) {
    state.withLock { state in
      guard state.epoch == record.epoch else { return }
      state.timeline.groupLanded(ceiling: record.ceiling)
      state.isProvisional = false
    }
  }

  /// The group in flight wrote nothing and never will.
  func groupAbandoned() {
    state.withLock { state in
      state.timeline.groupAbandoned()
      if state.isProvisional { (state.epoch, state.isProvisional) = (nil, false) }
    }
  }

  /// Returns true if another call has raised the ceiling nearly as far.
  func isRaised(to ceiling: Int64) -> Bool {
    state.withLock {
      $0.epoch != nil && !$0.isProvisional && $0.timeline.ceiling + Timeline.lead / 2 > ceiling
    }
  }

  /// Returns the values to write into a locked row, so that time may advance up to `ceiling`, or
  /// for a second if the time is taken over.
  func raise(_ row: TimelineRow, to ceiling: Int64?) -> Record {
    let isHolder = holds(row)
    return Record(
      version: row.version,
      ceiling: max(row.ceiling, row.version, ceiling ?? clock.now() + Timeline.lead),
      epoch: isHolder ? row.epoch : row.epoch + 1
    )
  }

  /// That is durable.
  func raised(_ row: TimelineRow, _ record: Record) {
    state.withLock { state in
      if record.epoch != row.epoch {
        state = State(
          timeline: Timeline(landed: row.version, ceiling: row.ceiling),
          epoch: record.epoch
        )
      }
      state.timeline.raiseCeiling(to: record.ceiling)
    }
  }
}
