import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import VollmedService

/// The acceptance list 3e, over HTTP.
///
/// If a better rule replaces the documents', the test's name says so.
@Suite struct `Vollmed service 3e` {
  @Test func `3e.1 sign-up answers 202 and refuses a known CPF, a known e-mail and bad digits`()
    async throws
  {
    try await TestClinic.run { clinic in
      let created = try await clinic.signUp()
      #expect(created.status == 202)
      #expect(created.object["nome"] as? String == "Ana Lima")
      #expect(created.object["telefone"] as? String == "011 9")
      #expect(created.object["senha"] as? String == "" && !created.text.contains("scrypt"))

      let again = try await clinic.signUp(email: "outra@example.com")
      #expect(again.status == 400 && again.errorMessage == "CPF já registrado!")
      let email = try await clinic.signUp(cpf: "11144477735", email: "ANA@example.com")
      #expect(email.status == 400 && email.errorMessage == "Email já registrado!")
      for cpf in ["52998224726", "529.982.247-25", "1", "", "５２９９８２２４７２５"] {
        let bad = try await clinic.signUp(cpf: cpf, email: "x@example.com")
        #expect(bad.status == 400 && bad.errorMessage == "CPF Inválido!", "\(cpf)")
        #expect(bad.object["message"] as? String == "CPF Inválido!")
        #expect(bad.object["status"] as? Int == 400)
      }
    }
  }

  @Test func `3e.2 login gives id and token, 401 for the password, 404 for the e-mail`()
    async throws
  {
    try await TestClinic.run { clinic in
      let person = try await clinic.logIn()
      #expect(!person.id.isEmpty && person.token.count > 20)
      let wrong = try await raw(
        .post,
        clinic.url,
        "/auth/login",
        body: #"{"email":"lucas@example.com","senha":"x"}"#
      )
      #expect(wrong.status == 401 && wrong.errorMessage == "Senha incorreta!")
      let unknown = try await raw(
        .post,
        clinic.url,
        "/auth/login",
        body: #"{"email":"no@example.com","senha":"x"}"#
      )
      #expect(unknown.status == 404 && unknown.errorMessage == "Não encontrado!")
      _ = try await clinic.logIn("12345@example.com")
    }
  }

  @Test func `3e.3 specialists are public, and none is a 400 with a message`() async throws {
    try await TestClinic.run { clinic in
      let reply = try await raw(.get, clinic.url, "/especialista")
      #expect(reply.status == 200 && reply.array.count == 5)
      #expect(reply.array.allSatisfy { ($0["email"] as? String)?.isEmpty == false })
      let photo = try #require(reply.array.first?["imagem"] as? String)
      #expect(photo.hasPrefix(clinic.url.absoluteString))
      let path = String(photo.dropFirst(clinic.url.absoluteString.count))
      #expect(try await raw(.get, clinic.url, path).headers["content-type"] == "image/png")
    }
    try await TestClinic.run(sample: false) { clinic in
      let reply = try await raw(.get, clinic.url, "/especialista")
      #expect(reply.status == 400 && reply.errorMessage == "Não encontramos especialistas")
    }
  }

  @Test func `3e.4 booking needs an open clinic and half an hour's notice, and is then listed`()
    async throws
  {
    try await TestClinic.run { clinic in
      let patient = try await clinic.logIn()
      let specialist = try #require(try await clinic.specialists().first)
      let closed = "A clinica não está aberta nesse horário"
      let late = "A consulta deve ser agendada com 30 minutos de antecedência"
      for (date, message) in [
        ("2026-03-08T10:00:00.000-0300", closed), ("2026-03-03T06:59:00.000-0300", closed),
        ("2026-03-03T19:00:00.000-0300", closed), ("2026-03-02T08:20:00.000-0300", late),
        ("2026-03-02T08:30:00.000-0300", late), ("2026-03-01T10:00:00Z", closed),
        ("2026-02-27T10:00:00", late),
      ] {
        let reply = try await clinic.book(date, patient: patient, specialist: specialist)
        #expect(reply.status == 400 && reply.errorMessage == message, "\(date)")
      }
      let booked = try await clinic.book(
        "2026-03-03T18:59:00.000-0300",
        patient: patient,
        specialist: specialist
      )
      #expect(booked.status == 200)
      #expect(booked.object["data"] as? String == "2026-03-03T18:59:00.000-0300")
      #expect(booked.object["especialista"] as? String == specialist)
      #expect(booked.object["motivoCancelamento"] is NSNull)

      let listed = try await clinic.list(of: patient)
      #expect(listed.count == 1)
      #expect(listed.first?["data"] as? String == "2026-03-03T21:59:00.000Z")
      let full = try #require(listed.first?["especialista"] as? [String: Any])
      #expect(Set(full.keys).isSuperset(of: ["id", "nome", "crm", "imagem", "especialidade"]))
    }
  }

