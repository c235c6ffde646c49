import BaseJSON
import BaseStatus
import BaseText
import KeyValueStore
import Synchronization
import Testing

@testable import EventAnalytics

/// Tests of the decisions made while segments are sealed: sessions, names, audiences.
@Suite struct SealTests {
  private static let project: Text = "shop"
  private static let day = 20_500
  private static let start = Int64(day) * EventStream.day
  private let clock = TestClock(Self.start + EventStream.hour)
  private let storage = MemoryStorage()

  private func open(
    _ change: (inout AnalyticsConfiguration) -> Void = { _ in }
  ) throws
    -> EventAnalytics
  {
    var configuration = AnalyticsConfiguration()
    change(&configuration)
    return try EventAnalytics(
      engine: MemoryEngine(storage: storage, clock: clock.clock),
      configuration: configuration,
      clock: clock.clock
    )
  }

  private static func event(
    _ name: String,
    at time: Int64,
    _ session: Int64,
    isEngaged: Bool = false
  )
    -> AnalyticsEvent
  {
    var event = AnalyticsEvent(name, time: time)
    event.parameters = [EventParameter("ga_session_id", .integer(session))]
    if isEngaged { event.parameters.append(EventParameter("session_engaged", .integer(1))) }
    return event
  }

  private func send(
    _ events: [AnalyticsEvent],
    from user: String?,
    app: String = "1:42:ios:ab",
    _ standing: SenderStanding = .proven,
    network: UInt64? = nil,
    to analytics: EventAnalytics
  ) async throws {
    var batch = EventBatch(instanceID: user, events: events)
    batch.context.appID = app
    (batch.standing, batch.networkMark) = (standing, network)
    _ = try await analytics.record(batch, from: .sdk, project: Self.project)
  }

  private static func sessions(_ analytics: EventAnalytics) throws -> [Int] {
    let range = try DayRange(EventDay(day), EventDay(day))
    let report = try analytics.users(of: project, range)[0]
    return [report.sessions, report.engagedSessions]
  }

  private static func differences(_ analytics: EventAnalytics) throws -> [String] {
    var differences: [String] = []
    _ = try analytics.verify { differences.append($0) }
    return differences
  }

  @Test func `a session counts once over segments and restarts, engaged from when it is`()
    async throws
  {
    let first = try open()
    try await send([Self.event("a", at: clock.now, 1)], from: "u1", to: first)
    #expect(try Self.sessions(first) == [1, 0])
    try await send([Self.event("b", at: clock.now, 1)], from: "u1", to: first)
    try await send([Self.event("a", at: clock.now, 1)], from: "u2", to: first)
    #expect(try Self.sessions(first) == [2, 0])
    let engaged = Self.event("c", at: clock.now, 1, isEngaged: true)
    try await send([engaged], from: "u1", to: first)
    #expect(try Self.sessions(first) == [2, 1])
    try first.engine.close()
    let second = try open()
    try await send([engaged, Self.event("a", at: clock.now, 2)], from: "u1", to: second)
    try await send([Self.event("a", at: clock.now, 9)], from: nil, to: second)
    #expect(try Self.sessions(second) == [3, 1])
    while try second.maintain() {}
    #expect(try Self.differences(second) == [])
    #expect(try second.erase(.instance("u1"), of: Self.project) == 5)
    #expect(try Self.sessions(second) == [1, 0])
    #expect(try Self.differences(second) == [])
    try await send([engaged], from: "u1", to: second)
    #expect(try Self.sessions(second) == [2, 1])
  }

