import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import VollmedService

/// The routes of section 3a that no acceptance item names.
@Suite struct `Vollmed service, other routes` {
  @Test func `appointments are read one by one and all together, with both people`() async throws {
    try await TestClinic.run { clinic in
      let patient = try await clinic.logIn()
      let doctor = try #require(try await clinic.specialists().first)
      let booked = try await clinic.book(
        "2026-03-03T10:00:00-0300",
        patient: patient,
        specialist: doctor
      )
      let id = try #require(booked.object["id"] as? String)
      let one = try await raw(.get, clinic.url, "/consulta/\(id)", token: patient.token)
      #expect(one.status == 200 && one.object["data"] as? String == "2026-03-03T13:00:00.000Z")
      #expect((one.object["paciente"] as? [String: Any])?["id"] as? String == patient.id)
      #expect((one.object["especialista"] as? [String: Any])?["id"] as? String == doctor)
      let doctorsView = try await clinic.logIn("98765@example.com")
      let own = try await raw(.get, clinic.url, "/consulta", token: doctorsView.token)
      #expect(own.array.compactMap { $0["id"] as? String } == [id])
      let missing = try await raw(.get, clinic.url, "/consulta/x", token: patient.token)
      #expect(missing.status == 400 && missing.errorMessage == "Consulta não encontrada")
      let busy = try await raw(
        .delete,
        clinic.url,
        "/especialista/\(doctor)",
        token: doctorsView.token
      )
      #expect(busy.errorMessage == "Especialista possui consultas agendadas")
    }
  }

  @Test func `patients are read, changed and deleted by themselves`() async throws {
    try await TestClinic.run { clinic in
      _ = try await clinic.signUp()
      let ana = try await clinic.logIn("ana@example.com", "segredo")
      let path = "/paciente/\(ana.id)"
      let read = try await raw(.get, clinic.url, path, token: ana.token)
      #expect(read.object["cpf"] as? String == TestClinic.cpf && read.object["senha"] == nil)
      func put(_ email: String) async throws -> RawReply {
        try await raw(
          .put,
          clinic.url,
          path,
          token: ana.token,
          body: """
            {"cpf":"\(TestClinic.cpf)","nome":"Ana Lima","email":"\(email)","telefone":7}
            """
        )
      }
      #expect(try await put("lucas@example.com").errorMessage == "Email já registrado!")
      let changed = try await put("ana.lima@example.com")
      #expect(changed.status == 200 && changed.object["telefone"] as? String == "7")
      let again = try await clinic.logIn("ana.lima@example.com", "segredo")
      let gone = try await raw(.delete, clinic.url, path, token: again.token)
      #expect(gone.status == 200 && gone.object["message"] as? String == "Paciente apagado!")
      #expect(try await raw(.get, clinic.url, path, token: again.token).status == 401)
    }
  }

  @Test func `specialists are read and replaced by id`() async throws {
    try await TestClinic.run { clinic in
      let id = try #require(try await clinic.specialists().first)
      let path = "/especialista/\(id)"
      let token = try await clinic.logIn("98765@example.com").token
      func put(_ crm: String) async throws -> RawReply {
        try await raw(
          .put,
          clinic.url,
          path,
          token: token,
          body: """
            {"nome":"Andréia R.","crm":"\(crm)","imagem":"/fotos/98765.png",\
            "especialidade":"Pediatria","email":"a@example.com","telefone":"1","senha":"nova"}
            """
        )
      }
      #expect(try await put("12345").status == 422)
      #expect(try await put("98765").status == 200)
      let read = try await raw(.get, clinic.url, path)
      #expect(read.status == 200 && read.object["nome"] as? String == "Andréia R.")
      let unknown = try await raw(.get, clinic.url, "/especialista/x")
      #expect(unknown.status == 400 && unknown.errorMessage == "Id não encontrado")
    }
  }
}
