import Foundation
import GRDB

/// An appointment as stored.
struct AppointmentRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "appointment"

  var id: String
  var specialistID: String
  var patientID: String
  /// Seconds since 1970.
  var date: Double
  var cancelReason: String?
  var isCancelled = false
  var isConfirmed = false

  var time: Date { Date(timeIntervalSince1970: date) }

  var status: AppointmentStatus {
    isCancelled ? .cancelada : isConfirmed ? .confirmada : .agendada
  }
}

/// The state of an appointment; the words are those of the API.
///
/// A new date needs a new confirmation.
enum AppointmentStatus: String, Codable, Sendable {
  case agendada, confirmada, cancelada
}

/// An appointment in a patient's list.
struct ListedAppointmentReply: Encodable {
  let id: String
  let data: String
  let status: AppointmentStatus
  let especialista: SpecialistReply
}

/// An appointment with both people, as single reads and the full list answer it.
struct FullAppointmentReply: Encodable {
  let id: String
  let data: String
  let status: AppointmentStatus
  let especialista: SpecialistReply
  let paciente: PatientReply
  let motivoCancelamento: String?
}

/// The echo of a booking: identifiers, and the date as the client wrote it.
struct BookingReply: Encodable {
  let id: String
  let especialista: String
  let paciente: String
  let data: String
  let status: AppointmentStatus

  private enum Key: String, CodingKey {
    case id, especialista, paciente, data, status, motivoCancelamento
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(id, forKey: .id)
    try object.encode(especialista, forKey: .especialista)
    try object.encode(paciente, forKey: .paciente)
    try object.encode(data, forKey: .data)
    try object.encode(status, forKey: .status)
    try object.encodeNil(forKey: .motivoCancelamento)
  }
}
