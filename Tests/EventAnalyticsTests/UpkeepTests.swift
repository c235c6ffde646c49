import BaseStatus
import BaseText
import KeyValueStore
import Synchronization
import Testing

@testable import EventAnalytics

/// Tests of the work in the background, and of its state after a restart.
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

  private static func sender(
    _ network: String,
    app: String = "a",
    installation: String? = nil,
    _ standing: SenderStanding = .proven
  ) -> EventSender {
    EventSender(
      network: network,
      project: project,
      app: app,
      installation: installation,
      standing: standing
    )
  }

  private static func expectRefusal(
    of bytes: Int,
    from sender: EventSender,
    by analytics: EventAnalytics
  ) {
    #expect(throws: ServiceError.self) { try analytics.admit(bytes, from: sender) }
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

  /// Three days of events on a disk whose room a test sets, in units of which 50 are the reserve.
  private static func filled(
    _ clock: TestClock,
    room: TestClock,
    keptDays: Int?,
    freed: @escaping @Sendable () -> Void = {},
    onSpace: @escaping @Sendable (SpaceNotice) -> Void = { _ in }
  ) async throws -> EventAnalytics {
    var configuration = AnalyticsConfiguration()
    configuration.reserveBytes = 50
    configuration.keptDays = keptDays
    configuration.availableBytes = { Int(room.now) }
    configuration.freeSpace = { _ in freed() }
    configuration.onSpace = onSpace
    let analytics = try EventAnalytics(
      engine: MemoryEngine(clock: clock.clock),
      configuration: configuration,
      clock: clock.clock
    )
    for day in 0..<3 {
      clock.set(start + Int64(day) * EventStream.day)
      let batch = batch("user", Int64(day + 1), at: clock.now)
      _ = try await analytics.record(batch, from: .sdk, project: project)
    }
    _ = try count(analytics, from: 20_500, to: 20_502)
    return analytics
  }

  private static func days(_ analytics: EventAnalytics) throws -> [Int] {
    try analytics.daysWithEvents(of: project).map(\.number)
  }

  @Test func `a full disk refuses batches and drops nothing that nobody let go`() async throws {
    let (clock, room) = (TestClock(Self.start), TestClock(1_000))
    let notices = Mutex<[SpaceNotice]>([])
    let analytics = try await Self.filled(
      clock,
      room: room,
      keptDays: nil,
      onSpace: { notice in notices.withLock { $0.append(notice) } }
    )
    room.set(99)
    while try analytics.maintain() {}
    try analytics.admit(1, from: Self.sender("1.1.1.1"))
    Self.expectRefusal(of: 1, from: Self.sender("1.1.1.1", .unproven), by: analytics)
    room.set(10)
    for _ in 0..<3 {
      while try analytics.maintain() {}
      Self.expectRefusal(of: 1, from: Self.sender("1.1.1.1"), by: analytics)
      clock.set(clock.now + EventAnalytics.dropPause)
    }
    #expect(try Self.days(analytics) == [20_500, 20_501, 20_502])
    #expect(try Self.verified(analytics) == 3)
    room.set(1_000)
    _ = try analytics.maintain()
    try analytics.admit(1, from: Self.sender("1.1.1.1", .unproven))
    #expect(
      notices.withLock { $0 }
        == [
          .low(available: 99, next: nil), .short(available: 10, next: nil),
          .room(available: 1_000),
        ]
    )
    let metrics = Dictionary(uniqueKeysWithValues: analytics.metrics.map { ($0.name, $0.value) })
    #expect(metrics["analytics_batches_refused_total"] == 4)
    #expect(metrics["analytics_batches_unproven_refused_total"] == 1)
    #expect(metrics["analytics_days_dropped_total"] == 0)
  }

  @Test func `a full disk drops old days where the operator says so, after a warning`()
    async throws
  {
    let (clock, room) = (TestClock(Self.start), TestClock(1_000))
    let notices = Mutex<[SpaceNotice]>([])
    let freed = Mutex(0)
    let analytics = try await Self.filled(clock, room: room, keptDays: 1) {
      freed.withLock { $0 += 1 }
    } onSpace: { notice in
      notices.withLock { $0.append(notice) }
    }
    let first = SpaceNotice.Day(project: Self.project, day: EventDay(20_500))
    room.set(60)
    while try analytics.maintain() {}
    #expect(try Self.days(analytics) == [20_500, 20_501, 20_502])
    #expect(notices.withLock { $0 } == [.low(available: 60, next: first)])
    room.set(10)
    while try analytics.maintain() {}
    Self.expectRefusal(of: 1, from: Self.sender("1.2.3.4"), by: analytics)
    #expect(
      notices.withLock { $0.dropFirst() } == [.short(available: 10, next: first), .dropped(first)]
    )
    // The disk has its room back some time after a day went, so the next one does not go at once.
    #expect(try Self.days(analytics) == [20_501, 20_502])
    #expect(freed.withLock { $0 } == 1)
    clock.set(clock.now + EventAnalytics.dropPause)
    while try analytics.maintain() {}
    clock.set(clock.now + EventAnalytics.dropPause)
    while try analytics.maintain() {}
    // Today's events stay.
    #expect(try Self.days(analytics) == [20_502])
    #expect(freed.withLock { $0 } == 2)
    #expect(try Self.count(analytics, from: 20_500, to: 20_502) == 3)
    #expect(try Self.verified(analytics) == 1)
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
    try analytics.admit(150, from: Self.sender("1.1.1.1"))
    Self.expectRefusal(of: 100, from: Self.sender("1.1.1.1"), by: analytics)
    try analytics.admit(150, from: Self.sender("2.2.2.2"))
    clock.set(Self.start + 1_000_000)
    try analytics.admit(100, from: Self.sender("1.1.1.1"))
  }

  /// An intake with shares by the day, in bytes.
  private func intake(_ clock: TestClock) throws -> EventAnalytics {
    var configuration = AnalyticsConfiguration()
    configuration.limits.installationDay = 100
    configuration.limits.appDay = 1_600
    configuration.limits.setUnproven(inProject: 300)
    configuration.limits.unprovenNetworkDay = 120
    return try EventAnalytics(
      engine: MemoryEngine(clock: clock.clock),
      configuration: configuration,
      clock: clock.clock
    )
  }

  @Test func `senders that prove nothing share little, and take nothing of others`() throws {
    let clock = TestClock(Self.start)
    let analytics = try intake(clock)
    func network(_ number: Int) -> EventSender {
      Self.sender("1.1.1.\(number)", app: "invented-\(number)", .unproven)
    }
    try analytics.admit(120, from: network(1))
    Self.expectRefusal(of: 10, from: network(1), by: analytics)
    for number in [2, 3] { try analytics.admit(number == 3 ? 60 : 120, from: network(number)) }
    // The project's share is used up, whatever network asks.
    Self.expectRefusal(of: 10, from: network(4), by: analytics)
    try analytics.admit(100, from: Self.sender("1.1.1.1", installation: "c1"))
    clock.set(Self.start + EventStream.day / 2)
    try analytics.admit(60, from: network(1))
  }

  @Test func `an installation and a network have their part of an app's day`() throws {
    let clock = TestClock(Self.start)
    let analytics = try intake(clock)
    func send(_ bytes: Int, _ installation: String, network: String) throws {
      try analytics.admit(bytes, from: Self.sender(network, installation: installation))
    }
    try send(100, "c1", network: "1.1.1.1")
    #expect(throws: ServiceError.self) { try send(10, "c1", network: "2.2.2.2") }
    // One network makes as many installations as it likes and gets half.
    for number in 2...8 { try send(100, "c\(number)", network: "1.1.1.1") }
    #expect(throws: ServiceError.self) { try send(100, "c9", network: "1.1.1.1") }
    for number in 0..<8 { try send(100, "d\(number)", network: "2.2.2.\(number)") }
    // Another app has its own.
    try analytics.admit(100, from: Self.sender("1.1.1.1", app: "b", installation: "e"))
  }

  @Test func `strangers push nobody out of the views in memory`() async throws {
    let clock = TestClock(Self.start)
    let analytics = try EventAnalytics(engine: MemoryEngine(clock: clock.clock), clock: clock.clock)
    func send(
      _ user: String,
      _ name: String,
      isDebug: Bool,
      _ standing: SenderStanding
    ) async throws {
      var batch = EventBatch(instanceID: user, events: [AnalyticsEvent(name, time: clock.now)])
      (batch.isDebug, batch.standing) = (isDebug, standing)
      _ = try await analytics.record(batch, from: .sdk, project: Self.project)
    }
    try await send("mine", "tick", isDebug: true, .proven)
    for number in 0..<600 {
      clock.set(clock.now + 1)
      try await send("u\(number)", "tick", isDebug: true, .unproven)
      try await send("u\(number)", "junk\(number)", isDebug: false, .unproven)
    }
    try await send("mine", "tock", isDebug: false, .proven)
    #expect(analytics.debugDevices(of: Self.project).map(\.instanceID).contains("mine"))
    let live = analytics.liveMinutes(of: Self.project)
    #expect(live.minutes.map { $0.events["tock"] } == [1])
    #expect(live.minutes.map { $0.events.values.reduce(0, +) } == [601])
    // Of strangers' names and users, 500 are held.
    #expect(live.minutes.map(\.events.count) == [252] && live.users == 251)
  }
}
