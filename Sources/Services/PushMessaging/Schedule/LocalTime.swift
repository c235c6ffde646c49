import Foundation

/// A date and a time of day without a time zone: what a clock on a wall shows.
package struct LocalTime: Sendable, Equatable {
  /// Seconds since 1970 of the instant at which a clock of UTC shows it.
  let seconds: Int64

  /// The most that clocks are ahead of UTC, and behind it, in seconds.
  private static let reach = (ahead: Int64(14 * 3_600), behind: Int64(12 * 3_600))

  init(seconds: Int64) { self.seconds = seconds }

  /// Reads `2027-01-15T09:00` or `2027-01-15T09:00:30`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard parts.count == 2, let date = Self.numbers(parts[0], "-", [4, 2, 2]),
      let time = Self.numbers(parts[1], ":", [2, 2]) ?? Self.numbers(parts[1], ":", [2, 2, 2])
    else { return nil }
    let components = DateComponents(
      year: date[0],
      month: date[1],
      day: date[2],
      hour: time[0],
      minute: time[1],
      second: time.count == 3 ? time[2] : 0
    )
    let calendar = Calendar.gregorian(.gmt)
    guard components.isValidDate(in: calendar), let instant = calendar.date(from: components)
    else { return nil }
    seconds = Int64(instant.timeIntervalSince1970)
  }

  private static func numbers(
    _ text: Substring,
    _ separator: Character,
    _ digits: [Int]
  ) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = zip(parts, digits).compactMap { part, digits -> Int? in
      part.utf8.count == digits && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        ? Int(part) : nil
    }
    return parts.count == digits.count && numbers.count == digits.count ? numbers : nil
  }

  /// As it was read, with seconds.
  package var text: String {
    let date = Date(timeIntervalSince1970: TimeInterval(seconds))
    let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day().time(
      includingFractionalSeconds: false
    )
    return date.formatted(style)
  }

  /// When clocks of a zone show it, in microseconds.
  ///
  /// If they pass over it, the instant as if they had not yet; if they show it twice, the first
  /// one.
  package func instant(in zone: TimeZone) -> Int64 {
    let day: Int64 = 86_400
    let before = Self.offset(of: zone, at: seconds - day)
    let instants = [before, Self.offset(of: zone, at: seconds + day)].map { seconds - $0 }
    let shown = instants.filter { $0 + Self.offset(of: zone, at: $0) == seconds }
    return 1_000_000 * (shown.min() ?? seconds - before)
  }

  private static func offset(of zone: TimeZone, at seconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
  }

  /// When the first clocks of all show it, in microseconds.
  var earliest: Int64 { (seconds - Self.reach.ahead) * 1_000_000 }

  /// When the last ones do.
  var latest: Int64 { (seconds + Self.reach.behind) * 1_000_000 }
}

extension Calendar {
  /// The Gregorian calendar of a zone.
  static func gregorian(_ zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }
}
