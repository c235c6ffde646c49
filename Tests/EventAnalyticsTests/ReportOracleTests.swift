import BaseText
import Foundation
import KeyValueStore
import Testing

@testable import EventAnalytics

/// Every report of random streams gives what counting every event gives.
@Suite struct ReportOracleTests {
  /// A zone whose clocks change within the days of the stream, and when these begin.
  struct Case: Sendable, CustomTestStringConvertible {
    let seed: UInt64
    let zone: String
    let start: String

    var testDescription: String { "seed \(seed) in \(zone)" }
  }

  static let cases = [
    Case(seed: 1, zone: "UTC", start: "2026-10-01"),
    Case(seed: 2, zone: "America/New_York", start: "2026-10-20"),
    Case(seed: 3, zone: "Europe/Berlin", start: "2026-03-20"),
    Case(seed: 4, zone: "Asia/Kathmandu", start: "2026-05-01"),
    Case(seed: 5, zone: "Australia/Lord_Howe", start: "2026-03-28"),
  ]

  private static let project: Text = "shop"

  /// Analytics that were sent a stream, and what they have to say.
  private static func filled(
    _ test: Case
  ) async throws -> (analytics: EventAnalytics, naive: NaiveCount, range: DayRange) {
    let first = try #require(EventDay(test.start))
    let start = Int64(first.number) * EventStream.day
    let clock = TestClock(start)
    var configuration = AnalyticsConfiguration()
    configuration.segmentEvents = 300
    configuration.mergedParts = 5
    configuration.limits.burst = 1 << 20
    let analytics = try EventAnalytics(
      engine: MemoryEngine(clock: clock.clock),
      configuration: configuration,
      clock: clock.clock
    )
    try analytics.set(settings(test.zone), of: project)
    var naive = try NaiveCount(zone: test.zone)
    var stream = EventStream(seed: test.seed, users: 150, start: start, days: 12)
    for sent in stream.batches(700) {
      clock.set(sent.received)
      _ = try await analytics.record(sent.batch, from: .sdk, project: project)
      naive.take(sent)
      if sent.received % 7 == 0 { while try analytics.maintain() {} }
    }
    return (analytics, naive, try DayRange(first.advanced(by: -1), first.advanced(by: 13)))
  }

  private static func settings(_ zone: String) -> AnalyticsSettings {
    var settings = AnalyticsSettings()
    settings.zone = zone
    return settings
  }

  @Test(arguments: cases) func `reports are exact`(test: Case) async throws {
    let (analytics, naive, range) = try await Self.filled(test)
    try Self.checkEvents(analytics, naive, range)
    try Self.checkBreakdowns(analytics, naive, range)
    try Self.checkUsers(analytics, naive, range)
    try Self.checkRetention(analytics, naive, range)
    try Self.checkFunnels(analytics, naive, range)
    try Self.checkTimelines(analytics, naive, range)
    try Self.checkErasing(analytics, naive, range)
  }

  /// Erases users, after which everything is as if these had never been.
  private static func checkErasing(
    _ analytics: EventAnalytics,
    _ naive: NaiveCount,
    _ range: DayRange
  ) throws {
    expectWhole(analytics)
    var left = naive
    left.remove { $0.user == "instance-3" }
    let gone = naive.entries.count - left.entries.count
    #expect(try analytics.erase(.instance("instance-3"), of: project) == gone)
    let users = Set(left.entries.filter { $0.userID == "user-2" }.map(\.user))
    left.remove { users.contains($0.user) }
    #expect(try analytics.erase(.user("user-2"), of: project) > 0)
    expectWhole(analytics)
    try checkBreakdowns(analytics, left, range)
    try checkUsers(analytics, left, range)
    try checkRetention(analytics, left, range)
    try checkFunnels(analytics, left, range)
    let subject = EventSubject.instance("instance-3")
    #expect(try analytics.timeline(of: subject, project: project, range, limit: 10) == [])
    #expect(try analytics.erase(subject, of: project) == 0)
  }

