import Foundation

/// Which schedules a test runs.
package enum ScheduleSeeds {
  /// Runs schedules one after the other until one is broken; names that one with its error.
  ///
  /// A thread of their own runs them: they take long, and all tests share few.
  package static func firstBroken(
    few: Int,
    slow: Int,
    _ run: @escaping @Sendable (UInt64) throws -> Void
  ) async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        for seed in chosen(few: few, slow: slow) {
          do {
            try run(seed)
          } catch {
            return continuation.resume(returning: "BRASA_SCHEDULE_SEED=\(seed): \(error)")
          }
        }
        continuation.resume(returning: nil)
      }
    }
  }

  /// The seed of `BRASA_SCHEDULE_SEED`, else as many new ones as `BRASA_SCHEDULES` says; without both `few`, and `slow` where
  /// the suite may take long.
  ///
  /// New ones follow each other; the first and the last are printed.
  package static func chosen(few: Int, slow: Int) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["BRASA_SCHEDULE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let usual = environment["BRASA_SLOW_TESTS"] != nil ? slow : few
    let count = environment["BRASA_SCHEDULES"].flatMap { Int($0) } ?? usual
    let first = UInt64.random(in: 0 ... .max - UInt64(count))
    print("Schedules of BRASA_SCHEDULE_SEED=\(first) to \(first + UInt64(count) - 1)")
    return (0..<count).map { first + UInt64($0) }
  }
}
