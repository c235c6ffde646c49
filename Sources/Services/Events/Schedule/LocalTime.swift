import Foundation

/// A day of the Gregorian calendar.
struct CalendarDay: Hashable, Sendable {
  let year: Int
  let month: Int
  let day: Int
  /// Days since 1970-01-01.
  let number: Int

  /// 0 is Sunday.
  var weekday: Int { ((number + 4) % 7 + 7) % 7 }

  /// A day by its distance from 1970-01-01.
  init(number: Int) {
    self.number = number
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * ofYear + 2) / 153
    day = ofYear - (153 * fromMarch + 2) / 5 + 1
    month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}

/// A time zone's wall clock.
struct LocalClock: Sendable {
  let zone: TimeZone

  func offset(at seconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
  }

  /// The day on the wall at an instant.
  func day(at seconds: Int64) -> CalendarDay {
    let local = seconds + offset(at: seconds)
    return CalendarDay(number: Int((local >= 0 ? local : local - 86_399) / 86_400))
  }

  /// The instants at which the wall shows a minute of a day: two where clocks are set back over it.
  ///
  /// If clocks are set forward over it there is none, and `shifted` is the instant as far behind
  /// the step as the minute is into the gap.
  func instants(_ day: CalendarDay, minute: Int) -> (all: [Int64], shifted: Int64) {
    let local = Int64(day.number) * 86_400 + Int64(minute) * 60
    let before = offset(at: local - 86_400 - offset(at: local))
    let after = offset(at: local + 86_400 - offset(at: local))
    let candidates = before == after ? [local - before] : [local - before, local - after]
    let valid = candidates.filter { $0 + offset(at: $0) == local }.sorted()
    return (valid, local - before)
  }
}