  @Test func `days that were sealed without sessions get them from their events`() async throws {
    let first = try open()
    for (user, session) in [("u1", 1), ("u1", 2), ("u2", 1)] {
      try await send([Self.event("a", at: clock.now, Int64(session))], from: user, to: first)
    }
    try await send([Self.event("b", at: clock.now, 2, isEngaged: true)], from: "u1", to: first)
    #expect(try Self.sessions(first) == [3, 1])
    try Self.forgetSessions(first)
    try first.engine.close()
    let second = try open()
    #expect(try Self.differences(second) == [])
    // A segment of today counts what it has alone, until the whole day is counted.
    try await send([Self.event("c", at: clock.now, 2)], from: "u1", to: second)
    _ = try second.events(of: Self.project, try DayRange(EventDay(Self.day), EventDay(Self.day)))
    #expect(try Self.differences(second) == [])
    while try second.maintain() {}
    #expect(try Self.differences(second) == [])
    #expect(try Self.sessions(second) == [3, 1])
    try Self.forgetSessions(second)
    try second.engine.close()
    let third = try open()
    // A report does not wait for the maintenance.
    #expect(try Self.sessions(third) == [3, 1])
    try await send([Self.event("c", at: clock.now, 2)], from: "u1", to: third)
    try await send([Self.event("c", at: clock.now, 3)], from: "u1", to: third)
    #expect(try Self.sessions(third) == [4, 1])
    #expect(try Self.differences(third) == [])
    try third.engine.close()
    let fourth = try open()
    #expect(try Self.sessions(fourth) == [4, 1])
  }

  /// Leaves the project as it was written before sessions were counted: no tallies, no records, no word of them in
  /// the project's record.
  private static func forgetSessions(_ analytics: EventAnalytics) throws {
    try analytics.engine.write { group in
      let prefixes = [
        EventKey.numbered(.session, 1), Facet.prefix(1, EventDay(day), .sessions),
      ]
      for prefix in prefixes {
        var keys: [[UInt8]] = []
        let cursor = try group.cursor(over: KeyRange(prefix: prefix), reversed: false)
        while try cursor.next() { keys.append(Array(cursor.key)) }
        for key in keys { try group.delete(key) }
      }
      var record = RecordWriter()
      record.put(1, 1)
      record.put(2, "UTC")
      record.put(3, 425)
      record.put(4, Int64(Int32.min))
      try group.put(EventKey.project(project), record.bytes)
    }
  }

  private static func purchase(_ transaction: String, at time: Int64) -> AnalyticsEvent {
    let parameters = [
      EventParameter("transaction_id", .string(transaction)), EventParameter("value", .double(2.5)),
    ]
    return AnalyticsEvent("purchase", time: time, parameters: parameters)
  }

  private static func purchases(_ analytics: EventAnalytics) throws -> [Int] {
    let range = try DayRange(EventDay(day), EventDay(day).advanced(by: 40))
    let counted = try analytics.events(of: project, range).first { $0.name == "purchase" }
    let dropped = try analytics.dropped(of: project, range).first { $0.name == "NAME_DUPLICATED" }
    return [counted?.figures.events ?? 0, dropped?.figures.events ?? 0]
  }

