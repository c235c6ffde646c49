import RESTClient

/// A patient's appointments.
///
/// Dates travel as `AppointmentDate.sent` writes them.
package protocol AppointmentService: Sendable {
  func appointments(ofPatient id: String) async throws(RequestError) -> [Appointment]
  func book(specialist: String, patient: String, date: String) async throws(RequestError)
  func move(appointment: String, to date: String) async throws(RequestError)
  func confirm(appointment: String) async throws(RequestError)
  func cancel(appointment: String, reason: String) async throws(RequestError)
}

/// The clinic's own.
package struct NetworkAppointmentService: AppointmentService {
  private let client: HTTPClient

  package init(client: HTTPClient) {
    self.client = client
  }

  package func appointments(
    ofPatient id: String
  ) async throws(RequestError) -> [Appointment] {
    try await client.send(.appointments(ofPatient: id))
  }

  package func book(
    specialist: String,
    patient: String,
    date: String
  ) async throws(RequestError) {
    let form = BookingForm(especialista: specialist, paciente: patient, data: date)
    try await client.send(Endpoint(.post, "consulta", body: .json(form)))
  }

  package func move(appointment: String, to date: String) async throws(RequestError) {
    try await client.send(Endpoint(.patch, "consulta", appointment, body: .json(["data": date])))
  }

  package func confirm(appointment: String) async throws(RequestError) {
    let form = ["status": Appointment.Status.confirmed.rawValue]
    try await client.send(Endpoint(.patch, "consulta", appointment, body: .json(form)))
  }

  package func cancel(appointment: String, reason: String) async throws(RequestError) {
    try await client.send(
      Endpoint(
        .delete,
        "consulta",
        appointment,
        body: .json(["motivo_cancelamento": reason])
      )
    )
  }
}

private struct BookingForm: Encodable {
  let especialista: String
  let paciente: String
  let data: String
}

extension Endpoint where Response == [Appointment] {
  fileprivate static func appointments(ofPatient id: String) -> Endpoint {
    Endpoint(.get, "paciente", id, "consultas")
  }
}