  @Test func `3e.5 changed: both people are busy for an hour, not for the day`() async throws {
    try await TestClinic.run { clinic in
      let lucas = try await clinic.logIn()
      _ = try await clinic.signUp()
      let ana = try await clinic.logIn("ana@example.com", "segredo")
      let doctors = try await clinic.specialists()
      func book(
        _ time: String,
        _ patient: (id: String, token: String),
        _ doctor: Int
      ) async throws -> RawReply {
        try await clinic.book(
          "2026-03-03T\(time):00-03:00",
          patient: patient,
          specialist: doctors[doctor]
        )
      }
      #expect(try await book("10:00", lucas, 0).status == 200)
      let samePatient = try await book("10:59", lucas, 1)
      #expect(samePatient.errorMessage == "Paciente não está disponível nesse horário")
      let sameDoctor = try await book("09:01", ana, 0)
      #expect(sameDoctor.errorMessage == "Especialista não está disponível nesse horário")
      #expect(samePatient.status == 400 && sameDoctor.status == 400)
      #expect(try await book("11:00", lucas, 0).status == 200)
      #expect(try await book("10:00", ana, 1).status == 200)
    }
  }

  @Test
  func `3e.6 rescheduling moves the date, cancelling needs a day and removes it from the list`()
    async throws
  {
    try await TestClinic.run { clinic in
      let patient = try await clinic.logIn()
      let doctor = try #require(try await clinic.specialists().first)
      func book(_ date: String) async throws -> String {
        let reply = try await clinic.book(date, patient: patient, specialist: doctor)
        return try #require(reply.object["id"] as? String)
      }
      let soon = try await book("2026-03-02T15:00:00-0300")
      let later = try await book("2026-03-05T15:00:00-0300")
      let moved = try await raw(
        .patch,
        clinic.url,
        "/consulta/\(later)",
        token: patient.token,
        body: #"{"data":"2026-03-06T09:15:00.000-0300"}"#
      )
      #expect(moved.status == 200 && moved.object["especialista"] as? String == doctor)
      #expect(
        try await clinic.list(of: patient).last?["data"] as? String == "2026-03-06T12:15:00.000Z"
      )
      let doubled = try await raw(
        .patch,
        clinic.url,
        "/consulta/\(later)",
        token: patient.token,
        body: #"{"data":"2026-03-02T15:30:00.000-0300"}"#
      )
      #expect(doubled.errorMessage == "Paciente não está disponível nesse horário")

      let refused = try await raw(
        .delete,
        clinic.url,
        "/consulta/\(soon)",
        token: patient.token,
        body: #"{"motivo_cancelamento":"Viagem"}"#
      )
      #expect(refused.status == 400)
      #expect(refused.errorMessage == "A consulta deve ser desmarcada com 1 dia de antecedência")
      let gone = try await raw(
        .delete,
        clinic.url,
        "/consulta/\(later)",
        token: patient.token,
        body: #"{"motivoCancelamento":"Viagem"}"#
      )
      #expect(gone.status == 200 && gone.json as? String == "Consulta cancelada com sucesso")
      #expect(try await clinic.list(of: patient).count == 1)
      let kept = try await clinic.service.database.read {
        try AppointmentRecord.fetchOne($0, key: later)?.cancelReason
      }
      #expect(kept == "Viagem")
      let again = try await raw(
        .patch,
        clinic.url,
        "/consulta/\(later)",
        token: patient.token,
        body: #"{"data":"2026-03-09T09:00:00Z"}"#
      )
      #expect(again.status == 400 && again.errorMessage == "Consulta não encontrada")
    }
  }

  @Test func `3e.7 changed: every fault of a token is a 401`() async throws {
    try await TestClinic.run { clinic in
      let patient = try await clinic.logIn()
      let path = "/paciente/\(patient.id)/consultas"
      let missing = try await raw(.get, clinic.url, path)
      #expect(missing.status == 401 && missing.errorMessage == "Nenhum token informado.")
      #expect(missing.headers["www-authenticate"] == "Bearer")
      for header in ["Bearer", "Bearer x", "Basic \(patient.token)", "Bearer a b"] {
        let bad = try await raw(.get, clinic.url, path, headers: ["Authorization": header])
        #expect(
          bad.status == 401 && bad.errorMessage == "Falha ao autenticar o token.",
          "\(header)"
        )
      }
      clinic.now.advance(by: 31 * 24 * 3600)
      #expect(try await raw(.get, clinic.url, path, token: patient.token).status == 401)
      let fresh = try await clinic.logIn()
      let out = try await raw(.post, clinic.url, "/auth/logout", token: fresh.token)
      #expect(out.status == 200 && out.object["auth"] as? Bool == false)
      #expect(try await raw(.get, clinic.url, path, token: fresh.token).status == 401)
    }
  }
}
