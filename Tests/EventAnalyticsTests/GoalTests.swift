import BaseText
import KeyValueStore
import Testing

@testable import EventAnalytics

/// Tests of the figures for the members of groups, against a count of every event.
@Suite struct GoalTests {
  private static let project: Text = "shop"
  private static let start: Int64 = 20_500 * EventStream.day
  private static let days = 12
  private static let users = 60

  /// Every fifth user is in no group, every third of the others joins at a time that nobody knows.
  private static let members = (0..<users + 5).filter { $0 % 5 != 4 }.map { user in
    GoalMember(
      instanceID: "instance-\(user)",
      group: user % 3,
      since: user % 7 == 0
        ? nil : start + Int64(user % days) * EventStream.day + Int64(user) * 1_000
    )
  }

  private static func naive(
    _ count: NaiveCount,
    _ event: String,
    _ measure: GoalMeasure
  ) -> [GoalTally] {
    var tallies = Array(repeating: GoalTally(), count: 3)
    for member in members {
      let first = member.since.map(count.day) ?? .min
      let entries = count.entries.filter { $0.user == member.instanceID && $0.day >= first }
      guard !entries.isEmpty else { continue }
      tallies[member.group].seen += 1
      let reaching = entries.filter { $0.name == event }
      guard !reaching.isEmpty else { continue }
      tallies[member.group].reached += 1
      let amount: Double =
        switch measure {
        case .users: 1
        case .events: Double(reaching.count)
        case .value: reaching.reduce(0) { $0 + Double($1.valueMicros) / 1_000_000 }
        }
      tallies[member.group].sum += amount
      tallies[member.group].sumOfSquares += amount * amount
    }
    return tallies
  }

  private static func measured(
    _ analytics: EventAnalytics,
    _ event: String,
    _ measure: GoalMeasure
  ) throws -> [GoalTally] {
    var rest = members[...]
    return try analytics.goals(of: project, event: event, measure, groups: 3) {
      defer { rest = rest.dropFirst(7) }
      return rest.isEmpty ? nil : Array(rest.prefix(7))
    }
  }

  private static func isNear(_ left: [GoalTally], _ right: [GoalTally]) -> Bool {
    zip(left, right).allSatisfy { a, b in
      a.seen == b.seen && a.reached == b.reached && abs(a.sum - b.sum) < 1e-6
        && abs(a.sumOfSquares - b.sumOfSquares) < 1e-6 * max(1, b.sumOfSquares)
    }
  }

  @Test(arguments: ["UTC", "America/Sao_Paulo", "Asia/Kathmandu"])
  func `groups come to what their members' events come to`(zone: String) async throws {
    let clock = TestClock(Self.start)
    let analytics = try EventAnalytics(engine: MemoryEngine(clock: clock.clock), clock: clock.clock)
    var settings = AnalyticsSettings()
    settings.zone = zone
    try analytics.set(settings, of: Self.project)
    var naive = try NaiveCount(zone: zone)
    var stream = EventStream(seed: 16, users: Self.users, start: Self.start, days: Self.days)
    for sent in stream.batches(600) {
      clock.set(sent.received)
      naive.take(sent)
      _ = try await analytics.record(sent.batch, from: .sdk, project: Self.project)
    }
    for event in ["purchase", "view_item", "nothing"] {
      for measure in [GoalMeasure.users, .events, .value] {
        let found = try Self.measured(analytics, event, measure)
        #expect(Self.isNear(found, Self.naive(naive, event, measure)), "\(event), \(measure)")
      }
    }
    #expect(try Self.measured(analytics, "purchase", .users).allSatisfy { $0.reached > 0 })
  }

  @Test func `a project without events has members all the same`() throws {
    let analytics = try EventAnalytics(engine: MemoryEngine())
    var calls = 0
    let tallies = try analytics.goals(of: Self.project, event: "a", .users, groups: 2) {
      calls += 1
      return calls > 3 ? nil : Self.members
    }
    #expect(tallies == [GoalTally(), GoalTally()])
    #expect(calls == 4)
  }
}
