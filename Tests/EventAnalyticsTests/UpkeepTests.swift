import FirestoreModel
import KeyValueStore
import Synchronization
import Testing

@testable import EventAnalytics

/// What is done in the background, and what comes of a restart.
@Suite struct UpkeepTests {
  private static let project: Text = "shop"
  private static let start: Int64 = 20_500 * EventStream.day

  private static func batch(_ user: String, _ number: Int64, at time: Int64) -> EventBatch {
    EventBatch(instanceID: user, number: number, events: [AnalyticsEvent("tick", time: time)])
  }

  private static func count(
    _ analytics: EventAnalytics,
    from first: Int,
    to last: Int
  ) throws -> Int {
    let range = try DayRange(EventDay(first), EventDay(last))
    return try analytics.events(of: project, range).reduce(0) { $0 + $1.figures.events }
  }

  /// The events that are kept, after counting all days again.
  private static func verified(_ analytics: EventAnalytics) throws -> Int {
    var differences: [String] = []
    let seen = try analytics.verify { differences.append($0) }
    #expect(differences == [])
    return seen.events
  }

  private static func expectRefusal(
    of bytes: Int,
    from address: String,
    by analytics: EventAnalytics
  ) {
    #expect(throws: FirestoreError.self) {
      try analytics.admit(bytes, from: address, to: project)
    }
  }

  @Test func `events outlive a restart, sealed or not, and count once`() async throws {
    let clock = TestClock(Self.start)
    let storage = MemoryStorage()
    var sent: [EventBatch] = []
    for round in 0..<5 {
      let engine = MemoryEngine(storage: storage, clock: clock.clock)
      let analytics = try EventAnalytics(engine: engine, clock: clock.clock)
      for index in 0..<10 {
        let batch = Self.batch("user-\(index % 3)", Int64(round * 10 + index + 1), at: clock.now)
        sent.append(batch)
        let receipt = try await analytics.record(batch, from: .sdk, project: Self.project)
        #expect(receipt == BatchReceipt(accepted: 1))
      }
      for batch in sent {
        let again = try await analytics.record(batch, from: .sdk, project: Self.project)
        #expect(again == BatchReceipt(isRepeated: true))
      }
      if round % 2 == 0 {
        #expect(try Self.count(analytics, from: 20_500, to: 20_500) == sent.count)
      }
      try engine.close()
    }
    let analytics = try EventAnalytics(
      engine: MemoryEngine(storage: storage, clock: clock.clock),
      clock: clock.clock
    )
    #expect(try Self.count(analytics, from: 20_500, to: 20_500) == sent.count)
    #expect(try Self.verified(analytics) == sent.count)
  }

  @Test func `old events go and what was counted of them stays`() async throws {
    let clock = TestClock(Self.start)
    let analytics = try EventAnalytics(engine: MemoryEngine(clock: clock.clock), clock: clock.clock)
    var settings = AnalyticsSettings()
    settings.retentionDays = 10
    try analytics.set(settings, of: Self.project)
    for day in 0..<20 {
      clock.set(Self.start + Int64(day) * EventStream.day)
      let batch = Self.batch("user", Int64(day + 1), at: clock.now)
      _ = try await analytics.record(batch, from: .sdk, project: Self.project)
    }
    #expect(try Self.count(analytics, from: 20_500, to: 20_520) == 20)
    while try analytics.maintain() {}
    #expect(try analytics.daysWithEvents(of: Self.project).map(\.number) == Array(20_509...20_519))
    #expect(try Self.count(analytics, from: 20_500, to: 20_520) == 20)
    #expect(try Self.verified(analytics) == 11)
  }

  /// In how many parts the counts of each day are.
  private static func parts(_ analytics: EventAnalytics) throws -> [Int] {
    try analytics.engine.read { reader in
      let range = KeyRange(prefix: EventKey.numbered(.part, 1))
      let cursor = try reader.cursor(over: range, reversed: false)
      var counts: [UInt32: Int] = [:]
      while try cursor.next() {
        counts[try EventKey.requiredNumber(cursor.key, at: 5), default: 0] += 1
      }
      return counts.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  @Test func `days that are over are in one part`() async throws {
    let clock = TestClock(Self.start)
    let analytics = try EventAnalytics(engine: MemoryEngine(clock: clock.clock), clock: clock.clock)
    for half in 0..<16 {
      clock.set(Self.start + Int64(half) * EventStream.day / 2)
      let batch = Self.batch("user", Int64(half + 1), at: clock.now)
      _ = try await analytics.record(batch, from: .sdk, project: Self.project)
      _ = try Self.count(analytics, from: 20_500, to: 20_508)
    }
    #expect(try Self.parts(analytics) == Array(repeating: 2, count: 8))
    while try analytics.maintain() {}
    #expect(try Self.parts(analytics) == [1, 1, 1, 2, 2, 2, 2, 2])
    clock.set(clock.now + 2 * EventStream.day)
    while try analytics.maintain() {}
    #expect(try Self.parts(analytics) == [1, 1, 1, 1, 1, 2, 2, 2])
    #expect(try Self.count(analytics, from: 20_500, to: 20_508) == 16)
    #expect(try Self.verified(analytics) == 16)
  }

  @Test func `a disk that is nearly full refuses batches and drops the oldest days`() async throws {
    let clock = TestClock(Self.start)
    let room = TestClock(100)
    var configuration = AnalyticsConfiguration()
    configuration.reserveBytes = 50
    configuration.availableBytes = { Int(room.now) }
    let freed = Mutex(0)
    configuration.freeSpace = { _ in freed.withLock { $0 += 1 } }
    let analytics = try EventAnalytics(
      engine: MemoryEngine(clock: clock.clock),
      configuration: configuration,
      clock: clock.clock
    )
    for day in 0..<3 {
      clock.set(Self.start + Int64(day) * EventStream.day)
      let batch = Self.batch("user", Int64(day + 1), at: clock.now)
      _ = try await analytics.record(batch, from: .sdk, project: Self.project)
    }
    _ = try Self.count(analytics, from: 20_500, to: 20_502)
    room.set(10)
    while try analytics.maintain() {}
    Self.expectRefusal(of: 1, from: "1.2.3.4", by: analytics)
    // The disk has its room back some time after a day went, so the next one does not go at once.
    #expect(try analytics.daysWithEvents(of: Self.project).map(\.number) == [20_501, 20_502])
    #expect(freed.withLock { $0 } == 1)
    clock.set(clock.now + EventAnalytics.dropPause)
    while try analytics.maintain() {}
    #expect(try analytics.daysWithEvents(of: Self.project).map(\.number) == [20_502])
    #expect(freed.withLock { $0 } == 2)
    #expect(try Self.count(analytics, from: 20_500, to: 20_502) == 3)
    #expect(try Self.verified(analytics) == 1)
    room.set(100)
    _ = try analytics.maintain()
    try analytics.admit(1, from: "1.2.3.4", to: Self.project)
  }

  @Test func `a segment is sealed when all of its batches have landed`() async throws {
    let clock = TestClock(Self.start)
    let engine = HeldEngine(MemoryEngine(clock: clock.clock))
    let analytics = try EventAnalytics(engine: engine, clock: clock.clock)
    let first = Self.batch("user", 1, at: clock.now)
    let second = Self.batch("user", 2, at: clock.now)
    _ = try await analytics.record(first, from: .sdk, project: Self.project)
    // The second batch and the end of its segment are in one group.
    engine.holdGroup(of: 2)
    async let receipt = analytics.record(second, from: .sdk, project: Self.project)
    engine.awaitAllButLast()
    let report = engine.awaitWrite { _ = try? Self.count(analytics, from: 20_500, to: 20_500) }
    engine.awaitHeld()
    let upkeep = engine.awaitWrite { _ = try? analytics.maintain() }
    engine.release()
    _ = try await receipt
    for thread in [report, upkeep] { thread.join() }
    #expect(try Self.count(analytics, from: 20_500, to: 20_500) == 2)
    #expect(try Self.verified(analytics) == 2)
  }

  @Test func `a flood from one address leaves room for others`() throws {
    let clock = TestClock(Self.start)
    var configuration = AnalyticsConfiguration()
    configuration.limits = IntakeLimits()
    configuration.limits.address = 100
    configuration.limits.project = 1_000
    configuration.limits.burst = 2
    let analytics = try EventAnalytics(
      engine: MemoryEngine(clock: clock.clock),
      configuration: configuration,
      clock: clock.clock
    )
    try analytics.admit(150, from: "1.1.1.1", to: Self.project)
    Self.expectRefusal(of: 100, from: "1.1.1.1", by: analytics)
    try analytics.admit(150, from: "2.2.2.2", to: Self.project)
    clock.set(Self.start + 1_000_000)
    try analytics.admit(100, from: "1.1.1.1", to: Self.project)
  }
}
