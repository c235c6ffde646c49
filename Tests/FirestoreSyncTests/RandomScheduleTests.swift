import Foundation
import FirestoreSync
import ScheduleTestSupport
import Testing

/// Clients, a server and a network that does what it likes.
struct RandomScheduleTests {
  /// The seeds of `BRASA_SCHEDULE_SEED`, else as many new ones as `BRASA_SCHEDULES` says: 10,000 where the suite may
  /// take long.
  private static var seeds: [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["BRASA_SCHEDULE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let isSlow = environment["BRASA_SLOW_TESTS"] != nil
    let count = environment["BRASA_SCHEDULES"].flatMap { Int($0) } ?? (isSlow ? 10_000 : 100)
    return (0..<count).map { _ in UInt64.random(in: 0 ... .max) }
  }

  @Test func `random schedules keep every promise`() throws {
    for seed in Self.seeds {
      do {
        try RandomSchedule(seed: seed, open: Self.inMemory).run()
      } catch {
        Issue.record("BRASA_SCHEDULE_SEED=\(seed): \(error)")
        return
      }
    }
  }

  private static func inMemory(_: Int, _: CollectionPolicy) -> ScheduleClient.OpenStore {
    let store = MemoryLocalStore()
    return { store }
  }
}
