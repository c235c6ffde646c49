import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/paciente`: sign-up is open, everything else is the patient's own.
extension VollmedService {
  func addPatientRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in
      let person = try await requirePerson(request)
      let patients = try await database.read {
        try PatientRecord.filter(key: person).fetchAll($0)
      }
      guard !patients.isEmpty else { throw ServiceError(.notFound, "Não encontramos pacientes") }
      return try Response.json(patients.map(PatientReply.init))
    }
    group.post { request, _ in
      let form = try await request.json(PatientForm.self)
      try form.check()
      guard let password = form.senha, !password.isEmpty else {
        throw ServiceError(.badRequest, "Campo obrigatório ausente: senha")
      }
      let record = form.record(
        id: UUID().uuidString.lowercased(),
        passwordHash: try await passwords.hash(password)
      )
      try await database.write { database in
        try record.checkIsUnique(in: database)
        try record.insert(database)
      }
      return try Response.json(NewPatientReply(record: record), status: .accepted)
    }
    group.get(":id") { request, context in
      try Response.json(PatientReply(try await ownRecord(request, context)))
    }
    group.get(":id/consultas") { request, context in
      let id = try await ownRecord(request, context).id
      return try Response.json(try await appointments(ofPatient: id, host: request.host))
    }
    group.put(":id") { request, context in
      let old = try await ownRecord(request, context)
      let form = try await request.json(PatientForm.self)
      try form.check()
      let record = form.record(id: old.id, passwordHash: old.passwordHash)
      try await database.write { database in
        // Another request may have deleted the patient meanwhile.
        guard try PatientRecord.exists(database, key: record.id) else {
          throw ServiceError(.notFound, "Paciente não encontrado!")
        }
        try record.checkIsUnique(in: database)
        try record.update(database)
      }
      return try Response.json(PatientReply(record))
    }
    group.delete(":id") { request, context in
      let id = try await ownRecord(request, context).id
      try await database.write { database in
        _ = try PatientRecord.deleteOne(database, key: id)
        try voidTokens(of: id, in: database)
      }
      return try Response.json(["message": "Paciente apagado!"])
    }
  }

  private func ownRecord(
    _ request: Request,
    _ context: BasicRequestContext
  ) async throws -> PatientRecord {
    let id = try context.parameters.require("id")
    let person = try await requirePerson(request)
    let record = try await database.read { try PatientRecord.fetchOne($0, key: id) }
    guard let record else { throw ServiceError(.notFound, "Paciente não encontrado!") }
    guard person == id else {
      throw ServiceError(.forbidden, "Este token não dá acesso a esses dados.")
    }
    return record
  }
}

private struct PatientForm: Decodable {
  let cpf: String
  let nome: String
  let email: String
  let senha: String?
  let telefone: PhoneNumber
  let planoSaude: String?

  func check() throws {
    guard CPF.isValid(cpf) else { throw ServiceError(.badRequest, "CPF Inválido!") }
    guard Email.isValid(email) else { throw ServiceError(.badRequest, "Email inválido!") }
    guard TextLine.isValid(nome) else { throw ServiceError(.badRequest, "Nome inválido!") }
    guard telefone.isValid else { throw ServiceError(.badRequest, "Telefone inválido!") }
    guard planoSaude.map({ $0.isEmpty || TextLine.isValid($0) }) ?? true else {
      throw ServiceError(.badRequest, "Plano de saúde inválido!")
    }
    guard (senha ?? "").utf8.count <= 200 else {
      throw ServiceError(.badRequest, "A senha é longa demais")
    }
  }

  func record(id: String, passwordHash: String) -> PatientRecord {
    PatientRecord(
      id: id,
      cpf: cpf,
      name: nome,
      email: email,
      passwordHash: passwordHash,
      phone: telefone.text,
      healthPlan: planoSaude
    )
  }
}

extension PatientRecord {
  fileprivate func checkIsUnique(in database: Database) throws {
    let others = PatientRecord.filter(Column("id") != id)
    if try !others.filter(Column("cpf") == cpf).isEmpty(database) {
      throw ServiceError(.badRequest, "CPF já registrado!")
    }
    if try PersonEmail.isTaken(email, except: id, in: database) {
      throw ServiceError(.badRequest, "Email já registrado!")
    }
  }
}
