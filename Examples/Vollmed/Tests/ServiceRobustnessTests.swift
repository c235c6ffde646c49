import ExampleTesting
import Foundation
import RESTClient
import ServiceHost
import Testing

@testable import VollmedService

@Suite struct `Vollmed service` {
  private static let bodies = [
    "", "{", "null", "[]", "{}", "1", "\"x\"", "{\"data\":5}", "{\"data\":\"amanhã\"}",
    #"{"data":"2026-02-30T10:00:00Z","especialista":"x","paciente":"y"}"#,
    #"{"data":"2026-13-01T99:99:99Z"}"#, #"{"cpf":1,"nome":[],"email":{}}"#,
    #"{"email":"a","senha":null}"#, "\u{0}", String(repeating: "[", count: 5000),
    #"{"cpf":"52998224725","nome":"A","email":"semarroba","senha":"x","telefone":1}"#,
    #"{"cpf":"52998224725","nome":" ","email":"a@b.c","senha":"x","telefone":1.5}"#,
    #"{"motivo_cancelamento":7}"#, #"{"telefone":true}"#,
  ]

  @Test func `answers bad input on every route with a 4xx and a message`() async throws {
    try await TestClinic.run { clinic in
      let person = try await clinic.logIn()
      let routes: [(HTTPMethod, String)] = [
        (.post, "/auth/login"), (.post, "/paciente"), (.put, "/paciente/\(person.id)"),
        (.put, "/paciente/x"), (.post, "/especialista"), (.put, "/especialista/x"),
        (.patch, "/especialista/x"), (.delete, "/especialista/x"), (.post, "/consulta"),
        (.patch, "/consulta/x"), (.delete, "/consulta/x"), (.get, "/consulta/x"),
        (.get, "/paciente/x"), (.get, "/paciente/%00/consultas"), (.get, "/nada"),
        (.post, "/consultas/agendar"),
        (.get, "/fotos/..%2F..%2Fsecret.png"), (.delete, "/paciente/x"),
      ]
      for (method, path) in routes {
        for body in method == .get ? [nil] : Self.bodies.map(Optional.some) {
          let reply = try await raw(method, clinic.url, path, token: person.token, body: body)
          #expect((400..<500).contains(reply.status), "\(method) \(path) \(body ?? "")")
          #expect(reply.errorMessage?.isEmpty == false, "\(method) \(path) \(body ?? "")")
        }
      }
      let large = "{\"nome\":\"" + String(repeating: "x", count: 100_000) + "\"}"
      #expect(try await raw(.post, clinic.url, "/paciente", body: large).status == 413)
    }
  }

  @Test func `shows a patient's data to that patient only`() async throws {
    try await TestClinic.run { clinic in
      let lucas = try await clinic.logIn()
      _ = try await clinic.signUp()
      let ana = try await clinic.logIn("ana@example.com", "segredo")
      let doctor = try #require(try await clinic.specialists().first)
      let booked = try await clinic.book(
        "2026-03-03T10:00:00Z",
        patient: lucas,
        specialist: doctor
      )
      #expect(booked.status == 200)
      let appointment = try #require(booked.object["id"] as? String)
      for (method, path) in [
        (HTTPMethod.get, "/paciente/\(lucas.id)"), (.get, "/paciente/\(lucas.id)/consultas"),
        (.delete, "/paciente/\(lucas.id)"), (.get, "/consulta/\(appointment)"),
        (.delete, "/consulta/\(appointment)"),
      ] {
        let reply = try await raw(
          method,
          clinic.url,
          path,
          token: ana.token,
          body: method == .get ? nil : "{}"
        )
        #expect(reply.status == 403 && !reply.text.contains("lucas"), "\(path)")
      }
      let foreign = try await clinic.book(
        "2026-03-04T10:00:00Z",
        patient: (lucas.id, ana.token),
        specialist: doctor
      )
      #expect(foreign.status == 403)
      let all = try await raw(.get, clinic.url, "/consulta", token: ana.token)
      #expect(all.status == 200 && all.array.isEmpty)
      let patients = try await raw(.get, clinic.url, "/paciente", token: ana.token)
      #expect(patients.array.compactMap { $0["id"] as? String } == [ana.id])
    }
  }

