import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/especialista`: the contract of the courses asks for no token here.
extension VollmedService {
  func addSpecialistRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in
      let records = try await database.read {
        try SpecialistRecord.order(Column("name")).fetchAll($0)
      }
      guard !records.isEmpty else {
        throw ServiceError(.badRequest, "Não encontramos especialistas")
      }
      return try Response.json(records.map { SpecialistReply($0, host: request.host) })
    }
    group.post { request, _ in
      let form = try await request.json(OneOrMany<SpecialistForm>.self)
      let records = try await insert(form.values)
      let replies = records.map { SpecialistReply($0, host: request.host) }
      return form.isMany ? try Response.json(replies) : try Response.json(replies.first)
    }
    group.get(":id") { request, context in
      let record = try await specialist(context)
      return try Response.json(SpecialistReply(record, host: request.host))
    }
    group.put(":id") { request, context in
      let old = try await specialist(context)
      let form = try await request.json(SpecialistForm.self)
      try form.check()
      let hash = try await passwords.hash(form.senha)
      let record = form.record(id: old.id, passwordHash: hash)
      try await database.write { database in
        try record.checkIsUnique(in: database)
        try record.update(database)
      }
      return try Response.json(SpecialistReply(record, host: request.host))
    }
    group.patch(":id") { request, context in
      var record = try await specialist(context)
      record.phone = try await request.json(PhoneForm.self).telefone.text
      try await database.write { [record] in try record.update($0) }
      return try Response.json(SpecialistReply(record, host: request.host))
    }
    group.delete(":id") { _, context in
      let id = try await specialist(context).id
      try await database.write { database in
        let booked = AppointmentRecord.filter(Column("specialistID") == id)
        guard try booked.isEmpty(database) else {
          throw ServiceError(.badRequest, "Especialista possui consultas agendadas")
        }
        _ = try SpecialistRecord.deleteOne(database, key: id)
      }
      return try Response.json(["message": "Especialista apagado!"])
    }
  }

  private func specialist(_ context: BasicRequestContext) async throws -> SpecialistRecord {
    let id = try context.parameters.require("id")
    let record = try await database.read { try SpecialistRecord.fetchOne($0, key: id) }
    guard let record else { throw ServiceError(.badRequest, "Id não encontrado") }
    return record
  }

  /// All of them or none.
  private func insert(_ forms: [SpecialistForm]) async throws -> [SpecialistRecord] {
    guard !forms.isEmpty else { throw ServiceError(.badRequest, "Especialista não foi criado") }
    var records: [SpecialistRecord] = []
    for form in forms {
      try form.check()
      let hash = try await passwords.hash(form.senha)
      records.append(form.record(id: UUID().uuidString.lowercased(), passwordHash: hash))
    }
    try await database.write { [records] database in
      for record in records {
        try record.checkIsUnique(in: database)
        try record.insert(database)
      }
    }
    return records
  }
}

private struct SpecialistForm: Decodable {
  let nome: String
  let crm: String
  let imagem: String
  let especialidade: String
  let email: String?
  let telefone: PhoneNumber?
  let senha: String

  func check() throws {
    let texts = [nome, crm, especialidade]
    guard texts.allSatisfy({ !$0.allSatisfy(\.isWhitespace) && $0.count <= 100 }),
      imagem.count <= 500, imagem.hasPrefix("/") || imagem.hasPrefix("http"),
      email.map(Email.isValid) ?? true, senha.utf8.count <= 200
    else { throw ServiceError(.badRequest, "Especialista não foi criado") }
  }

  func record(id: String, passwordHash: String) -> SpecialistRecord {
    SpecialistRecord(
      id: id,
      crm: crm,
      name: nome,
      image: imagem,
      specialty: especialidade,
      email: email,
      passwordHash: passwordHash,
      phone: telefone?.text
    )
  }
}

private struct PhoneForm: Decodable {
  let telefone: PhoneNumber
}

/// One value or an array of them.
private struct OneOrMany<Value: Decodable>: Decodable {
  let values: [Value]
  let isMany: Bool

  init(from decoder: any Decoder) throws {
    if var array = try? decoder.unkeyedContainer() {
      var values: [Value] = []
      while !array.isAtEnd { values.append(try array.decode(Value.self)) }
      self.values = values
      isMany = true
    } else {
      values = [try Value(from: decoder)]
      isMany = false
    }
  }
}

extension SpecialistRecord {
  fileprivate func checkIsUnique(in database: Database) throws {
    let same = SpecialistRecord.filter(Column("crm") == crm && Column("id") != id)
    guard try same.isEmpty(database) else {
      throw ServiceError(.unprocessableContent, "CRM já registrado!")
    }
  }
}

extension Request {
  /// The authority that the client used to get here.
  var host: String { head.authority ?? "127.0.0.1" }
}
