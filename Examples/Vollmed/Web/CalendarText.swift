import Foundation

/// The text of a browser's `datetime-local` field: `yyyy-MM-ddTHH:mm`, in the page's zone.
enum CalendarText {
  static func date(_ text: String, in zone: TimeZone) -> Date? {
    formatter(zone).date(from: String(text.prefix(16)))
  }

  static func text(_ date: Date, in zone: TimeZone) -> String {
    formatter(zone).string(from: date)
  }

  private static func formatter(_ zone: TimeZone) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = zone
    formatter.dateFormat = "yyyy-MM-dd'T'HH:mm"
    return formatter
  }
}
