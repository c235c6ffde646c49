import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/especialista`: reading and adding is open, as in the courses; the rest is the specialist's own.
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
      let id = try context.parameters.require("id")
      let record = try await database.read { try Self.specialist(id, in: $0) }
      return try Response.json(SpecialistReply(record, host: request.host))
    }
    group.put(":id") { request, context in
      let id = try await ownID(request, context)
      let form = try await request.json(SpecialistForm.self)
      try form.check()
      let hash = try await passwords.hash(form.senha)
      let record = form.record(id: id, passwordHash: hash)
      try await database.write { database in
        _ = try Self.specialist(id, in: database)
        try record.checkIsUnique(in: database)
        try record.update(database)
        try voidTokens(of: id, but: request, in: database)
      }
      return try Response.json(SpecialistReply(record, host: request.host))
    }
    group.patch(":id") { request, context in
      let id = try await ownID(request, context)
      let phone = try await request.json(PhoneForm.self).telefone
      guard phone.isValid else { throw ServiceError(.badRequest, "Telefone não atualizado") }
      let record = try await database.write { database in
        var record = try Self.specialist(id, in: database)
        record.phone = phone.text
        try record.update(database)
        return record
      }
      return try Response.json(SpecialistReply(record, host: request.host))
    }
    group.delete(":id") { request, context in
      let id = try await ownID(request, context)
      try await database.write { database in
        _ = try Self.specialist(id, in: database)
        let booked = AppointmentRecord.filter(Column("specialistID") == id)
        guard try booked.isEmpty(database) else {
          throw ServiceError(.badRequest, "Especialista possui consultas agendadas")
        }
        _ = try SpecialistRecord.deleteOne(database, key: id)
        try voidTokens(of: id, in: database)
      }
      return try Response.json(["message": "Especialista apagado!"])
    }
  }

  /// The id in the path, which must be that of the person whose token the request carries.
  private func ownID(_ request: Request, _ context: BasicRequestContext) async throws -> String {
    let id = try context.parameters.require("id")
    let person = try await requirePerson(request)
    _ = try await database.read { try Self.specialist(id, in: $0) }
    guard person == id else {
      throw ServiceError(.forbidden, "Este token não dá acesso a esses dados.")
    }
    return id
  }

  private static func specialist(_ id: String, in database: Database) throws -> SpecialistRecord {
    guard let record = try SpecialistRecord.fetchOne(database, key: id) else {
      throw ServiceError(.badRequest, "Id não encontrado")
    }
    return record
  }

  /// The most that one request adds, as each password takes its time to hash.
  private static let mostSpecialists = 50

  /// All of them or none.
  private func insert(_ forms: [SpecialistForm]) async throws -> [SpecialistRecord] {
    guard (1...Self.mostSpecialists).contains(forms.count) else {
      throw ServiceError(.badRequest, "Especialista não foi criado")
    }
    for form in forms { try form.check() }
    var records: [SpecialistRecord] = []
    for form in forms {
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
    let places = ["/", "http://", "https://"]
    guard [nome, crm, especialidade].allSatisfy({ TextLine.isValid($0) }),
      TextLine.isValid(imagem, upTo: 500), places.contains(where: imagem.hasPrefix),
      email.map(Email.isValid) ?? true, telefone?.isValid ?? true,
      (1...200).contains(senha.utf8.count)
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
    if let email, try PersonEmail.isTaken(email, except: id, in: database) {
      throw ServiceError(.unprocessableContent, "Email já registrado!")
    }
  }
}

extension Request {
  /// The authority that the client used to get here.
  var host: String { head.authority ?? "127.0.0.1" }
}
