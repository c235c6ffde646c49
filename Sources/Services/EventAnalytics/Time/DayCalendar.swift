import Foundation

/// The days of a zone.
///
/// Clocks change on full quarters of an hour at most, so that a quarter's offset is looked up once.
struct DayCalendar {
  private let zone: TimeZone
  private var offsets: [Int64: Int64] = [:]

  /// The calendar of a zone's identifier; nil for one that is unknown.
  init?(_ identifier: String) {
    guard let zone = TimeZone(identifier: identifier) else { return nil }
    self.zone = zone
  }

  /// The day of a time in microseconds.
  mutating func day(of time: Int64) -> EventDay {
    let seconds = Self.floor(time, 1_000_000)
    let quarter = Self.floor(seconds, 900)
    let offset: Int64
    if let known = offsets[quarter] {
      offset = known
    } else {
      let date = Date(timeIntervalSince1970: Double(quarter * 900))
      offset = Int64(zone.secondsFromGMT(for: date))
      offsets[quarter] = offset
    }
    return EventDay(Int(Self.floor(seconds + offset, 86_400)))
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }
}

extension EventDay {
  /// The day of a text `2026-11-23`; nil for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    let shifted = month > 2 ? year : year - 1
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    number = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
    guard (1...12).contains(month), (1...31).contains(day), self.text == text else { return nil }
  }

  /// As `2026-11-23`.
  package var text: String {
    let (year, month, day) = civil
    return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
  }

  /// As `20261123`.
  package var compactText: String { text.filter { $0 != "-" } }

  /// Year, month and day of the Gregorian calendar, counted in years that begin with March.
  private var civil: (Int, Int, Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 3 : month - 9
    return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
