import Foundation
import GRDB
import ServiceHost

/// The clinic's rules for booking, moving and cancelling; the first that is broken is the answer.
struct BookingRules {
  let clinic: Clinic
  let now: Date

  /// The time that an appointment occupies both people.
  static let length: TimeInterval = 60 * 60
  private static let shortestNotice: TimeInterval = 30 * 60
  private static let cancellationNotice: TimeInterval = 24 * 60 * 60

  /// - Parameter existing: The appointment being moved, which does not stand in its own way.
  func checkBooking(
    at date: Date,
    patient: String,
    specialist: String,
    moving existing: String? = nil,
    in database: Database
  ) throws {
    guard clinic.isOpen(at: date) else {
      throw ServiceError(.badRequest, "A clinica não está aberta nesse horário")
    }
    guard date.timeIntervalSince(now) > Self.shortestNotice else {
      throw ServiceError(
        .badRequest,
        "A consulta deve ser agendada com 30 minutos de antecedência"
      )
    }
    guard try isFree("patientID", patient, at: date, but: existing, in: database) else {
      throw ServiceError(.badRequest, "Paciente não está disponível nesse horário")
    }
    guard try isFree("specialistID", specialist, at: date, but: existing, in: database) else {
      throw ServiceError(.badRequest, "Especialista não está disponível nesse horário")
    }
  }

  func checkCancellation(of appointment: AppointmentRecord) throws {
    guard appointment.time.timeIntervalSince(now) > Self.cancellationNotice else {
      throw ServiceError(
        .badRequest,
        "A consulta deve ser desmarcada com 1 dia de antecedência"
      )
    }
  }

  private func isFree(
    _ column: String,
    _ person: String,
    at date: Date,
    but existing: String?,
    in database: Database
  ) throws -> Bool {
    let start = date.timeIntervalSince1970
    return
      try AppointmentRecord
      .filter(Column(column) == person && Column("isCancelled") == false)
      .filter(Column("date") > start - Self.length && Column("date") < start + Self.length)
      .filter(Column("id") != (existing ?? ""))
      .isEmpty(database)
  }
}