  @Test func `adds specialists one by one or in one go, each CRM once`() async throws {
    try await TestClinic.run(sample: false) { clinic in
      func form(_ crm: String) -> String {
        """
        {"nome":"João da Silva","crm":"\(crm)","imagem":"https://images.unsplash.com/photo-1",\
        "especialidade":"Cardiologia","email":"\(crm)@example.com","telefone":1199,"senha":"x"}
        """
      }
      let one = try await raw(.post, clinic.url, "/especialista", body: form("1"))
      #expect(one.status == 200 && one.object["telefone"] as? String == "1199")
      #expect(!one.text.contains("senha"))
      let many = try await raw(
        .post,
        clinic.url,
        "/especialista",
        body: "[\(form("2")),\(form("3"))]"
      )
      #expect(many.status == 200 && many.array.count == 2)
      let known = try await raw(
        .post,
        clinic.url,
        "/especialista",
        body: "[\(form("4")),\(form("2"))]"
      )
      #expect(known.status == 422 && known.object["message"] is String)
      #expect(try await clinic.specialists().count == 3)

      let id = try #require(one.object["id"] as? String)
      let token = try await clinic.logIn("1@example.com", "x").token
      let phone = try await raw(
        .patch,
        clinic.url,
        "/especialista/\(id)",
        token: token,
        body: #"{"telefone":"21 5"}"#
      )
      #expect(phone.object["telefone"] as? String == "21 5")
      let others = try await raw(.get, clinic.url, "/especialista").array
      #expect(others.filter { $0["telefone"] as? String == "21 5" }.count == 1)
      let gone = try await raw(.delete, clinic.url, "/especialista/\(id)", token: token)
      #expect(gone.object["message"] as? String == "Especialista apagado!")
    }
  }

  @Test func `mocks routes from a file that may change at any time`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let file = folder.file("mock.json")
    @Sendable func write(_ text: String) throws { try Data(text.utf8).write(to: file) }
    @Sendable func mock(_ status: Int, _ message: String) -> String {
      """
      [{"method":"GET","path":"/especialista","status":\(status),
        "body":{"error":{"code":\(status),"message":"\(message)"}}}]
      """
    }
    try write(mock(400, "Ops!"))
    try await TestClinic.run(mockFile: file) { clinic in
      let first = try await raw(.get, clinic.url, "/especialista")
      #expect(first.status == 400 && first.errorMessage == "Ops!")
      try write(mock(500, "Ai!"))
      let second = try await raw(.get, clinic.url, "/especialista")
      #expect(second.status == 500 && second.errorMessage == "Ai!")
      try write(#"[{"method":"GET","path":"/especialista","delay":0.01}]"#)
      #expect(try await raw(.get, clinic.url, "/especialista").array.count == 5)
      // A comma too many is no fault, and what is no such array mocks nothing.
      try write(#"[{"method":"GET","path":"/especialista","status":500,"body":{"a":1,},},]"#)
      #expect(try await raw(.get, clinic.url, "/especialista").status == 500)
      try write("not json")
      #expect(try await raw(.get, clinic.url, "/especialista").status == 200)
    }
  }

  @Test func `keeps what it answered when it starts again`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let file = folder.file("clinic.sqlite")
    let hash = PasswordHash(rounds: 16)
    let token = try await withServer(
      VollmedService(file: file, passwords: hash).router()
    ) { url -> String in
      _ = try await raw(
        .post,
        url,
        "/paciente",
        body: """
          {"cpf":"52998224725","nome":"Ana","email":"a@b.co","senha":"s","telefone":"1"}
          """
      )
      let reply = try await raw(
        .post,
        url,
        "/auth/login",
        body: #"{"email":"a@b.co","senha":"s"}"#
      )
      return try #require(reply.object["token"] as? String)
    }
    try await withServer(VollmedService(file: file, passwords: hash).router()) { url in
      let list = try await raw(.get, url, "/paciente", token: token)
      #expect(list.array.first?["nome"] as? String == "Ana")
    }
  }

  @Test func `reads dates in every documented form and no others`() {
    let clinic = Clinic.saoPaulo
    func seconds(_ text: String) -> Double? {
      AppointmentDate.parse(text, in: clinic)?.timeIntervalSince1970
    }
    for text in [
      "2026-03-02T11:00:00Z", "2026-03-02T11:00:00.000Z", "2026-03-02T08:00:00-0300",
      "2026-03-02T08:00:00-03:00", "2026-03-02T08:00:00", "2026-03-02 08:00",
      "2026-03-02T11:00Z", "2026-03-02T13:00:00.000+0200",
    ] {
      #expect(seconds(text) == 1_772_449_200, "\(text)")
    }
    #expect(seconds("2026-03-02T11:00:00.250Z") == 1_772_449_200.25)
    for text in [
      "", "2026-03-02", "2026-02-29T10:00Z", "2026-03-02T24:00Z", "02/03/2026 10:00",
      "2026-03-02T11:00:61Z", "2026-03-02T11:00:00+9999", "２０２６-03-02T11:00Z",
      "2026-03-02T08:00:00-٠٣:٠٠",
    ] {
      #expect(seconds(text) == nil, "\(text)")
    }
  }
}