  @Test func `a purchase counts once by its transaction, for a month`() async throws {
    let analytics = try open()
    let first = Self.purchase("T1", at: clock.now)
    try await send([first, first, Self.purchase("T2", at: clock.now)], from: "u1", to: analytics)
    #expect(try Self.purchases(analytics) == [2, 1])
    try await send([first], from: "u1", to: analytics)
    #expect(try Self.purchases(analytics) == [2, 2])
    // Another user's, nobody's, and those without an id are purchases of their own.
    try await send([first], from: "u2", to: analytics)
    try await send([first], from: nil, to: analytics)
    let unnamed = AnalyticsEvent("purchase", time: clock.now)
    try await send([unnamed, unnamed, Self.purchase("", at: clock.now)], from: "u1", to: analytics)
    #expect(try Self.purchases(analytics) == [7, 2])
    #expect(try Self.differences(analytics) == [])
    clock.set(clock.now + 32 * EventStream.day)
    while try analytics.maintain() {}
    try await send([Self.purchase("T1", at: clock.now)], from: "u1", to: analytics)
    #expect(try Self.purchases(analytics) == [8, 2])
    #expect(try analytics.erase(.instance("u1"), of: Self.project) == 6)
    try await send([Self.purchase("T1", at: clock.now)], from: "u1", to: analytics)
    #expect(try Self.purchases(analytics) == [3, 2])
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `what others keep of an installation is erased before its events are`() async throws {
    let analytics = try open()
    for instance in ["u1", "u2", "u3"] {
      var batch = EventBatch(
        instanceID: instance,
        events: [AnalyticsEvent("a", time: clock.now)]
      )
      batch.userID = instance == "u3" ? "bia" : "ana"
      _ = try await analytics.record(batch, from: .sdk, project: Self.project)
    }
    let asked = Mutex<[String]>([])
    let fails = Mutex(true)
    analytics.onErasure { installation, project in
      asked.withLock { $0.append("\(project.string) \(installation)") }
      if fails.withLock({ $0 }) { throw ServiceError(.unavailable, "Not now.") }
    }
    #expect(throws: ServiceError.self) {
      try analytics.erase(.user("ana"), of: Self.project)
    }
    fails.withLock { $0 = false }
    asked.withLock { $0 = [] }
    // Nothing is forgotten yet, so that erasing again finds all.
    #expect(try analytics.erase(.user("ana"), of: Self.project) == 2)
    #expect(try analytics.erase(.user("ana"), of: Self.project) == 0)
    #expect(try analytics.erase(.instance("unknown"), of: "other") == 0)
    let project = Self.project.string
    #expect(asked.withLock { $0.sorted() } == ["other unknown", "\(project) u1", "\(project) u2"])
  }

