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

  var time: Date { Date(timeIntervalSince1970: date) }
}

/// An appointment in a patient's list.
struct ListedAppointmentReply: Encodable {
  let id: String
  let data: String
  let especialista: SpecialistReply
}

/// An appointment with both people, as single reads and the full list answer it.
struct FullAppointmentReply: Encodable {
  let id: String
  let data: String
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

  private enum Key: String, CodingKey {
    case id, especialista, paciente, data, motivoCancelamento
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(id, forKey: .id)
    try object.encode(especialista, forKey: .especialista)
    try object.encode(paciente, forKey: .paciente)
    try object.encode(data, forKey: .data)
    try object.encodeNil(forKey: .motivoCancelamento)
  }
}
