import Foundation

/// The place and the opening hours of the clinic.
package struct Clinic: Sendable {
  package let timeZone: TimeZone
  let calendar: Calendar

  package init(timeZone: TimeZone) {
    self.timeZone = timeZone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  /// The clinic of the courses.
  ///
  /// Its time zone has had no daylight saving since 2019.
  package static let saoPaulo = Clinic(
    timeZone: TimeZone(identifier: "America/Sao_Paulo") ?? TimeZone(secondsFromGMT: -3 * 3600)
      ?? .gmt
  )

  /// Monday to Saturday, from 07:00 up to but not including 19:00.
  func isOpen(at date: Date) -> Bool {
    let sunday = 1
    return calendar.component(.weekday, from: date) != sunday
      && (7..<19).contains(calendar.component(.hour, from: date))
  }
}
