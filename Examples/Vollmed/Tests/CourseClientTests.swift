import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import VollmedService

/// The courses' own clients against the service: their requests, byte for byte, and their types.
struct CourseClientTests: CourseHTTPClient {
  private static func decoded<Model: Decodable>(
    _ reply: RawReply,
    _ type: Model.Type = Model.self
  ) throws -> Model {
    try JSONDecoder().decode(type, from: Data(reply.text.utf8))
  }

  /// The body that `JSONEncoder().encode(patient)` of the starting project makes.
  private static let patient =
    #"{"cpf":"52998224725","nome":"Lucas","email":"lucas@gmail.com","senha":"123456","#
    + #""telefone":"21999999999","planoSaude":"Unimed"}"#

  private static func signUpAndIn(_ clinic: TestClinic) async throws -> Course.LoginResponse {
    let created = try await raw(.post, clinic.url, "/paciente", body: patient)
    #expect(created.status == 202)
    // The app reports a failure where this does not decode: `senha` is mandatory, and empty.
    let decoded = try decoded(created, Course.Patient.self)
    #expect(decoded.id != nil && decoded.name == "Lucas" && decoded.password.isEmpty)
    let login = try await raw(
      .post,
      clinic.url,
      "/auth/login",
      body: #"{"email":"lucas@gmail.com","senha":"123456"}"#
    )
    return try Self.decoded(login)
  }

  @Test func `the starting project signs up, books, moves, cancels and logs out`() async throws {
    try await TestClinic.run { clinic in
      let session = try await Self.signUpAndIn(clinic)
      #expect(session.auth)
      let list = await sendRequest(
        endpoint: Course.HomeEndpoint.getAllSpecialists(clinic.url),
        responseModel: [Course.Specialist].self
      )
      let specialist = try #require(try list.get()?.first)

      let booked = try await raw(
        .post,
        clinic.url,
        "/consulta",
        token: session.token,
        body: """
          {"especialista":"\(specialist.id)","paciente":"\(session.id)",\
          "data":"2026-03-05T10:00:00.000-0300"}
          """
      )
      let booking = try Self.decoded(booked, Course.ScheduleAppointmentResponse.self)
      #expect(booked.status == 200 && booking.patient == session.id)
      let path = "/consulta/\(booking.id)"
      let moved = try await raw(
        .patch,
        clinic.url,
        path,
        token: session.token,
        body: #"{"data":"2026-03-06T11:15:00.000-0300"}"#
      )
      #expect(try Self.decoded(moved, Course.ScheduleAppointmentResponse.self).id == booking.id)
      let mine = try await raw(
        .get,
        clinic.url,
        "/paciente/\(session.id)/consultas",
        token: session.token
      )
      let appointments = try Self.decoded(mine, [Course.Appointment].self)
      #expect(appointments.map(\.date) == ["2026-03-06T14:15:00.000Z"])
      #expect(appointments.first?.specialist.id == specialist.id)
      let gone = try await raw(
        .delete,
        clinic.url,
        path,
        token: session.token,
        body: #"{"motivoCancelamento":"Viagem"}"#
      )
      #expect(gone.status == 200)

      let out = await sendRequest(
        endpoint: Course.HomeEndpoint.logout(clinic.url, token: session.token),
        responseModel: nil as Course.LoginResponse.Type?
      )
      _ = try out.get()
      #expect(try await raw(.get, clinic.url, path, token: session.token).status == 401)
    }
  }

