import Synchronization

/// Estimates how often memory alone had the data recently, and so if it pays to ask it first.
///
/// A failed attempt in memory is lost work before a thread that may touch the disk starts over. A
/// successful one saves the trip to that thread and back, which costs several times as much. If
/// data is far larger than memory, nearly all attempts fail: then only a few are made, to notice
/// when that changes. Any thread may call; a count that is lost between two of them does no harm.
package final class MemoryOdds: Sendable {
  /// The moving average of successes, in parts of `certain`.
  private let average: Atomic<Int>
  private let skipped = Atomic(0)

  private static let certain = 1 << 16
  /// Below a fifth attempts do not pay.
  private static let worthwhile = certain / 5
  /// The sampling interval: one in this many attempts is made even while attempts do not pay.
  private static let probeInterval = 16
  /// The last so many attempts, about, make the average.
  private static let memory = 64

  /// Odds that begin with an attempt being worthwhile.
  package init() { average = Atomic(Self.certain) }

  /// Returns true if memory should be asked first.
  package func shouldTry() -> Bool {
    if average.load(ordering: .relaxed) >= Self.worthwhile { return true }
    return skipped.add(1, ordering: .relaxed).oldValue % Self.probeInterval == 0
  }

  /// Notes how an attempt went.
  package func note(success: Bool) {
    let before = average.load(ordering: .relaxed)
    let target = success ? Self.certain : 0
    if before != target {
      // Rounded away from the average, so that it reaches either end.
      let step = (target - before) / Self.memory
      average.store(step == 0 ? target : before + step, ordering: .relaxed)
    }
  }
}
