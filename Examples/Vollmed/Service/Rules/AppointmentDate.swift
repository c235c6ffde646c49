import Foundation

/// Reads and writes the dates of appointments.
///
/// Read: `yyyy-MM-dd`, then `T` or a space and `HH:mm`, then optionally `:ss`, a fraction and a
/// zone (`Z`, `-0300` or `-03:00`). Without a zone the clinic's is meant. A day that the calendar
/// does not have is no date. Written: UTC with milliseconds and `Z`.
enum AppointmentDate {
  static func parse(_ text: String, in clinic: Clinic) -> Date? {
    let pattern =
      /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))?/
    guard text.utf8.count <= 40,
      let match = text.wholeMatch(of: pattern.asciiOnlyDigits())?.output
    else {
      return nil
    }
    var calendar = clinic.calendar
    if text.hasSuffix("Z") { calendar.timeZone = .gmt }
    if let sign = match.8, let hours = match.9.flatMap({ Int($0) }),
      let minutes = match.10.flatMap({ Int($0) })
    {
      let seconds = (hours * 60 + minutes) * 60
      guard hours < 24, minutes < 60,
        let zone = TimeZone(secondsFromGMT: sign == "-" ? -seconds : seconds)
      else { return nil }
      calendar.timeZone = zone
    }
    let parts = DateComponents(
      calendar: calendar,
      year: Int(match.1),
      month: Int(match.2),
      day: Int(match.3),
      hour: Int(match.4),
      minute: Int(match.5),
      second: match.6.flatMap { Int($0) } ?? 0
    )
    guard parts.isValidDate, let date = parts.date else { return nil }
    return date.addingTimeInterval(match.7.flatMap { Double("0.\($0)") } ?? 0)
  }

  static func text(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
