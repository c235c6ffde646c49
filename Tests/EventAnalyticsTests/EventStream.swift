import BaseRuntime
import Foundation
import ModelTestSupport
import Synchronization

@testable import EventAnalytics

/// A clock that tests set.
final class TestClock: Sendable {
  private let time: Mutex<Int64>

  init(_ start: Int64) { time = Mutex(start) }

  var now: Int64 { time.withLock { $0 } }

  func set(_ now: Int64) { time.withLock { $0 = now } }

  var clock: MicrosecondClock { MicrosecondClock { self.now } }
}

/// Random batches of many users over many days, as apps send them: in sessions, late, repeated, some without consent,
/// some not allowed.
struct EventStream {
  /// A batch with what the server's clock shows when it comes.
  struct Sent: Sendable {
    let batch: EventBatch
    let received: Int64
  }

  static let hour: Int64 = 3_600_000_000
  static let day: Int64 = 24 * hour
  static let names = ["view_item", "add_to_cart", "purchase", "select_item", "ga_forbidden"]

  private var source: SeededSource
  private let users: Int
  private let start: Int64
  private let days: Int
  private var numbers: [Int: Int64] = [:]
  private var opened: Set<Int> = []

  init(seed: UInt64, users: Int, start: Int64, days: Int) {
    source = SeededSource(seed: seed)
    self.users = users
    self.start = start
    self.days = days
  }

  /// So many batches in the order in which they come.
  mutating func batches(_ count: Int) -> [Sent] {
    var sent: [Sent] = []
    for _ in 0..<count {
      let happened = start + Int64.random(in: 0..<(Int64(days) * Self.day), using: &source)
      // Most come at once, some within three days, a few too late.
      let delay: Int64 =
        switch Int.random(in: 0..<20, using: &source) {
        case 0: Int64.random(in: 0..<(80 * Self.hour), using: &source)
        case 1, 2: Int64.random(in: 0..<(24 * Self.hour), using: &source)
        default: Int64.random(in: 0..<Self.hour / 60, using: &source)
        }
      sent.append(Sent(batch: batch(around: happened), received: happened + delay))
    }
    sent.sort { $0.received < $1.received }
    // Some are sent again.
    for index in sent.indices where Int.random(in: 0..<15, using: &source) == 0 {
      let again = sent[Int.random(in: 0...index, using: &source)]
      sent.append(Sent(batch: again.batch, received: sent[index].received + 1))
    }
    return sent.sorted { $0.received < $1.received }
  }

  private mutating func batch(around time: Int64) -> EventBatch {
    let user = Int.random(in: 0..<users, using: &source)
    numbers[user, default: 0] += 1
    var batch = EventBatch(
      instanceID: "instance-\(user)",
      number: numbers[user],
      context: context(of: user),
      events: []
    )
    if user % 5 == 0 { batch.userID = "user-\(user / 10)" }
    batch.properties = [UserProperty("level", "\(user % 7)", time: time)]
    if opened.insert(user).inserted {
      batch.events.append(AnalyticsEvent("first_open", time: time))
    }
    // Sessions of four hours, which go on over batches and midnights.
    let session = time / (4 * Self.hour) * 14_400
    for index in 0..<Int.random(in: 1...8, using: &source) {
      batch.events.append(event(at: time + Int64(index) * 1_000_000, Int64(index), session))
    }
    if Int.random(in: 0..<25, using: &source) == 0 {
      batch.instanceID = nil
      batch.number = nil
      batch.userID = nil
      batch.properties = []
    }
    return batch
  }

  private mutating func event(at time: Int64, _ sequence: Int64, _ session: Int64) -> AnalyticsEvent
  {
    let name = Self.names[Int.random(in: 0..<Self.names.count, using: &source)]
    var event = AnalyticsEvent(name, time: time, sequence: sequence)
    event.parameters = [
      EventParameter("item_id", .string("SKU_\(Int.random(in: 0..<40, using: &source))")),
      EventParameter("level", .integer(Int64.random(in: 0..<5, using: &source))),
      EventParameter("ga_session_id", .integer(session)),
    ]
    if Bool.random(using: &source) {
      let millis = Int64.random(in: 0..<5_000, using: &source)
      event.parameters.append(EventParameter("engagement_time_msec", .integer(millis)))
    }
    if Int.random(in: 0..<6, using: &source) == 0 {
      event.parameters.append(EventParameter("session_engaged", .integer(1)))
    }
    if name == "purchase" {
      let cents = Int.random(in: 1..<100_000, using: &source)
      event.parameters.append(EventParameter("value", .double(Double(cents) / 100)))
    }
    return event
  }

  private func context(of user: Int) -> EventContext {
    var context = EventContext()
    context.platform = ["IOS", "ANDROID"][user % 2]
    context.country = ["BR", "US", "DE", ""][user % 4]
    context.appVersion = "1.\(user % 3)"
    return context
  }
}
