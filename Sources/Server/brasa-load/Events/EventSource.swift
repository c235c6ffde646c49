import EventAnalytics
import Foundation

/// Batches of events of many users over many days, as apps send them: a session a batch, in the order of time.
struct EventSource {
  /// Names with how often they come, of a thousand.
  private static let names: [(String, Int)] = [
    ("screen_view", 300), ("view_item", 200), ("select_item", 150), ("view_item_list", 100),
    ("user_engagement", 90), ("search", 50), ("add_to_cart", 40), ("begin_checkout", 20),
    ("purchase", 10), ("share", 20), ("attempt_delete_product", 10), ("new_item", 10),
  ]
  private static let countries = ["BR", "US", "DE", "PT", "AR", "FR", "JP", "IN"]

  /// Events of a batch.
  static let batchEvents = 25
  static let day: Int64 = 86_400_000_000
  /// Longer than all events of a batch take.
  private static let sessionMicros: Int64 = 120_000_000

  let users: Int
  let days: Int
  /// The first day.
  let start: EventDay
  private var generator: LoadGenerator
  private var opened: [Bool]

  init(users: Int, days: Int, start: EventDay, seed: UInt64) {
    self.users = users
    self.days = days
    self.start = start
    generator = LoadGenerator(state: seed)
    opened = Array(repeating: false, count: users)
  }

  /// A batch of a part of the whole time, from 0 to 1.
  mutating func batch(at part: Double, number: Int64) -> EventBatch {
    // The last session ends before the last day does.
    let span = Double(days) * Double(Self.day) - Double(Self.sessionMicros)
    let time = Int64(start.number) * Self.day + Int64(part * span)
    // Some users come often, most seldom.
    let chance = Double(generator.below(1_000_000)) / 1_000_000
    let user = min(users - 1, Int(chance * chance * Double(users)))
    var batch = EventBatch(
      instanceID: "c\(100_000_000 + user)-abcdefghijk",
      number: number,
      context: context(of: user),
      events: []
    )
    batch.properties = [UserProperty("level", "\(user % 10)", time: time)]
    let session = time / 1_000_000
    if !opened[user] {
      opened[user] = true
      batch.events.append(AnalyticsEvent("first_open", time: time))
    }
    while batch.events.count < Self.batchEvents {
      let index = Int64(batch.events.count)
      batch.events.append(event(at: time + index * 3_700_000, index, session))
    }
    return batch
  }

  private mutating func event(
    at time: Int64,
    _ sequence: Int64,
    _ session: Int64
  ) -> AnalyticsEvent {
    var draw = generator.below(1_000)
    let name =
      Self.names.first {
        draw -= $0.1; return draw < 0
      }?.0 ?? "screen_view"
    var event = AnalyticsEvent(name, time: time, sequence: sequence)
    event.parameters = [
      EventParameter("ga_session_id", .integer(session)),
      EventParameter("engagement_time_msec", .integer(Int64(generator.below(4_000)))),
    ]
    if name.hasSuffix("item") || name == "add_to_cart" {
      let item = "SKU_\(generator.below(500))"
      event.parameters.append(EventParameter("item_id", .string(item)))
    } else if name == "screen_view" {
      event.parameters.append(
        EventParameter("firebase_screen_class", .string("Screen\(generator.below(12))"))
      )
    } else if name == "purchase" {
      event.parameters.append(EventParameter("currency", .string("BRL")))
      event.parameters.append(
        EventParameter("value", .double(Double(generator.below(50_000)) / 100))
      )
    }
    return event
  }

  private func context(of user: Int) -> EventContext {
    var context = EventContext()
    context.appID = "1:42:ios:ab"
    context.platform = user % 3 == 0 ? "ANDROID" : "IOS"
    context.model = "model\(user % 40)"
    context.osVersion = "26.\(user % 5)"
    context.appVersion = "1.\(user % 7)"
    context.language = "pt-BR"
    context.country = Self.countries[user % Self.countries.count]
    return context
  }
}

/// Pseudo-random numbers (SplitMix64).
struct LoadGenerator {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
  }
}
