import Foundation

/// Wall-clock times of conditions: `2025-01-01T09:02:30` in a zone.
enum ZonedTime {
  /// The instant of a wall-clock time, in microseconds since the epoch; nil for an invalid time or
  /// zone.
  ///
  /// A time that the zone's clocks show twice is the first of the two; one that they skip is as much
  /// later as they skip.
  static func instant(_ text: String, zone identifier: String) -> Int64? {
    guard let zone = TimeZone(identifier: identifier), let wall = seconds(text) else { return nil }
    // The offsets from UTC a day before and a day after: at most one change lies between.
    let earlier = zone.offset(at: wall - 86_400)
    let later = zone.offset(at: wall + 86_400)
    for offset in [earlier, later] where zone.offset(at: wall - offset) == offset {
      return Int64(wall - offset) * 1_000_000
    }
    return Int64(wall - earlier) * 1_000_000
  }

  /// Seconds from the epoch to a time as if its zone were UTC.
  private static func seconds(_ text: String) -> Int? {
    let pattern = #/(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?/#
    guard let parts = text.wholeMatch(of: pattern)?.output,
      let year = Int(parts.1), let month = Int(parts.2), let day = Int(parts.3),
      let hour = Int(parts.4), let minute = Int(parts.5), let second = Int(parts.6 ?? "0"),
      (1...12).contains(month), day >= 1, day <= days(in: month, of: year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    return daysSinceEpoch(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  /// Days of the Gregorian calendar, counted in years that begin with March.
  private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
  }
}

extension TimeZone {
  /// Seconds that the zone is ahead of UTC at that many seconds after the epoch.
  fileprivate func offset(at seconds: Int) -> Int {
    secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }
}