  private static func expectWhole(_ analytics: EventAnalytics) {
    var differences: [String] = []
    #expect(throws: Never.self) {
      let seen = try analytics.verify { differences.append($0) }
      #expect(seen.events > 0)
    }
    #expect(differences == [])
  }

  private static func days(_ range: DayRange) -> ClosedRange<Int> {
    range.first.number...range.last.number
  }

  private static func expect(
    _ rows: [ReportRow],
    _ groups: [String: [NaiveCount.Entry]],
    _ naive: NaiveCount
  ) {
    let rows = rows.filter { $0.figures.events > 0 }
    #expect(Set(rows.map(\.name)) == Set(groups.keys))
    for row in rows {
      let expected = naive.figures(groups[row.name] ?? [])
      let found = row.figures
      #expect(
        (found.events, found.users, found.valueMicros, found.engagementMillis)
          == (expected.events, expected.users, expected.value, expected.engagement),
        "\(row.name)"
      )
    }
  }

  private static func checkEvents(
    _ analytics: EventAnalytics,
    _ naive: NaiveCount,
    _ range: DayRange
  ) throws {
    let middle = range.first.advanced(by: 6)
    for range in [
      range, try DayRange(middle, middle), try DayRange(middle, middle.advanced(by: 2)),
    ] {
      let rows = try analytics.events(of: project, range)
      expect(rows, Dictionary(grouping: naive.within(days(range)), by: \.name), naive)
      let before = range.first.number - range.count...range.first.number - 1
      let earlier = Dictionary(grouping: naive.within(before), by: \.name)
      for row in rows { #expect(row.before.events == earlier[row.name]?.count ?? 0) }
    }
    let later = try DayRange(range.first, range.last.advanced(by: 20))
    let dropped = try analytics.dropped(of: project, later).reduce(0) { $0 + $1.figures.events }
    #expect(dropped == naive.drops && dropped > 0)
  }

  private static func checkBreakdowns(
    _ analytics: EventAnalytics,
    _ naive: NaiveCount,
    _ range: DayRange
  ) throws {
    let all = naive.within(days(range))
    let purchases = all.filter { $0.name == "purchase" }
    for (dimension, path) in [
      (BreakdownDimension.country, \EventContext.country), (.platform, \.platform),
      (.appVersion, \.appVersion), (.model, \.model),
    ] {
      expect(
        try analytics.breakdown(of: project, range, by: dimension, event: nil),
        Dictionary(grouping: all) { $0.context[keyPath: path] },
        naive
      )
      expect(
        try analytics.breakdown(of: project, range, by: dimension, event: "purchase"),
        Dictionary(grouping: purchases) { $0.context[keyPath: path] },
        naive
      )
    }
    let byLevel = try analytics.breakdown(of: project, range, byProperty: "level")
    let levels = Dictionary(grouping: all.filter { $0.properties["level"] != nil }) {
      $0.properties["level"] ?? ""
    }
    #expect(Set(byLevel.map(\.name)) == Set(levels.keys))
    for row in byLevel {
      #expect(row.figures.users == naive.figures(levels[row.name] ?? []).users)
      #expect(row.figures.events == levels[row.name]?.count)
    }
    try checkParameters(
      try analytics.parameters(of: project, range, event: "purchase"),
      purchases,
      naive
    )
  }

  private static func checkParameters(
    _ reports: [ParameterReport],
    _ purchases: [NaiveCount.Entry],
    _ naive: NaiveCount
  ) throws {
    #expect(reports.map(\.name) == ["item_id", "level"])
    for report in reports {
      let groups = Dictionary(grouping: purchases) { entry in
        switch entry.parameters.first(where: { $0.name == report.name })?.value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        default: ""
        }
      }
      expect(report.values, groups, naive)
      if report.name == "level" {
        let sum = groups.reduce(0) { $0 + (Int64($1.key) ?? 0) * Int64($1.value.count) * 1_000_000 }
        #expect(report.sum?.valueMicros == sum)
      }
    }
  }

  private static func checkUsers(
    _ analytics: EventAnalytics,
    _ naive: NaiveCount,
    _ range: DayRange
  ) throws {
    for day in try analytics.users(of: project, range) {
      let number = day.day.number
      #expect(day.all == naive.figures(naive.within(number...number)).users)
      #expect(day.active == naive.active(number...number).count)
      let sessions = naive.sessions(number)
      #expect((day.sessions, day.engagedSessions) == sessions)
      #expect(day.active7 == naive.active(number - 6...number).count)
      #expect(day.active28 == naive.active(number - 27...number).count)
      #expect(day.new == naive.new(number).count)
    }
    let totals = try analytics.userTotals(of: project, range)
    #expect(totals.all == naive.figures(naive.within(days(range))).users)
    #expect(totals.active == naive.active(days(range)).count)
  }

  private static func checkRetention(
    _ analytics: EventAnalytics,
    _ naive: NaiveCount,
    _ range: DayRange
  ) throws {
    for cohort in try analytics.retention(of: project, range, days: 5) {
      let new = naive.new(cohort.day.number)
      #expect(cohort.users == new.count)
      for (later, count) in cohort.returned.enumerated() {
        let day = cohort.day.number + later
        #expect(count == new.intersection(naive.active(day...day)).count)
      }
    }
  }

  private static func checkFunnels(
    _ analytics: EventAnalytics,
    _ naive: NaiveCount,
    _ range: DayRange
  ) throws {
    for steps in [
      ["view_item", "add_to_cart", "purchase"], ["view_item", "view_item"], ["purchase"],
      ["first_open", "purchase", "select_item", "view_item"], ["purchase", "nobody_does"],
    ] {
      for seconds in [2, 3_600, 5 * 86_400] as [Int64] {
        let funnel = try Funnel(steps: steps, windowSeconds: seconds)
        #expect(
          try analytics.funnel(of: project, range, funnel)
            == naive.funnel(steps, window: seconds * 1_000_000, days(range)),
          "\(steps) within \(seconds) s"
        )
      }
    }
  }

  private static func checkTimelines(
    _ analytics: EventAnalytics,
    _ naive: NaiveCount,
    _ range: DayRange
  ) throws {
    for user in [0, 10, 77] {
      let subject = EventSubject.instance("instance-\(user)")
      let found = try analytics.timeline(of: subject, project: project, range, limit: 10_000)
      let expected = naive.entries.filter { $0.user == "instance-\(user)" }
      #expect(found.map(\.event.time) == expected.map(\.time).sorted(by: >))
      #expect(
        found.count { $0.event.name == "purchase" } == expected.count { $0.name == "purchase" }
      )
    }
    let ofUser = try analytics.timeline(of: .user("user-1"), project: project, range, limit: 10_000)
    #expect(ofUser.count == naive.entries.count { $0.userID == "user-1" })
    let instances = naive.entries.filter { $0.userID == "user-1" }.map(\.user)
    #expect(Set(ofUser.map(\.instanceID)) == Set(instances))
  }
}
