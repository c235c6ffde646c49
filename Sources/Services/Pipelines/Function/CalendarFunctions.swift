import FirestoreModel
import Foundation

/// Functions of timestamps that need a calendar and time zones.
enum CalendarFunctions {
  static let all: [FunctionDefinition] = [
    .strict("timestamp_trunc", 2...3) { values, _ in
      let time = try values[0].microseconds("timestamp_trunc")
      let part = try values[1].text("timestamp_trunc")
      let zone = try zone(values, "timestamp_trunc")
      return try TimeFunctions.timestamp(zone.instant(ofLocal: truncated(zone.local(time), part)))
    },
    .strict("timestamp_extract", 2...3) { values, _ in
      let time = try values[0].microseconds("timestamp_extract")
      let part = try values[1].text("timestamp_extract")
      return .integer(try extracted(try zone(values, "timestamp_extract").local(time), part))
    },
  ]

  private static let day: Int64 = 86_400_000_000
  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  private static func zone(_ values: [Value], _ name: String) throws -> Zone {
    guard values.count == 3 else { return .utc }
    let text = try values[2].text(name)
    guard let zone = Zone(text) else {
      throw ExpressionFailure("\"\(text)\" isn't a time zone. Use a name such as Europe/Lisbon.")
    }
    return zone
  }

  /// The first weekday of a granularity of weeks, 0 for Sunday; nil for other granularities.
  private static func weekStart(_ part: String) -> Int64? {
    if part == "week" { return 0 }
    if part == "isoweek" { return 1 }
    guard part.hasPrefix("week("), part.hasSuffix(")") else { return nil }
    let name = part.dropFirst(5).dropLast()
    return weekdays.firstIndex(of: String(name)).map(Int64.init)
  }

  /// 0 for Sunday.
  private static func weekday(_ days: Int64) -> Int64 { ((days + 4) % 7 + 7) % 7 }

  private static func startOfWeek(_ days: Int64, _ first: Int64) -> Int64 {
    days - (weekday(days) - first + 7) % 7
  }

  private static func truncated(_ local: Int64, _ part: String) throws -> Int64 {
    let days = TimeFunctions.floorDivide(local, day)
    let date = CivilDate(days: days)
    if let first = weekStart(part) { return startOfWeek(days, first) * day }
    switch part {
    case "microsecond": return local
    case "millisecond": return TimeFunctions.floorDivide(local, 1_000) * 1_000
    case "second": return TimeFunctions.floorDivide(local, 1_000_000) * 1_000_000
    case "minute": return TimeFunctions.floorDivide(local, 60_000_000) * 60_000_000
    case "hour": return TimeFunctions.floorDivide(local, 3_600_000_000) * 3_600_000_000
    case "day": return days * day
    case "month": return CivilDate(year: date.year, month: date.month, day: 1).days * day
    case "quarter":
      return CivilDate(year: date.year, month: (date.month - 1) / 3 * 3 + 1, day: 1).days * day
    case "year": return CivilDate(year: date.year, month: 1, day: 1).days * day
    case "isoyear": return startOfISOYear(isoYear(days)) * day
    default: throw ExpressionFailure("\"\(part)\" isn't a granularity of timestamps.")
    }
  }

  private static func extracted(_ local: Int64, _ part: String) throws -> Int64 {
    let days = TimeFunctions.floorDivide(local, day)
    let time = local - days * day
    let date = CivilDate(days: days)
    let dayOfYear = days - CivilDate(year: date.year, month: 1, day: 1).days
    if part == "isoweek" { return (days - startOfISOYear(isoYear(days))) / 7 + 1 }
    if let first = weekStart(part) {
      // Weeks begin at their first day; the days before the first one are week 0.
      return (dayOfYear + 7 - (weekday(days) - first + 7) % 7) / 7
    }
    switch part {
    case "microsecond": return time % 1_000_000
    case "millisecond": return time / 1_000 % 1_000
    case "second": return time / 1_000_000 % 60
    case "minute": return time / 60_000_000 % 60
    case "hour": return time / 3_600_000_000
    case "day": return date.day
    case "dayofweek": return weekday(days) + 1
    case "dayofyear": return dayOfYear + 1
    case "month": return date.month
    case "quarter": return (date.month - 1) / 3 + 1
    case "year": return date.year
    case "isoyear": return isoYear(days)
    default: throw ExpressionFailure("\"\(part)\" isn't a part of timestamps.")
    }
  }

  /// The year of the Thursday of a day's week.
  private static func isoYear(_ days: Int64) -> Int64 {
    CivilDate(days: startOfWeek(days, 1) + 3).year
  }

  private static func startOfISOYear(_ year: Int64) -> Int64 {
    startOfWeek(CivilDate(year: year, month: 1, day: 4).days, 1)
  }
}

/// A day of the Gregorian calendar.
private struct CivilDate {
  let year: Int64
  let month: Int64
  let day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that many days after 1970-01-01.
  init(days: Int64) {
    // Eras of 400 years that begin on the first of March (Howard Hinnant's algorithm).
    let shifted = days + 719_468
    let era = TimeFunctions.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let index = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * index + 2) / 5 + 1
    month = index < 10 ? index + 3 : index - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days after 1970-01-01.
  var days: Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = TimeFunctions.floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// A time zone: of the tz database, by an abbreviation, or a distance from UTC such as `GMT+06:32:43`.
private struct Zone {
  private let zone: TimeZone

  static let utc = Zone(zone: .gmt)

  private init(zone: TimeZone) { self.zone = zone }

  init?(_ name: String) {
    if name == "UTC" || name == "GMT" || name == "Z" {
      self = .utc
    } else if let seconds = Self.distance(name), let zone = TimeZone(secondsFromGMT: seconds) {
      self.zone = zone
    } else if name.contains("/") || TimeZone.knownTimeZoneIdentifiers.contains(name),
      let zone = TimeZone(identifier: name)
    {
      self.zone = zone
    } else if let zone = TimeZone(abbreviation: name) ?? TimeZone(identifier: name) {
      self.zone = zone
    } else {
      return nil
    }
  }

  /// The seconds of a distance such as `+06:30` or `GMT-3`.
  private static func distance(_ name: String) -> Int? {
    var text = Substring(name)
    for prefix in ["GMT", "UTC"] where text.hasPrefix(prefix) { text = text.dropFirst(3) }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.count <= 2 ? Int($0) : nil }
    guard (1...3).contains(parts.count), numbers.count == parts.count,
      numbers[0] <= 23, numbers.dropFirst().allSatisfy({ (0...59).contains($0) })
    else { return nil }
    let seconds = zip(numbers, [3_600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
    return sign == "-" ? -seconds : seconds
  }

  private func offset(at microseconds: Int64) -> Int64 {
    let seconds = TimeFunctions.floorDivide(microseconds, 1_000_000)
    let date = Date(timeIntervalSince1970: Double(seconds))
    return Int64(zone.secondsFromGMT(for: date)) * 1_000_000
  }

  /// The clock's reading at an instant, as microseconds.
  func local(_ microseconds: Int64) -> Int64 { microseconds + offset(at: microseconds) }

  /// The instant of a clock's reading; the earlier one where there are two.
  func instant(ofLocal local: Int64) -> Int64 {
    let early = local - offset(at: local - 86_400_000_000)
    let late = local - offset(at: local + 86_400_000_000)
    return self.local(early) == local ? early : self.local(late) == local ? late : early
  }
}
