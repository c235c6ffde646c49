import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/consulta`: book, read, move, confirm and cancel the caller's own appointments.
///
/// `POST /consultas/agendar` books too; it is the endpoint of the exercise.
extension VollmedService {
  func addBookingExercise(to router: Router<BasicRequestContext>) {
    router.post("consultas/agendar") { request, _ in try await book(request) }
  }

  func addAppointmentRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.post { request, _ in try await book(request) }
    group.get { request, _ in
      let person = try await requirePerson(request)
      let records = try await database.read {
        try AppointmentRecord.filter(Column("isCancelled") == false)
          .filter(Column("patientID") == person || Column("specialistID") == person)
          .order(Column("date")).fetchAll($0)
      }
      var replies: [FullAppointmentReply] = []
      for record in records { replies.append(try await full(record, host: request.host)) }
      return try Response.json(replies)
    }
    group.get(":id") { request, context in
      let (id, person) = try await ownAppointment(request, context)
      let record = try await database.read { try Self.appointment(id, of: person, in: $0) }
      return try Response.json(try await full(record, host: request.host))
    }
    group.patch(":id") { request, context in try await change(request, context) }
    group.delete(":id") { request, context in try await cancel(request, context) }
  }

  /// A patient's appointments, soonest first, without the cancelled ones.
  func appointments(ofPatient id: String, host: String) async throws -> [ListedAppointmentReply] {
    try await database.read { database in
      let records =
        try AppointmentRecord
        .filter(Column("patientID") == id && Column("isCancelled") == false)
        .order(Column("date")).fetchAll(database)
      return try records.compactMap { record in
        try SpecialistRecord.fetchOne(database, key: record.specialistID).map {
          ListedAppointmentReply(
            id: record.id,
            data: AppointmentDate.text(record.time),
            status: record.status,
            especialista: SpecialistReply($0, host: host)
          )
        }
      }
    }
  }

  private func book(_ request: Request) async throws -> Response {
    let person = try await requirePerson(request)
    let form = try await request.json(BookingForm.self)
    let date = try date(form.data)
    let rules = BookingRules(clinic: clinic, now: now())
    let record = AppointmentRecord(
      id: UUID().uuidString.lowercased(),
      specialistID: form.especialista,
      patientID: form.paciente,
      date: date.timeIntervalSince1970
    )
    try await database.write { database in
      guard try PatientRecord.exists(database, key: form.paciente) else {
        throw ServiceError(.badRequest, "Paciente não encontrado!")
      }
      guard form.paciente == person else {
        throw ServiceError(.forbidden, "Este token não dá acesso a esses dados.")
      }
      guard try SpecialistRecord.exists(database, key: form.especialista) else {
        throw ServiceError(.badRequest, "Especialista não encontrado!")
      }
      try rules.checkBooking(
        at: date,
        patient: form.paciente,
        specialist: form.especialista,
        in: database
      )
      try record.insert(database)
    }
    return try Response.json(reply(record, data: form.data))
  }

  /// Moves an appointment, confirms it, or both.
  private func change(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    let (id, person) = try await ownAppointment(request, context)
    let form = try await request.json(ChangeForm.self)
    let date = try form.data.map(date)
    let rules = BookingRules(clinic: clinic, now: now())
    let record = try await database.write { database in
      var record = try Self.appointment(id, of: person, in: database)
      if let date {
        record.date = date.timeIntervalSince1970
        record.isConfirmed = false
        try rules.checkBooking(
          at: date,
          patient: record.patientID,
          specialist: record.specialistID,
          moving: record.id,
          in: database
        )
      }
      if let status = form.status { record.isConfirmed = status == .confirmada }
      try record.update(database)
      return record
    }
    return try Response.json(reply(record, data: form.data ?? AppointmentDate.text(record.time)))
  }

  private func cancel(
    _ request: Request,
    _ context: BasicRequestContext
  ) async throws -> Response {
    let (id, person) = try await ownAppointment(request, context)
    let form = try await request.json(CancelForm.self)
    let rules = BookingRules(clinic: clinic, now: now())
    try await database.write { database in
      var record = try Self.appointment(id, of: person, in: database)
      try rules.checkCancellation(of: record)
      (record.cancelReason, record.isCancelled) = (form.reason, true)
      try record.update(database)
    }
    return try Response.json("Consulta cancelada com sucesso")
  }

  /// The id in the path and the person whose token the request carries, who must be one of the two.
  ///
  /// A change reads the appointment again where it writes it: another request may have come between.
  private func ownAppointment(
    _ request: Request,
    _ context: BasicRequestContext
  ) async throws -> (id: String, person: String) {
    let person = try await requirePerson(request)
    let id = try context.parameters.require("id")
    _ = try await database.read { try Self.appointment(id, of: person, in: $0) }
    return (id, person)
  }

  private static func appointment(
    _ id: String,
    of person: String,
    in database: Database
  ) throws -> AppointmentRecord {
    let record = try AppointmentRecord.fetchOne(database, key: id)
    guard let record, !record.isCancelled else {
      throw ServiceError(.badRequest, "Consulta não encontrada")
    }
    guard record.patientID == person || record.specialistID == person else {
      throw ServiceError(.forbidden, "Este token não dá acesso a esses dados.")
    }
    return record
  }

  private func full(
    _ record: AppointmentRecord,
    host: String
  ) async throws -> FullAppointmentReply {
    let people = try await database.read { database in
      (
        try SpecialistRecord.fetchOne(database, key: record.specialistID),
        try PatientRecord.fetchOne(database, key: record.patientID)
      )
    }
    guard let specialist = people.0, let patient = people.1 else {
      throw ServiceError(.badRequest, "Consulta não encontrada")
    }
    return FullAppointmentReply(
      id: record.id,
      data: AppointmentDate.text(record.time),
      status: record.status,
      especialista: SpecialistReply(specialist, host: host),
      paciente: PatientReply(patient),
      motivoCancelamento: record.cancelReason
    )
  }

  private func reply(_ record: AppointmentRecord, data: String) -> BookingReply {
    BookingReply(
      id: record.id,
      especialista: record.specialistID,
      paciente: record.patientID,
      data: data,
      status: record.status
    )
  }

  private func date(_ text: String) throws -> Date {
    guard let date = AppointmentDate.parse(text, in: clinic) else {
      throw ServiceError(.badRequest, "Data inválida")
    }
    return date
  }
}

private struct BookingForm: Decodable {
  let especialista: String
  let paciente: String
  let data: String
}

/// A new date, a new status, or both; what cancels an appointment is DELETE.
private struct ChangeForm: Decodable {
  let data: String?
  let status: AppointmentStatus?

  private enum Key: String, CodingKey {
    case data, status
  }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    status = try object.decodeIfPresent(AppointmentStatus.self, forKey: .status)
    // Without a status the date is mandatory, as the courses have it.
    data =
      status == nil
      ? try object.decode(String.self, forKey: .data)
      : try object.decodeIfPresent(String.self, forKey: .data)
    guard status != .cancelada else {
      throw ServiceError(.badRequest, "Para cancelar a consulta, use DELETE")
    }
  }
}

/// The reason, under the service's key or the app's.
private struct CancelForm: Decodable {
  let reason: String

  private enum Key: String, CodingKey {
    case service = "motivo_cancelamento"
    case app = "motivoCancelamento"
  }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    reason =
      try object.decodeIfPresent(String.self, forKey: .service)
      ?? object.decodeIfPresent(String.self, forKey: .app) ?? ""
    guard reason.unicodeScalars.count <= 1000 else {
      throw ServiceError(.badRequest, "O motivo é longo demais")
    }
  }
}
