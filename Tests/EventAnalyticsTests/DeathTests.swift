import BaseText
import Foundation
import KeyValueStore
import Testing

@testable import EventAnalytics

/// A process that dies before any of its writes loses nothing that it acknowledged, and counts nothing twice.
@Suite struct DeathTests {
  private static let project: Text = "shop"
  private static let start: Int64 = 20_500 * EventStream.day
  private static let erased = "instance-1"
  /// Every write in the slow run, else a few of them.
  private static let step =
    ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] != nil ? 1 : 41

  private static let stream: [EventStream.Sent] = {
    var stream = EventStream(seed: 16, users: 9, start: start, days: 3)
    // Without an installation a batch has no number, by which a second one would be known.
    return stream.batches(60).filter { $0.batch.instanceID != nil }
  }()

  private static func open(
    _ engine: any KeyValueEngine,
    _ clock: TestClock
  ) throws -> EventAnalytics {
    var configuration = AnalyticsConfiguration()
    configuration.segmentEvents = 30
    configuration.mergedParts = 2
    return try EventAnalytics(engine: engine, configuration: configuration, clock: clock.clock)
  }

  private static func send(_ analytics: EventAnalytics, _ clock: TestClock) async throws {
    for sent in stream {
      clock.set(sent.received)
      _ = try await analytics.record(sent.batch, from: .sdk, project: project)
      while try analytics.maintain() {}
    }
  }

  /// Sends everything and erases somebody; answers whether it lived to the end.
  private static func live(_ storage: MemoryStorage, writes: Int) async throws -> Bool {
    let clock = TestClock(start)
    let engine = MortalEngine(MemoryEngine(storage: storage, clock: clock.clock), writes: writes)
    defer { try? engine.close() }
    do {
      let analytics = try open(engine, clock)
      try await send(analytics, clock)
      _ = try analytics.erase(.instance(erased), of: project)
      return true
    } catch {
      guard engine.isDead else { throw error }
      return false
    }
  }

  /// Returns the counts after clients without a response sent everything again.
  private static func counted(
    _ storage: MemoryStorage
  ) async throws -> (events: [String: [Int]], sessions: [[Int]], differences: [String]) {
    let clock = TestClock(start)
    let engine = MemoryEngine(storage: storage, clock: clock.clock)
    defer { try? engine.close() }
    let analytics = try open(engine, clock)
    try await send(analytics, clock)
    _ = try analytics.erase(.instance(erased), of: project)
    let range = try DayRange(EventDay(20_499), EventDay(20_506))
    var differences: [String] = []
    _ = try analytics.verify { differences.append($0) }
    return (
      Dictionary(
        uniqueKeysWithValues: try analytics.events(of: project, range)
          .filter { $0.figures.events > 0 }
          .map { ($0.name, [$0.figures.events, $0.figures.users]) }
      ),
      try analytics.users(of: project, range).map { [$0.active, $0.sessions, $0.engagedSessions] },
      differences
    )
  }

  private static func expected() throws -> (events: [String: [Int]], sessions: [[Int]]) {
    var naive = try NaiveCount(zone: "UTC")
    for sent in stream { naive.take(sent) }
    naive.remove { $0.user == erased }
    let events = Dictionary(grouping: naive.entries, by: \.name)
      .mapValues { [$0.count, Set($0.compactMap(\.user)).count] }
    let days = (20_499...20_506).map { day in
      [naive.active(day...day).count, naive.sessions(day).all, naive.sessions(day).engaged]
    }
    return (events, days)
  }

  @Test func `nothing is lost or counted twice, whatever write is the last`() async throws {
    let expected = try Self.expected()
    var (deaths, isOver) = (0, false)
    for writes in stride(from: 0, to: 1_000, by: Self.step) {
      let storage = MemoryStorage()
      let isWhole = try await Self.live(storage, writes: writes)
      let found = try await Self.counted(storage)
      #expect(found.events == expected.events, "died before write \(writes)")
      #expect(found.sessions == expected.sessions, "died before write \(writes)")
      #expect(found.differences == [], "died before write \(writes)")
      isOver = isWhole
      if isWhole { break }
      deaths += 1
      // Others want the thread, too.
      await Task.yield()
    }
    #expect(isOver && deaths * Self.step > 120)
  }
}
