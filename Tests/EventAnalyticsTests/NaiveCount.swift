import Foundation
import Testing

@testable import EventAnalytics

/// The same questions answered by looking at every event, with plain sets and Foundation's calendar.
struct NaiveCount {
  struct Entry {
    let name: String
    let user: String?
    let userID: String?
    let day: Int
    let time: Int64
    let sequence: Int64
    let order: Int
    let engagement: Int64
    let valueMicros: Int64
    let session: Int64?
    let isEngaged: Bool
    let context: EventContext
    let properties: [String: String]
    let parameters: [EventParameter]
  }

  private(set) var entries: [Entry] = []
  private(set) var drops = 0
  private let calendar: Calendar
  private let epoch: Date
  /// When batches came, by their numbers.
  private var seen: [String: Int64] = [:]

  init(zone: String) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    self.calendar = calendar
    epoch = try #require(
      calendar.date(from: DateComponents(year: 1970, month: 1, day: 1))
    )
  }

  mutating func take(_ sent: EventStream.Sent) {
    let batch = sent.batch
    if let id = batch.instanceID, let number = batch.number {
      if let time = seen["\(id)/\(number)"], sent.received < time + 7 * EventStream.day { return }
      seen["\(id)/\(number)"] = sent.received
    }
    for event in batch.events {
      let isAllowed =
        event.name != "ga_forbidden"
        && event.time >= sent.received - 72 * EventStream.hour
        && event.time <= sent.received + 60_000_000
      guard isAllowed else {
        drops += 1
        continue
      }
      entries.append(entry(event, batch))
    }
  }

  mutating func remove(where isGone: (Entry) -> Bool) { entries.removeAll(where: isGone) }

  private func entry(_ event: AnalyticsEvent, _ batch: EventBatch) -> Entry {
    var (engagement, value): (Int64, Int64) = (0, 0)
    var (session, isEngaged): (Int64?, Bool) = (nil, false)
    for parameter in event.parameters {
      switch (parameter.name, parameter.value) {
      case ("engagement_time_msec", .integer(let millis)): engagement = millis
      case ("ga_session_id", .integer(let id)): session = id
      case ("session_engaged", .integer(let flag)): isEngaged = flag == 1
      case ("value", .double(let number)): value = Int64((number * 1_000_000).rounded())
      default: continue
      }
    }
    return Entry(
      name: event.name,
      user: batch.instanceID,
      userID: batch.userID,
      day: day(of: event.time),
      time: event.time,
      sequence: event.sequence,
      order: entries.count,
      engagement: engagement,
      valueMicros: value,
      session: session,
      isEngaged: isEngaged,
      context: batch.context,
      properties: Dictionary(uniqueKeysWithValues: batch.properties.map { ($0.name, $0.value) }),
      parameters: event.parameters
    )
  }

  /// By the calendar's own count of days.
  func day(of time: Int64) -> Int {
    let date = Date(timeIntervalSince1970: Double(time / 1_000_000))
    let start = calendar.startOfDay(for: date)
    // A day has 23 to 25 hours: half a day more is always within the right one.
    return Int((start.timeIntervalSince(epoch) / 86_400).rounded())
  }

  func figures(_ entries: [Entry]) -> (events: Int, users: Int, value: Int64, engagement: Int64) {
    (
      entries.count, Set(entries.compactMap(\.user)).count,
      entries.reduce(0) { $0 + $1.valueMicros }, entries.reduce(0) { $0 + $1.engagement }
    )
  }

  func within(_ days: ClosedRange<Int>) -> [Entry] { entries.filter { days.contains($0.day) } }

  func active(_ days: ClosedRange<Int>) -> Set<String> {
    let isActive = { (entry: Entry) in
      entry.engagement > 0 || entry.isEngaged || entry.name == "first_open"
    }
    return Set(within(days).filter(isActive).compactMap(\.user))
  }

  /// The sessions of a day, and the engaged ones.
  func sessions(_ day: Int) -> (all: Int, engaged: Int) {
    let entries = within(day...day).filter { $0.user != nil && $0.session != nil }
    func count(_ entries: [Entry]) -> Int {
      Set(entries.map { "\($0.user ?? "")/\($0.session ?? 0)" }).count
    }
    return (count(entries), count(entries.filter(\.isEngaged)))
  }

  func new(_ day: Int) -> Set<String> {
    Set(within(day...day).filter { $0.name == "first_open" }.compactMap(\.user))
  }

  /// Tries every first step of every user.
  func funnel(_ steps: [String], window: Int64, _ days: ClosedRange<Int>) -> [Int] {
    var reached = steps.map { _ in 0 }
    for (user, events) in Dictionary(grouping: within(days), by: \.user) where user != nil {
      let events = events.sorted {
        ($0.time, $0.sequence, $0.order) < ($1.time, $1.sequence, $1.order)
      }
      var best = 0
      for (index, event) in events.enumerated() where event.name == steps[0] {
        var step = 1
        for later in events[(index + 1)...]
        where step < steps.count && later.name == steps[step] && later.time - event.time <= window {
          step += 1
        }
        best = max(best, step)
      }
      for step in 0..<best { reached[step] += 1 }
    }
    return reached
  }
}