  @Test func `an app has so many names a day, and those of SDKs are free`() async throws {
    let analytics = try open { $0.namesPerDay = 3 }
    for name in ["a", "b", "session_start", "c", "d", "a"] {
      try await send([AnalyticsEvent(name, time: clock.now)], from: "u1", to: analytics)
      if name == "b" { _ = try Self.sessions(analytics) }
    }
    try await send([AnalyticsEvent("d", time: clock.now)], from: "u1", app: "x", to: analytics)
    try await send(
      [AnalyticsEvent("d", time: clock.now - 2 * EventStream.hour)],
      from: "u1",
      to: analytics
    )
    let range = try DayRange(EventDay(Self.day - 1), EventDay(Self.day))
    let events = try analytics.events(of: Self.project, range)
    #expect(
      Dictionary(uniqueKeysWithValues: events.map { ($0.name, $0.figures.events) })
        == ["a": 2, "b": 1, "session_start": 1, "c": 1, "d": 2]
    )
    let dropped = try analytics.dropped(of: Self.project, range)
    #expect(dropped.map(\.name) == ["EXCEEDED_MAX_ENTITIES"])
    #expect(dropped.map(\.figures.events) == [1])
    #expect(try Self.differences(analytics) == [])
  }

  private func names(_ analytics: EventAnalytics, on day: Int = Self.day) throws -> [String: Int] {
    let events = try analytics.events(
      of: Self.project,
      try DayRange(EventDay(day), EventDay(day))
    )
    return Dictionary(uniqueKeysWithValues: events.map { ($0.name, $0.figures.events) })
      .filter { $0.value > 0 }
  }

  @Test func `names that a project knew are free, however much junk a day brings`() async throws {
    let analytics = try open { $0.namesPerDay = 3 }
    let known = ["a", "b", "c"]
    for name in known {
      try await send([AnalyticsEvent(name, time: clock.now)], from: "u1", to: analytics)
    }
    clock.set(clock.now + EventStream.day)
    for name in ["x", "y", "z", "w"] + known {
      try await send([AnalyticsEvent(name, time: clock.now)], from: "u2", to: analytics)
    }
    #expect(try names(analytics, on: Self.day + 1).keys.sorted() == known + ["x", "y", "z"])
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `invented apps of senders that prove nothing use up no name of the day`()
    async throws
  {
    let analytics = try open { ($0.namesPerDay, $0.wordsPerDay) = (3, 30) }
    for number in 0..<40 {
      try await send(
        [AnalyticsEvent("junk\(number)", time: clock.now)],
        from: "u\(number)",
        app: "invented-\(number)",
        .unproven,
        to: analytics
      )
    }
    // A tenth of the day's words is theirs.
    #expect(try names(analytics).keys.sorted() == ["junk0", "junk1", "junk2"])
    for name in ["a", "b", "c", "d"] {
      try await send([AnalyticsEvent(name, time: clock.now)], from: "u1", to: analytics)
    }
    #expect(try names(analytics).keys.filter { !$0.hasPrefix("junk") }.sorted() == ["a", "b", "c"])
    let apps = try analytics.breakdown(
      of: Self.project,
      try DayRange(EventDay(Self.day), EventDay(Self.day)),
      by: .app,
      event: "a"
    )
    #expect(apps.map(\.name) == ["1:42:ios:ab"])
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `apps of which none is registered have one budget of names`() async throws {
    let analytics = try open { $0.namesPerDay = 3 }
    for (number, name) in ["a", "b", "c", "d"].enumerated() {
      try await send(
        [AnalyticsEvent(name, time: clock.now)],
        from: "u1",
        app: "app-\(number)",
        .provenOfAnyApp,
        to: analytics
      )
    }
    #expect(try names(analytics).keys.sorted() == ["a", "b", "c"])
  }

  /// A network has one of 16 names once eight are taken; the last four are for installations of before.
  @Test(arguments: [SenderStanding.proven, .provenOfAnyApp])
  func `new installations of a few networks leave names of the day to others`(
    standing: SenderStanding
  ) async throws {
    let analytics = try open { $0.namesPerDay = 16 }
    func send(_ name: String, from user: String?, network: UInt64?) async throws {
      try await self.send(
        [AnalyticsEvent(name, time: clock.now)],
        from: user,
        standing,
        network: network,
        to: analytics
      )
    }
    try await send("known", from: "old", network: 1)
    try analytics.sealAll(of: #require(analytics.log(of: Self.project)))
    clock.set(clock.now + EventStream.day)
    for number in 0..<20 {
      try await send("junk\(number)", from: "new\(number)", network: 666)
      // Names of earlier segments count, too.
      if number == 5 { try analytics.sealAll(of: #require(analytics.log(of: Self.project))) }
    }
    #expect(try names(analytics, on: Self.day + 1).count == 8)
    for network in 0..<9 as Range<UInt64> {
      for number in 0..<2 {
        let user = network == 3 ? nil : "more\(network)"
        try await send("spam\(network)\(number)", from: user, network: 700 + network)
      }
    }
    let junk = try names(analytics, on: Self.day + 1).keys.sorted()
    #expect(junk == (0..<8).map { "junk\($0)" } + (0..<4).map { "spam\($0)0" })
    // An installation of before, in the network of the flood and in others; names that are there are everybody's.
    let own: [(UInt64, String)] = [(666, "flood"), (2, "mine"), (2, "mine2"), (3, "mine3")]
    for (network, name) in own {
      try await send(name, from: "old", network: network)
      try await send(name, from: "new of \(name)", network: 4)
    }
    for name in ["known", "junk0", "session_start"] {
      try await send(name, from: "new", network: 666)
    }
    // A back end with an administrator's credentials has no share.
    try await send("billed", from: "old", network: nil)
    let all = try names(analytics, on: Self.day + 1)
    #expect(
      Set(all.keys) == Set(junk + ["mine", "mine3", "known", "session_start", "billed"])
    )
    #expect([all["mine"], all["mine3"], all["junk0"]] == [2, 2, 2])
    let refused = analytics.metrics.first { $0.name == "analytics_names_refused_total" }?.value
    // The flood brings 12, the nine networks 14, and the earlier installations with their followers 4.
    #expect(refused == 30.0)
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `an installation is no older for events that say so`() async throws {
    let analytics = try open { $0.namesPerDay = 16 }
    let before = clock.now - EventStream.day
    try await send([AnalyticsEvent("known", time: before)], from: "old", to: analytics)
    try analytics.sealAll(of: #require(analytics.log(of: Self.project)))
    clock.set(clock.now + EventStream.day)
    for number in 0..<14 as Range<UInt64> {
      try await send(
        [
          AnalyticsEvent("session_start", time: clock.now - EventStream.day),
          AnalyticsEvent("junk\(number)", time: clock.now),
        ],
        from: "new\(number)",
        network: number,
        to: analytics
      )
    }
    #expect(try names(analytics, on: Self.day + 1).count == 12)
    try await send(
      [AnalyticsEvent("mine", time: clock.now)],
      from: "old",
      network: 99,
      to: analytics
    )
    #expect(try names(analytics, on: Self.day + 1)["mine"] == 1)
  }

  @Test func `a sender that only names an installation touches nothing of it`() async throws {
    let analytics = try open()
    func batch(_ number: Int64, user: String?, _ standing: SenderStanding) -> EventBatch {
      var batch = EventBatch(
        instanceID: "victim",
        number: number,
        events: [AnalyticsEvent("tick", time: clock.now)]
      )
      (batch.userID, batch.standing) = (user, standing)
      return batch
    }
    for number in 1...4 {
      let forged = batch(Int64(number), user: "mallory", .unproven)
      let receipt = try await analytics.record(forged, from: .server, project: Self.project)
      #expect(receipt.accepted == 1)
    }
    for number in 1...5 {
      let own = batch(Int64(number), user: "ana", .proven)
      let receipt = try await analytics.record(own, from: .sdk, project: Self.project)
      #expect(receipt == BatchReceipt(accepted: 1))
    }
    // An app that has lost its token sends again what the server has under its name alone.
    let again = batch(5, user: "ana", .unproven)
    let receipt = try await analytics.record(again, from: .sdk, project: Self.project)
    #expect(receipt.isRepeated)
    #expect(try analytics.erase(.user("mallory"), of: Self.project) == 4)
    let range = try DayRange(EventDay(Self.day), EventDay(Self.day))
    let left = try analytics.timeline(
      of: .user("ana"),
      project: Self.project,
      range,
      limit: 10
    )
    #expect(left.map(\.instanceID) == Array(repeating: "victim", count: 5))
    _ = try await analytics.record(
      batch(9, user: nil, .unproven),
      from: .server,
      project: Self.project
    )
    // Erasing the installation takes what came in its name.
    #expect(try analytics.erase(.instance("victim"), of: Self.project) == 6)
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `of installations that prove nothing so many are told apart`() async throws {
    let analytics = try open { $0.unprovenPerDay = 2 }
    for user in ["u1", "u2", "u3", "u1"] {
      try await send(
        [AnalyticsEvent("tick", time: clock.now)],
        from: user,
        .unproven,
        to: analytics
      )
    }
    try await send([AnalyticsEvent("tick", time: clock.now)], from: "u4", to: analytics)
    let range = try DayRange(EventDay(Self.day), EventDay(Self.day))
    let figures = try analytics.events(of: Self.project, range).map(\.figures)
    #expect(figures.map(\.events) == [5] && figures.map(\.users) == [3])
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `so many words are new on a day, and the next one has room again`() async throws {
    let analytics = try open { ($0.wordLimit, $0.wordsPerDay) = (5, 2) }
    let names = ["a", "b", "c", "d", "e", "f"]
    for day in 0..<3 {
      clock.set(Self.start + EventStream.hour + Int64(day) * EventStream.day)
      for name in names {
        try await send([AnalyticsEvent(name, time: clock.now)], from: "u1", to: analytics)
      }
      let date = EventDay(Self.day + day)
      let events = try analytics.events(of: Self.project, try DayRange(date, date))
      #expect(events.map(\.name).sorted() == Array(names.prefix([2, 4, 5][day])))
      let dropped = try analytics.dropped(of: Self.project, try DayRange(date, date))
      #expect(dropped.map(\.figures.events) == [[4, 2, 1][day]])
    }
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `a value that was counted among others is when it is counted again`()
    async throws
  {
    let analytics = try open { $0.wordsPerDay = 2 }
    func send(_ model: String, from user: String) async throws {
      var batch = EventBatch(instanceID: user, events: [AnalyticsEvent("look", time: clock.now)])
      batch.context.model = model
      _ = try await analytics.record(batch, from: .sdk, project: Self.project)
    }
    func models(on day: Int) throws -> [String: Int] {
      let date = EventDay(Self.day + day)
      let found = try analytics.breakdown(
        of: Self.project,
        try DayRange(date, date),
        by: .model,
        event: nil
      )
      return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.figures.events) })
        .filter { $0.value > 0 }
    }
    for (user, model) in [("u1", "a"), ("u2", "b"), ("u3", "c")] {
      try await send(model, from: user)
    }
    #expect(try models(on: 0) == ["a": 1, "b": 1, "(other)": 1])
    clock.set(clock.now + EventStream.day)
    for user in ["u3", "u4"] { try await send("c", from: user) }
    #expect(try models(on: 1) == ["c": 2])
    #expect(try Self.differences(analytics) == [])
    #expect(try analytics.erase(.instance("u3"), of: Self.project) == 2)
    #expect(try models(on: 0) == ["a": 1, "b": 1])
    #expect(try models(on: 1) == ["c": 1])
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `what is imported takes no day's room, and needs none`() async throws {
    let analytics = try open { ($0.wordsPerDay, $0.namesPerDay) = (2, 2) }
    let names = ["a", "b", "c", "d", "e"]
    var left = names[...]
    let count = try analytics.importEvents(into: Self.project) {
      left.popFirst().map { name in
        RecordedEvent(
          event: AnalyticsEvent(name, time: Self.start - EventStream.day),
          instanceID: "u1",
          userID: nil,
          context: EventContext(),
          properties: [],
          received: Self.start - EventStream.day,
          clockOffset: 0
        )
      }
    } refused: {
      Issue.record("refused: \($0)")
    }
    #expect(count == 5)
    for name in ["f", "g", "h"] {
      try await send([AnalyticsEvent(name, time: clock.now)], from: "u2", to: analytics)
    }
    let range = try DayRange(EventDay(Self.day - 1), EventDay(Self.day))
    let found = try analytics.events(of: Self.project, range).filter { $0.figures.events > 0 }
    #expect(found.map(\.name).sorted() == names + ["f", "g"])
    #expect(try Self.differences(analytics) == [])
  }

  @Test func `an installation is in the audiences whose rules it meets, an hour later at most`()
    async throws
  {
    let analytics = try open()
    try await send([AnalyticsEvent("purchase", time: clock.now)], from: "u1", to: analytics)
    try await send([AnalyticsEvent("look", time: clock.now)], from: "u2", to: analytics)
    func held(_ id: String) throws -> Set<String>? {
      try analytics.audiences(ofInstance: id, project: Self.project)
    }
    // Nothing of it is counted yet.
    #expect(try held("u1") == nil)
    let rule = try JSONValue(parsing: #"{"days":2,"rule":{"event":"purchase"}}"#)
    try analytics.put(try Audience(named: "buyers", rule), in: Self.project)
    let all = try JSONValue(parsing: #"{"rule":{"not":{"event":"purchase"}}}"#)
    try analytics.put(try Audience(named: "others", all), in: Self.project)
    #expect(try held("u1") == ["buyers"])
    #expect(try held("u2") == ["others"])
    #expect(try held("u3") == nil)
    #expect(try analytics.audiences(ofInstance: "u1", project: "elsewhere") == nil)
    try await send([AnalyticsEvent("purchase", time: clock.now)], from: "u2", to: analytics)
    #expect(try held("u2") == ["others"])
    clock.set(clock.now + EventStream.hour + 1)
    while try analytics.maintain() {}
    #expect(try held("u2") == ["buyers"])
    #expect(try analytics.removeAudience("buyers", of: Self.project))
    #expect(try held("u2") == [])
    clock.set(clock.now + 3 * EventStream.day)
    while try analytics.maintain() {}
    #expect(try held("u1") == [])
  }
}
