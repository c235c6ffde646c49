import BaseRuntime
import KeyValueStore
import Synchronization

/// Versions and read times of an open database.
///
/// It puts the timeline together with the clock and the writing of ceilings. Any thread may call.
final class EngineTime: Sendable {
  private let timeline: Mutex<Timeline>
  private let clock: MicrosecondClock
  private let persistCeiling: @Sendable (Int64) throws -> Void
  private let ceilingWriter = Mutex(())

  /// `persistCeiling` returns when the ceiling is durable.
  init(
    _ timeline: Timeline,
    clock: MicrosecondClock,
    persistCeiling: @escaping @Sendable (Int64) throws -> Void
  ) {
    self.timeline = Mutex(timeline)
    self.clock = clock
    self.persistCeiling = persistCeiling
  }

  /// Returns the state to note just before a view is opened.
  func opening() -> Opening {
    timeline.withLock { Opening(floor: $0.floor, quietMoment: $0.quietMoment) }
  }

  /// The version that a view holds, where the groups that came since leave no doubt.
  func held(since opening: Opening) -> Int64? {
    timeline.withLock { $0.held(since: opening.quietMoment) }
  }

  /// The clock's time, which may go back.
  func now() -> Int64 { clock.now() }

  func allocateVersion() -> Int64 {
    let now = clock.now()
    return timeline.withLock { $0.allocateVersion(now: now) }
  }

  func groupRecord() -> (version: Int64, ceiling: Int64)? {
    timeline.withLock { $0.groupRecord }
  }

  func groupLanded(ceiling: Int64?) {
    timeline.withLock { $0.groupLanded(ceiling: ceiling) }
  }

  func groupAbandoned() {
    timeline.withLock { $0.groupAbandoned() }
  }

  /// Returns true if a timeline read from the disk agrees with what this one knows to be durable;
  /// if so it goes on without the group whose write failed, which the disk does not hold.
  func resume(at recovered: Timeline) -> Bool {
    timeline.withLock { $0.resume(at: recovered) }
  }

  /// The read time of a view, after making a ceiling durable if need be.
  func readTime(floor: Int64, held: Int64) throws -> Int64 {
    // The clock is read once: on a slow disk it would outrun every ceiling.
    let now = clock.now()
    while true {
      switch decide(floor: floor, held: held, now: now) {
      case .time(let time): return time
      case .needsCeiling(let ceiling):
        do {
          try raiseCeiling(to: ceiling)
        } catch let error as KeyValueError where Self.isRefusedWrite(error) {
          return timeline.withLock { $0.readTimeBelowCeiling(floor: floor, held: held) }
        }
      }
    }
  }

  /// True for an engine that takes no writes, which is no reason not to read.
  private static func isRefusedWrite(_ error: KeyValueError) -> Bool {
    [.stopped, .diskFull, .outcomeUnknown].contains(error.code)
  }

  /// The read time of a view, or nil when a ceiling must be made durable first.
  func readTimeInMemory(floor: Int64, held: Int64) -> Int64? {
    guard case .time(let time) = decide(floor: floor, held: held, now: clock.now()) else {
      return nil
    }
    return time
  }

  /// The timeline's state just before a view was opened.
  struct Opening: Sendable {
    let floor: Int64
    let quietMoment: UInt64?
  }

  private func decide(floor: Int64, held: Int64, now: Int64) -> Timeline.ReadTime {
    timeline.withLock { $0.readTime(floor: floor, held: held, now: now) }
  }

  private func raiseCeiling(to ceiling: Int64) throws {
    try ceilingWriter.withLock { _ in
      // An earlier holder of the lock may have raised it for all waiting ones.
      let isRaised = timeline.withLock { $0.ceiling + Timeline.lead / 2 > ceiling }
      guard !isRaised else { return }
      try persistCeiling(ceiling)
      timeline.withLock { $0.raiseCeiling(to: ceiling) }
    }
  }
}
