import FirestoreSync
import ScheduleTestSupport
import Testing

/// Clients, a server and a network that does what it likes.
struct RandomScheduleTests {
  @Test func `random schedules keep every promise`() async {
    let broken = await ScheduleSeeds.firstBroken(few: 100, slow: 10_000, Self.run)
    #expect(broken == nil)
  }

  private static func run(_ seed: UInt64) throws {
    try RandomSchedule(seed: seed, open: inMemory).run()
  }

  private static func inMemory(_: Int, _: CollectionPolicy) -> ScheduleClient.OpenStore {
    let store = MemoryLocalStore()
    return { store }
  }
}
