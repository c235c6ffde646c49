import FirebaseFirestore
import Foundation

/// A language and its year: a date is stored as a timestamp, and the name under another key.
///
/// With `CodingKeys` every property that is to be mapped must be listed, the id too; what is not
/// listed stays on this device.
package struct ProgrammingLanguage: Codable, Sendable {
  @DocumentID package var id: String?
  package var name: String
  package var year: Date
  package var reasonWhyILoveThis = ""

  package enum CodingKeys: String, CodingKey {
    case id
    case name = "language_name"
    case year
  }

  package static var empty: ProgrammingLanguage {
    ProgrammingLanguage(name: "", year: date(year: 2014) ?? .distantPast)
  }

  /// The first moment of a year in Greenwich; nil where there is no such year.
  package static func date(year: Int) -> Date? {
    guard (1...9999).contains(year) else { return nil }
    return calendar.date(from: DateComponents(year: year, month: 1, day: 1))
  }

  /// The year in Greenwich.
  package var releaseYear: Int { Self.calendar.component(.year, from: year) }

  private static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }
}
