import EventAnalytics

/// Batches as they arrive in practice: late, repeated, from wrong clocks, without consent, with
/// names that are not allowed; of sessions that continue over batches and midnights.
///
/// They come in the order in which the server gets them, evenly over the days.
struct RandomEventSource {
  /// A batch on its way.
  struct Sent: Sendable {
    var batch: EventBatch
    /// The server's clock when it comes.
    let received: Int64
    /// The app's clock when it was sent.
    let sent: Int64
  }

  private static let names = [
    "screen_view", "view_item", "select_item", "add_to_cart", "purchase", "share", "ga_forbidden",
  ]
  private static let countries = ["BR", "US", "DE", "PT", ""]
  private static let second: Int64 = 1_000_000
  private static let hour: Int64 = 3_600 * second
  private static let day: Int64 = 24 * hour
  /// Batches of which one may be sent again.
  private static let remembered = 512

  private let users: Int
  private let start: Int64
  private let step: Int64
  private var time: Int64
  private var generator: LoadGenerator
  private var opened: [Bool]
  private var numbers: [Int64]
  private var recent: [Sent] = []

  /// Batches of so many users from a time on, about so many over so many days.
  init(users: Int, start: Int64, days: Int, batches: Int, seed: UInt64) {
    self.users = users
    self.start = start
    step = max(1, Int64(days) * Self.day / Int64(batches))
    time = start
    generator = LoadGenerator(state: seed)
    opened = Array(repeating: false, count: users)
    numbers = Array(repeating: 0, count: users)
  }

  /// The next batch, one in fifteen for the second time.
  mutating func next() -> Sent {
    time += step
    if !recent.isEmpty, generator.below(15) == 0 {
      let again = recent[generator.below(recent.count)]
      // The server no longer knows the first copy of late repeats.
      if time - again.received < 6 * Self.day {
        return Sent(batch: again.batch, received: time, sent: time)
      }
    }
    let user = generator.below(users)
    let error = clockError(of: user)
    let happened = max(start, time - delay())
    let sent = Sent(batch: batch(of: user, at: happened, error), received: time, sent: time + error)
    if sent.batch.instanceID != nil { remember(sent) }
    return sent
  }

  private mutating func remember(_ sent: Sent) {
    if recent.count < Self.remembered {
      recent.append(sent)
    } else {
      recent[generator.below(Self.remembered)] = sent
    }
  }

  /// Most come at once, some within a day, a few too late.
  private mutating func delay() -> Int64 {
    switch generator.below(20) {
    case 0: Int64(generator.below(80 * 3_600)) * Self.second
    case 1, 2: Int64(generator.below(24 * 3_600)) * Self.second
    default: Int64(generator.below(60)) * Self.second
    }
  }

  /// Some clocks are off by seconds, by hours, by more than is corrected.
  private func clockError(of user: Int) -> Int64 {
    switch user % 11 {
    case 3: 59 * Self.second
    case 5: -5 * Self.hour
    case 7: 2 * Self.hour
    case 9: -30 * Self.hour
    default: 0
    }
  }

  private mutating func batch(of user: Int, at time: Int64, _ error: Int64) -> EventBatch {
    numbers[user] += 1
    var batch = EventBatch(
      instanceID: "instance-\(user)",
      number: numbers[user],
      context: context(of: user),
      events: []
    )
    if user % 5 == 0 { batch.userID = "user-\(user / 10)" }
    batch.properties = [UserProperty("level", "\(user % 7)", time: time)]
    // Sessions of four hours of the user's own.
    let session = (time / Self.second + Int64(user)) / 14_400 * 14_400
    if !opened[user] {
      opened[user] = true
      batch.events.append(AnalyticsEvent("first_open", time: time + error))
    }
    for index in 0..<(1 + generator.below(12)) {
      let moment = time + Int64(index) * 700_000 + error
      batch.events.append(event(at: moment, Int64(index), session))
    }
    if generator.below(25) == 0 {
      (batch.instanceID, batch.number, batch.userID, batch.properties) = (nil, nil, nil, [])
    }
    return batch
  }

  private mutating func event(
    at time: Int64,
    _ sequence: Int64,
    _ session: Int64
  ) -> AnalyticsEvent {
    let name = Self.names[generator.below(Self.names.count)]
    var event = AnalyticsEvent(name, time: time, sequence: sequence)
    event.parameters = [
      EventParameter("item_id", .string("SKU_\(generator.below(200))")),
      EventParameter("stock", .integer(Int64(generator.below(9)) - 2)),
    ]
    if generator.below(9) > 0 {
      event.parameters.append(EventParameter("ga_session_id", .integer(session)))
    }
    if generator.below(3) == 0 {
      let millis = Int64(generator.below(5_000))
      event.parameters.append(EventParameter("engagement_time_msec", .integer(millis)))
    }
    if generator.below(30) == 0 {
      event.parameters.append(EventParameter("session_engaged", .integer(1)))
    }
    if name == "purchase" {
      let cents = Double(generator.below(100_000)) / 100
      event.parameters.append(EventParameter("value", .double(cents)))
    }
    return event
  }

  private func context(of user: Int) -> EventContext {
    var context = EventContext()
    context.appID = "1:42:ios:a\(user % 2)"
    context.platform = ["IOS", "ANDROID", "WEB"][user % 3]
    context.country = Self.countries[user % Self.countries.count]
    context.appVersion = "1.\(user % 4)"
    context.model = "model\(user % 40)"
    context.osVersion = "26.\(user % 5)"
    context.language = user % 2 == 0 ? "pt-BR" : "en"
    return context
  }
}
