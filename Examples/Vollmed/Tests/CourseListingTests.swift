import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import VollmedService

/// The listings of the courses, run against the service.
struct CourseListingTests {
  @Test func `MVVM, lessons 1 and 2: the view model lists the specialists and logs out`()
    async throws
  {
    try await TestClinic.run { clinic in
      let session = try await clinic.logIn()
      let manager = Listing.AuthenticationManager()
      let service = Listing.WebService(baseURL: clinic.url.absoluteString, authManager: manager)
      let home = Listing.HomeViewModel(service: service, authManager: manager)
      #expect(try await home.getSpecialists().count == 5)
      // Without a token the listing sends nothing, and nobody is logged out.
      await home.logout()
      (manager.token, manager.patientID) = (session.token, session.id)
      await home.logout()
      #expect(manager.token == nil && manager.patientID == nil)
      let after = try await raw(.get, clinic.url, "/paciente/\(session.id)", token: session.token)
      #expect(after.status == 401)
      // A token that the service does not know leaves the app as it is.
      (manager.token, manager.patientID) = (session.token, session.id)
      await home.logout()
      #expect(manager.token == session.token && manager.patientID == session.id)
    }
  }

  @Test
  func `MVVM, lesson 1: a clinic without specialists is an error that the view model passes on`()
    async throws
  {
    try await TestClinic.run(sample: false) { clinic in
      let manager = Listing.AuthenticationManager()
      let service = Listing.WebService(baseURL: clinic.url.absoluteString, authManager: manager)
      let home = Listing.HomeViewModel(service: service, authManager: manager)
      do {
        Issue.record("\(try await home.getSpecialists()) should not decode")
      } catch is DecodingError {}
    }
  }

  @Test func `MVVM, lesson 3: what the view model confirms is what the service calls confirmed`()
    async throws
  {
    try await TestClinic.run { clinic in
      let patient = try await clinic.logIn()
      let doctor = try #require(try await clinic.specialists().first)
      let booked = try await clinic.book(
        "2026-03-05T10:00:00.000-0300",
        patient: patient,
        specialist: doctor
      )
      let visit = try JSONDecoder().decode(Course.Consulta.self, from: Data(booked.text.utf8))
      let model = Listing.ConsultaViewModel()
      model.confirmarConsulta()
      let consulta = Listing.Consulta(status: visit.status)
      model.consulta = consulta
      model.confirmarConsulta()
      let sent = try await raw(
        .patch,
        clinic.url,
        "/consulta/\(visit.id)",
        token: patient.token,
        body: #"{"status":"\#(consulta.status.rawValue)"}"#
      )
      #expect(sent.status == 200)
      #expect(try await clinic.list(of: patient).first?["status"] as? String == "confirmada")
    }
  }

  @Test func `errors, lesson 2: the exercise tells 400, 401, 500 and the rest apart`() async throws
  {
    let folder = try Folder()
    defer { folder.remove() }
    let mock = folder.file("mock.json")
    try await TestClinic.run(mockFile: mock) { clinic in
      let client = Listing.ErrorsClient(address: clinic.url.absoluteString + "/specialists")
      func outcome(_ status: Int) async throws -> Listing.RequestError? {
        // The course's own JSON, with the comma before the brace that it prints.
        let body = """
          {
              "error": {
                  "code": \(status),
                  "message": "Ops! Ocorreu um erro, mas já estamos trabalhando para solucionar",
              }
          }
          """
        try Data(
          #"[{"method": "GET", "path": "/specialists", "status": \#(status), "body": \#(body)}]"#
            .utf8
        ).write(to: mock)
        guard
          case .failure(let error) = await client.sendRequest(
            responseModel: [Course.Specialist].self
          )
        else { return nil }
        return error
      }
      #expect(try await outcome(400) == .invalidRequest)
      #expect(try await outcome(401) == .unauthorized)
      #expect(try await outcome(500) == .internalServerError)
      #expect(try await outcome(503) == .unknown)
      #expect(try await outcome(200) == nil)
      let reply = try await raw(.get, clinic.url, "/specialists")
      #expect(
        reply.errorMessage == "Ops! Ocorreu um erro, mas já estamos trabalhando para solucionar"
      )
      // Pages of other origins read the mock, and nothing else.
      func origins(_ headers: [String: String]) -> String? {
        headers.first { $0.key.lowercased() == "access-control-allow-origin" }?.value
      }
      #expect(origins(reply.headers) == "*")
      let real = try await raw(.get, clinic.url, "/especialista")
      #expect(real.status == 200 && origins(real.headers) == nil)
    }
  }
}
