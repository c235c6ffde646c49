/// The times at which one thread's calls are due: evenly spread, however long responses take.
///
/// A free slot takes the earliest one, and its latency counts from then; so a call that waits for a
/// slow server is seen to be late. One that is due for longer than the bound is given up and
/// counted, so that a run ends.
final class Pace {
  /// The time at which the next call is due, on the clock of `monotonicNanoseconds`.
  private(set) var next: Int64
  /// Calls that were given up.
  private(set) var missed = 0
  private let interval: Int64
  private let end: Int64
  private let bound: Int64

  /// Calls from `start` until before `end`.
  ///
  /// - Parameters:
  ///   - interval: Nanoseconds from one call to the next.
  ///   - bound: Nanoseconds for which a call may wait.
  init(start: Int64, interval: Int64, end: Int64, bound: Int64 = 10_000_000_000) {
    next = start
    self.interval = max(1, interval)
    self.end = end
    self.bound = bound
  }

  /// True if all calls were taken or given up.
  var isOver: Bool { next >= end }

  /// Returns the time at which the call that is to begin now was due; nil if there is none.
  func take(_ now: Int64) -> Int64? {
    while next < end, now - next > bound {
      missed += 1
      next += interval
    }
    guard next < end, next <= now else { return nil }
    defer { next += interval }
    return next
  }
}
