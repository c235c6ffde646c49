import Foundation

/// A place on earth, in degrees.
package struct Place: Codable, Sendable, Equatable {
  package var latitude: Double
  package var longitude: Double

  /// The place of a receipt if the device does not report its position.
  package static let unknown = Place(latitude: 0, longitude: 0)

  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// True for degrees in the ranges that a map has.
  ///
  /// The service stores any number, so a receipt from elsewhere may lie outside.
  package var isOnEarth: Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }
}

/// A registered moment of work.
///
/// The client makes the id, so that sending it twice stores it once.
package struct Receipt: Sendable, Equatable, Identifiable {
  package let id: UUID
  package let date: Date
  package let place: Place

  package init(id: UUID, date: Date, place: Place) {
    self.id = id
    self.date = date
    self.place = place
  }
}

/// Dates as the service writes them: `dd/MM/yyyy HH:mm` in Brasília's time (GMT-3).
package enum ReceiptDate {
  package static let timeZone = TimeZone(secondsFromGMT: -3 * 3600) ?? .gmt

  package static func text(_ date: Date) -> String {
    formatter("dd/MM/yyyy HH:mm").string(from: date)
  }

  package static func date(_ text: String) -> Date? {
    formatter("dd/MM/yyyy HH:mm").date(from: text)
  }

  /// Returns the text of the clock: `HH:mm`.
  package static func clock(_ date: Date) -> String {
    formatter("HH:mm").string(from: date)
  }

  private static func formatter(_ format: String) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = timeZone
    formatter.isLenient = false
    formatter.dateFormat = format
    return formatter
  }
}
