import FirestoreSync
import ScheduleTestSupport
import Testing

/// Clients, a server and a network that does what it likes.
struct RandomScheduleTests {
  @Test func `random schedules keep every promise`() throws {
    for seed in ScheduleSeeds.chosen(few: 100, slow: 10_000) {
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
