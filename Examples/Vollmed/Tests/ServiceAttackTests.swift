import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import VollmedService

/// Attempts on the service by somebody without rights, or with another person's.
@Suite struct `Vollmed service under attack` {
  private static func specialist(
    crm: String = "1",
    email: String = "dr@example.com",
    password: String = "segredo"
  ) -> String {
    """
    {"nome":"Dra. Ana","crm":"\(crm)","imagem":"/fotos/98765.png","especialidade":"Pediatria",\
    "email":"\(email)","telefone":"1","senha":"\(password)"}
    """
  }

  @Test func `a specialist's account is changed by nobody else`() async throws {
    try await TestClinic.run { clinic in
      let victim = try await clinic.logIn("12345@example.com")
      let path = "/especialista/\(victim.id)"
      let before = try await raw(.get, clinic.url, path).text
      let patient = try await clinic.logIn()
      let colleague = try await clinic.logIn("67890@example.com")
      let callers: [(token: String?, status: Int)] = [
        (nil, 401), ("x", 401), (patient.token, 403), (colleague.token, 403),
      ]
      for (token, status) in callers {
        for (method, body) in [
          (HTTPMethod.put, Self.specialist(crm: "12345", email: "12345@example.com")),
          (.patch, #"{"telefone":"666"}"#), (.delete, "{}"),
        ] {
          let reply = try await raw(method, clinic.url, path, token: token, body: body)
          #expect(reply.status == status && reply.errorMessage?.isEmpty == false, "\(method)")
        }
      }
      #expect(try await raw(.get, clinic.url, path).text == before)
      _ = try await clinic.logIn("12345@example.com")
    }
  }

  @Test func `an e-mail address signs one person in, whatever others register`() async throws {
    try await TestClinic.run { clinic in
      let asPatient = try await clinic.signUp(email: "12345@EXAMPLE.com")
      #expect(asPatient.status == 400 && asPatient.errorMessage == "Email já registrado!")
      for email in ["lucas@example.com", "67890@example.com"] {
        let reply = try await raw(
          .post,
          clinic.url,
          "/especialista",
          body: Self.specialist(email: email)
        )
        #expect(reply.status == 422 && reply.errorMessage == "Email já registrado!", "\(email)")
      }
      _ = try await clinic.signUp()
      let ana = try await clinic.logIn("ana@example.com", "segredo")
      let moved = try await raw(
        .put,
        clinic.url,
        "/paciente/\(ana.id)",
        token: ana.token,
        body: """
          {"cpf":"\(TestClinic.cpf)","nome":"Ana","email":"12345@example.com","telefone":"1"}
          """
      )
      #expect(moved.status == 400 && moved.errorMessage == "Email já registrado!")
      _ = try await clinic.logIn("12345@example.com")
      #expect(try await clinic.specialists().count == 5)
    }
  }

  @Test func `a new password voids the other tokens, and a deletion all`() async throws {
    try await TestClinic.run { clinic in
      let created = try await raw(.post, clinic.url, "/especialista", body: Self.specialist())
      let path = "/especialista/\(try #require(created.object["id"] as? String))"
      let stolen = try await clinic.logIn("dr@example.com", "segredo")
      let own = try await clinic.logIn("dr@example.com", "segredo")
      let changed = try await raw(
        .put,
        clinic.url,
        path,
        token: own.token,
        body: Self.specialist(password: "outro")
      )
      #expect(changed.status == 200)
      #expect(try await raw(.get, clinic.url, "/consulta", token: stolen.token).status == 401)
      #expect(try await raw(.get, clinic.url, "/consulta", token: own.token).status == 200)
      let gone = try await raw(.delete, clinic.url, path, token: own.token)
      #expect(gone.object["message"] as? String == "Especialista apagado!")
      #expect(try await raw(.get, clinic.url, "/consulta", token: own.token).status == 401)
    }
  }

  /// One letter with thousands of marks is one character, and a NUL would end SQLite's text.
  private static let unfit = [
    "a" + String(repeating: "\\u0301", count: 5000), "Ana\\u0000 Lima", "Ana\\nLima", "Ana\\u0085",
    String(repeating: "x", count: 101),
  ]

  @Test(arguments: ["nome", "crm", "especialidade", "imagem", "email", "telefone", "senha"])
  func `a specialist's text that is overlong or has control characters is not stored`(
    field: String
  ) async throws {
    try await TestClinic.run(sample: false) { clinic in
      let long = String(repeating: "/", count: 501)
      let others = [
        "imagem": ["", "ftp://x", "https:x", long], "senha": ["", long], "nome": ["", " "],
      ]
      // A password may have any characters.
      let texts = (field == "senha" || field == "imagem" ? [] : Self.unfit) + (others[field] ?? [])
      for text in texts {
        let values = [
          "nome": "Ana", "crm": "1", "imagem": "/x", "especialidade": "P", "email": "a@b.co",
          "telefone": "1", "senha": "s",
        ].merging([field: text]) { $1 }
        let fields = values.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
        let reply = try await raw(.post, clinic.url, "/especialista", body: "{\(fields)}")
        #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false, "\(text.prefix(20))")
      }
      let many = Array(repeating: Self.specialist(), count: 51).joined(separator: ",")
      #expect(try await raw(.post, clinic.url, "/especialista", body: "[\(many)]").status == 400)
      #expect(try await clinic.specialists().isEmpty)
    }
  }

  @Test func `a phone number stays short when it is changed alone`() async throws {
    try await TestClinic.run { clinic in
      let doctor = try await clinic.logIn("12345@example.com")
      let path = "/especialista/\(doctor.id)"
      for phone in Self.unfit {
        let reply = try await raw(
          .patch,
          clinic.url,
          path,
          token: doctor.token,
          body: #"{"telefone":"\#(phone)"}"#
        )
        #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false)
      }
      let read = try await raw(.get, clinic.url, path)
      #expect(read.object["telefone"] as? String == "1133330000")
    }
  }

  @Test func `a patient's texts are one line each`() async throws {
    try await TestClinic.run { clinic in
      for field in ["nome", "telefone", "planoSaude", "email"] {
        for text in Self.unfit {
          let values = [
            "cpf": TestClinic.cpf, "nome": "Ana", "email": "a@b.co", "telefone": "1",
            "planoSaude": "Amil", "senha": "s",
          ].merging([field: text]) { $1 }
          let fields = values.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
          let reply = try await raw(.post, clinic.url, "/paciente", body: "{\(fields)}")
          #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false, "\(field)")
        }
      }
      #expect(try await clinic.signUp().status == 202)
    }
  }

  @Test func `a confirmation that comes beside a move does not bring the old date back`()
    async throws
  {
    try await TestClinic.run { clinic in
      let patient = try await clinic.logIn()
      let doctor = try #require(try await clinic.specialists().first)
      let booked = try await clinic.book(
        "2026-03-03T08:00:00-0300",
        patient: patient,
        specialist: doctor
      )
      let path = "/consulta/\(try #require(booked.object["id"] as? String))"
      @Sendable func change(_ body: String) async throws -> Int {
        try await raw(.patch, clinic.url, path, token: patient.token, body: body).status
      }
      for round in 0..<40 {
        let hour = 8 + round % 10
        let date = "2026-03-0\(3 + round % 3)T\(hour < 10 ? "0" : "")\(hour):00:00-0300"
        async let moved = change(#"{"data":"\#(date)"}"#)
        async let confirmed = change(#"{"status":"confirmada"}"#)
        #expect(try await (moved, confirmed) == (200, 200))
        let stored = try await clinic.list(of: patient).first?["data"] as? String
        let expected = AppointmentDate.parse(date, in: .saoPaulo)
        #expect(stored.flatMap { AppointmentDate.parse($0, in: .saoPaulo) } == expected)
      }
    }
  }
}