  @Test func `the exercise's endpoint books without a Content-Type, and the visit is confirmed`()
    async throws
  {
    try await TestClinic.run { clinic in
      let session = try await Self.signUpAndIn(clinic)
      let specialist = try #require(try await clinic.specialists().first)
      let result = await sendRequest(
        endpoint: Course.AgendarConsultaEndpoint(
          url: clinic.url,
          header: ["Authorization": "Bearer \(session.token)"],
          body: [
            "especialista": specialist, "paciente": session.id,
            "data": "2026-03-05T10:00:00.000-0300",
          ]
        ),
        responseModel: Course.Consulta.self
      )
      let visit = try #require(try result.get())
      #expect(visit.status == .agendada)
      func change(_ body: String) async throws -> RawReply {
        try await raw(
          .patch,
          clinic.url,
          "/consulta/\(visit.id)",
          token: session.token,
          body: body
        )
      }
      let confirmed = try Self.decoded(
        try await change(#"{"status":"confirmada"}"#),
        Course.Consulta.self
      )
      #expect(confirmed.status == .confirmada)
      let patient = (id: session.id, token: session.token)
      #expect(try await clinic.list(of: patient).first?["status"] as? String == "confirmada")
      // A new date needs a new confirmation.
      let moved = try await change(#"{"data":"2026-03-06T11:15:00.000-0300"}"#)
      #expect(try Self.decoded(moved, Course.Consulta.self).status == .agendada)
      for body in [
        #"{"status":"cancelada"}"#, #"{"status":"x"}"#, #"{"status":1}"#, "{}",
        #"{"status":"confirmada","data":"amanhã"}"#,
      ] {
        let reply = try await change(body)
        #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false, "\(body)")
      }
      #expect(try await clinic.list(of: patient).first?["status"] as? String == "agendada")
    }
  }

  @Test func `the exercise's endpoint is 401 without a token, 403 for another, and books nothing`()
    async throws
  {
    try await TestClinic.run { clinic in
      let lucas = try await clinic.logIn()
      let other = try await Self.signUpAndIn(clinic)
      let specialist = try #require(try await clinic.specialists().first)
      let body = """
        {"especialista":"\(specialist)","paciente":"\(lucas.id)",\
        "data":"2026-03-05T10:00:00.000-0300"}
        """
      let path = "/consultas/agendar"
      #expect(try await raw(.post, clinic.url, path, body: body).status == 401)
      let refused = try await raw(.post, clinic.url, path, token: other.token, body: body)
      #expect(refused.status == 403 && refused.errorMessage != nil)
      for bad in [
        #"{"especialista":"\#(specialist)","paciente":"\#(lucas.id)"}"#,
        #"{"especialista":7,"paciente":"\#(lucas.id)","data":"2026-03-05T10:00:00Z"}"#,
        #"{"especialista":"x","paciente":"\#(lucas.id)","data":"2026-03-05T10:00:00Z"}"#,
        #"{"especialista":"x","paciente":"\#(lucas.id)","data":"\#(String(repeating: "1", count: 99))"}"#,
      ] {
        let reply = try await raw(.post, clinic.url, path, token: lucas.token, body: bad)
        #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false, "\(bad)")
      }
      #expect(try await clinic.list(of: lucas).isEmpty)
    }
  }

  /// The mock of the course on errors, and the cases of its exercise.
  @Test func `400, 401 and 500 reach the app as its own errors`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let mock = folder.file("mock.json")
    let text = "Ops! Ocorreu um erro, mas já estamos trabalhando para solucionar"
    try await TestClinic.run(mockFile: mock) { clinic in
      for (status, message) in [
        (400, text), (401, "sessão expirada"), (500, "erro desconhecido"),
        (503, "erro desconhecido"),
      ] {
        let body = #"{"error":{"code":\#(status),"message":"\#(text)"}}"#
        try Data(
          #"[{"method":"GET","path":"/specialists","status":\#(status),"body":\#(body)}]"#.utf8
        ).write(to: mock)
        let result = await sendRequest(
          endpoint: Course.HomeEndpoint.specialistsOfTheMock(clinic.url),
          responseModel: [Course.Specialist].self
        )
        guard case .failure(let error) = result else {
          Issue.record("\(status) should be a failure")
          continue
        }
        #expect(error.customMessage == message, "\(status)")
        if status == 500, case .internalServerError = error { continue }
        #expect(status != 500)
      }
    }
  }

  @Test(arguments: [
    #"{"nome":"A","email":"a@b.co","senha":"x","telefone":"1","planoSaude":"Amil"}"#,
    #"{"cpf":52998224725,"nome":"A","email":"a@b.co","senha":"x","telefone":"1"}"#,
    #"{"cpf":"52998224725","nome":"A","email":"a@b.co","senha":7,"telefone":"1"}"#,
    #"{"cpf":"52998224725","nome":"A","email":"a@b.co","senha":"","telefone":"1"}"#,
    #"{"cpf":"52998224725","nome":"A","email":"a@b.co","senha":"x"}"#,
    #"{"cpf":"52998224725","nome":"\#(String(repeating: "A", count: 101))","#
      + #""email":"a@b.co","senha":"x","telefone":"1"}"#,
    #"{"cpf":"52998224725","nome":"A","email":"a@b.co","senha":"x","#
      + #""telefone":"\#(String(repeating: "1", count: 31))"}"#,
  ])
  func `a sign-up that the courses never send is 400 and makes nobody`(body: String) async throws {
    try await TestClinic.run(sample: false) { clinic in
      let reply = try await raw(.post, clinic.url, "/paciente", body: body)
      #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false)
      let login = try await raw(
        .post,
        clinic.url,
        "/auth/login",
        body: #"{"email":"a@b.co","senha":"x"}"#
      )
      #expect(login.status == 404)
    }
  }
}
