import BaseStatus
import Foundation

/// The times of a schedule: five fields of cron or App Engine's English, in a time zone.
package struct Schedule: Sendable {
  enum Rule: Sendable, Hashable {
    /// So many seconds after the last firing.
    case interval(Int64)
    case days(DayRule)
  }

  /// Days of the calendar and minutes in them.
  struct DayRule: Sendable, Hashable {
    var months = Set(1...12)
    /// Nil is every day.
    var days: Set<Int>?
    /// 0 is Sunday; nil is every day.
    var weekdays: Set<Int>?
    /// True where a day that fits one of both is enough, as in cron.
    var isEither = false
    /// The weeks of the month that weekdays count in: the first, second, …; nil is all.
    var weeks: Set<Int>?
    /// Minutes since midnight, ascending.
    var minutes: [Int] = []
    /// True if each hour has the same minutes, so that an hour that clocks repeat counts twice.
    var isEveryHour = false

    func contains(_ day: CalendarDay) -> Bool {
      guard months.contains(day.month) else { return false }
      let fitsDay = days.map { $0.contains(day.day) }
      var fitsWeekday = weekdays.map { $0.contains(day.weekday) }
      if let weeks, fitsWeekday != false { fitsWeekday = weeks.contains((day.day - 1) / 7 + 1) }
      switch (fitsDay, fitsWeekday) {
      case (let first?, let second?): return isEither ? first || second : first && second
      case (let first?, nil): return first
      case (nil, let second?): return second
      case (nil, nil): return true
      }
    }
  }

  let rule: Rule
  private let clock: LocalClock

  /// The time zone of a schedule that names none, as at Google.
  package static let defaultTimeZone = "America/Los_Angeles"

  /// Reads a declaration; throws INVALID_ARGUMENT for a text that is no schedule, or an unknown time zone.
  package init(_ declared: ScheduleDeclaration) throws {
    let name = declared.timeZone ?? Self.defaultTimeZone
    guard let zone = TimeZone(identifier: name) else {
      throw Self.refusal(declared, "the time zone \(name) is unknown")
    }
    clock = LocalClock(zone: zone)
    let text = declared.schedule.trimmingCharacters(in: .whitespaces)
    guard let rule = CronFields.rule(text) ?? EnglishSchedule.rule(text) else {
      throw Self.refusal(
        declared,
        "\"\(text)\" is neither cron's five fields nor App Engine's English"
      )
    }
    self.rule = rule
  }

  private static func refusal(_ declared: ScheduleDeclaration, _ reason: String) -> ServiceError {
    ServiceError(
      .invalidArgument,
      "The schedule of \(declared.function) can't be served: \(reason)."
    )
  }

  /// The first time behind an instant, in seconds; nil for a schedule that never comes.
  package func next(after seconds: Int64) -> Int64? {
    switch rule {
    case .interval(let pause): return seconds + pause
    case .days(let rule): return next(rule, after: seconds)
    }
  }

  /// Nine years hold every 29th of February.
  private static let horizon = 9 * 366

  private func next(_ rule: DayRule, after seconds: Int64) -> Int64? {
    let first = clock.day(at: seconds).number
    // An instant of yesterday's wall may be behind one of today's where clocks are set back at midnight.
    for number in (first - 1)...(first + Self.horizon) {
      let day = CalendarDay(number: number)
      guard rule.contains(day) else { continue }
      var best: Int64?
      for minute in rule.minutes {
        let (all, shifted) = clock.instants(day, minute: minute)
        let times = rule.isEveryHour ? all : [all.first ?? shifted]
        for time in times where time > seconds { best = min(best ?? time, time) }
      }
      if let best { return best }
    }
    return nil
  }
}

/// Cron's five fields.
enum CronFields {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// Nil for text without five fields.
  static func rule(_ text: String) -> Schedule.Rule? {
    let fields = text.lowercased().split(separator: " ").map(String.init)
    guard fields.count == 5, let minutes = values(fields[0], 0...59),
      let hours = values(fields[1], 0...23), let days = values(fields[2], 1...31),
      let months = values(fields[3], 1...12, names: months, from: 1),
      let weekdays = values(fields[4], 0...7, names: weekdays, from: 0)
    else { return nil }
    var rule = Schedule.DayRule()
    rule.months = months
    if !fields[2].hasPrefix("*") { rule.days = days }
    if !fields[4].hasPrefix("*") { rule.weekdays = Set(weekdays.map { $0 % 7 }) }
    if fields[2].hasPrefix("*"), days.count < 31 { rule.days = days }
    if fields[4].hasPrefix("*"), Set(weekdays.map { $0 % 7 }).count < 7 {
      rule.weekdays = Set(weekdays.map { $0 % 7 })
    }
    rule.isEither = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
    rule.minutes = hours.flatMap { hour in minutes.map { hour * 60 + $0 } }.sorted()
    rule.isEveryHour = hours.count == 24
    return .days(rule)
  }

  private static func values(
    _ field: String,
    _ range: ClosedRange<Int>,
    names: [String] = [],
    from first: Int = 0
  ) -> Set<Int>? {
    var result: Set<Int> = []
    for part in field.split(separator: ",", omittingEmptySubsequences: false) {
      let stepped = part.split(separator: "/", omittingEmptySubsequences: false)
      guard stepped.count <= 2, let span = stepped.first else { return nil }
      var step = 1
      if stepped.count == 2 {
        guard let number = Int(stepped[1]), number > 0 else { return nil }
        step = number
      }
      guard let bounds = bounds(span, range, names, first, isStepped: stepped.count == 2) else {
        return nil
      }
      result.formUnion(stride(from: bounds.lowerBound, through: bounds.upperBound, by: step))
    }
    return result.isEmpty ? nil : result
  }

  private static func bounds(
    _ span: Substring,
    _ range: ClosedRange<Int>,
    _ names: [String],
    _ first: Int,
    isStepped: Bool
  ) -> ClosedRange<Int>? {
    if span == "*" { return range }
    let ends = span.split(separator: "-", omittingEmptySubsequences: false).map { text in
      Int(text) ?? names.firstIndex(of: String(text.prefix(3))).map { $0 + first }
    }
    guard ends.count <= 2, let low = ends[0], range.contains(low) else { return nil }
    guard ends.count == 2 else { return low...(isStepped ? range.upperBound : low) }
    guard let high = ends[1], range.contains(high), low <= high else { return nil }
    return low...high
  }
}
