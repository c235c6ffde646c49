import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The wall clock as the process believes it.
///
/// The system's clock may be set to any time while the server runs. A wrong time a year ahead would
/// be written into every commit, and would expire registrations, tokens and reports. So a clock
/// that *holds* compares the system's clock with the time since boot: a difference that grew by
/// more than five minutes since the last reading is a *step*. During a jump the clock continues
/// from the last believed time, at the pace of the time since boot, until the jump is accepted or
/// the system's clock is back. Smaller corrections are followed.
///
/// Any thread may call. A reading takes two calls of the system, without a lock.
package final class WallClock: Sendable {
  /// The clock that all parts of this process share.
  ///
  /// It follows the system until it is asked to hold.
  package static let process = WallClock(wall: systemTime, sinceBoot: timeSinceBoot)

  /// The greatest correction that is followed, in microseconds.
  package static let tolerance: Int64 = 5 * 60 * 1_000_000
  /// Corrections below this, in microseconds, are not noted: the two clocks are never read at one instant.
  private static let jitter: Int64 = 1_000

  private let wall: @Sendable () -> Int64
  private let sinceBoot: @Sendable () -> Int64
  /// The believed time minus the time since boot.
  private let offset: Atomic<Int64>
  private let holds = Atomic(false)
  private let heldStep = Atomic<Int64>(0)

  /// A clock over two readings in microseconds: the time since 1970, and the time since some moment, which never steps.
  package init(
    wall: @escaping @Sendable () -> Int64,
    sinceBoot: @escaping @Sendable () -> Int64
  ) {
    self.wall = wall
    self.sinceBoot = sinceBoot
    offset = Atomic(wall() - sinceBoot())
  }

  /// The believed time in microseconds since 1970.
  package func now() -> Int64 {
    let sinceBoot = sinceBoot()
    let wall = wall()
    let believed = offset.load(ordering: .relaxed)
    let difference = wall - sinceBoot - believed
    guard holds.load(ordering: .relaxed), abs(difference) > Self.tolerance else {
      if abs(difference) > Self.jitter { offset.store(wall - sinceBoot, ordering: .relaxed) }
      if heldStep.load(ordering: .relaxed) != 0 { heldStep.store(0, ordering: .relaxed) }
      return wall
    }
    heldStep.store(difference, ordering: .relaxed)
    return sinceBoot + believed
  }

  /// The step that is held back, in microseconds: how far the system's clock is ahead of the believed time; 0 where
  /// there is none.
  package var step: Int64 {
    _ = now()
    return heldStep.load(ordering: .relaxed)
  }

  /// Begins to hold steps back.
  ///
  /// - Parameter offset: The value of `currentOffset` before a restart of the process under the
  ///   same boot, so that a jump since then is held back, too.
  package func hold(from offset: Int64? = nil) {
    if let offset { self.offset.store(offset, ordering: .relaxed) }
    holds.store(true, ordering: .relaxed)
  }

  /// True when steps are held back.
  package var isHolding: Bool { holds.load(ordering: .relaxed) }

  /// The believed time minus the time since boot, in microseconds, which a process remembers for the next.
  package var currentOffset: Int64 {
    _ = now()
    return offset.load(ordering: .relaxed)
  }

  /// Accepts the system's clock after any jump.
  package func accept() {
    offset.store(wall() - sinceBoot(), ordering: .relaxed)
    heldStep.store(0, ordering: .relaxed)
  }

  /// The believed time as engines and services take it.
  package var clock: MicrosecondClock { MicrosecondClock { self.now() } }
}

// The system's clocks.
extension WallClock {
  private static let systemTime: @Sendable () -> Int64 = { microseconds(CLOCK_REALTIME) }

  /// The microseconds since the machine's boot, with the time for which it was asleep.
  package static let timeSinceBoot: @Sendable () -> Int64 = {
    #if os(Linux)
    microseconds(CLOCK_BOOTTIME)
    #else
    microseconds(CLOCK_MONOTONIC)
    #endif
  }

  private static func microseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
