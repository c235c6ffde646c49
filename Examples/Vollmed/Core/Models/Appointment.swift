import Foundation

/// A patient's appointment with a specialist.
package struct Appointment: Decodable, Sendable, Equatable, Identifiable {
  /// The state of an appointment.
  package enum Status: String, Codable, Sendable {
    case booked = "agendada"
    case confirmed = "confirmada"
  }

  package let id: String
  /// The date as the service wrote it; `AppointmentDate` reads it.
  package let date: String
  /// nil from a service that has no status.
  package let status: Status?
  package let specialist: Specialist

  private enum CodingKeys: String, CodingKey {
    case id, status
    case date = "data"
    case specialist = "especialista"
  }

  package init(id: String, date: String, status: Status? = nil, specialist: Specialist) {
    self.id = id
    self.date = date
    self.status = status
    self.specialist = specialist
  }
}

/// The dates of appointments: as sent, as received, and as shown to people.
package enum AppointmentDate {
  /// `yyyy-MM-dd'T'HH:mm:ss.SSSZ` in the device's zone.
  package static func sent(_ date: Date, in zone: TimeZone) -> String {
    formatter("yyyy-MM-dd'T'HH:mm:ss.SSSZ", zone).string(from: date)
  }

  /// `dd/MM/yyyy 'às' HH:mm`; empty when the text is no date.
  package static func shown(_ text: String, in zone: TimeZone) -> String {
    guard let date = formatter("yyyy-MM-dd'T'HH:mm:ss.SSSZ", .gmt).date(from: text) else {
      return ""
    }
    return formatter("dd/MM/yyyy 'às' HH:mm", zone).string(from: date)
  }

  private static func formatter(_ format: String, _ zone: TimeZone) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = zone
    formatter.dateFormat = format
    return formatter
  }
}
