import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `POST /auth/login`, `POST /auth/logout`: patients and specialists alike.
extension VollmedService {
  func addLoginRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.post("login") { request, _ in
      let form = try await request.json(LoginForm.self)
      let found = try await database.read { try self.person(withEmail: form.email, in: $0) }
      guard let found else { throw ServiceError(.notFound, "Não encontrado!") }
      guard try await passwords.verify(form.senha, against: found.passwordHash) else {
        throw ServiceError(.unauthorized, "Senha incorreta!")
      }
      let token = try await issueToken(to: found.id)
      return try Response.json(LoginReply(auth: true, id: found.id, token: token))
    }
    group.post("logout") { request, _ in
      let digest = Secret.digest(try bearer(of: request))
      _ = try await requirePerson(request)
      try await database.write {
        try $0.execute(sql: "DELETE FROM token WHERE digest = ?", arguments: [digest])
      }
      return try Response.json(JSONValue.object(["auth": .bool(false), "token": .null]))
    }
  }

  /// The person whose token the request carries; every fault of the token is a 401.
  func requirePerson(_ request: Request) async throws -> String {
    let digest = Secret.digest(try bearer(of: request))
    let time = now().timeIntervalSince1970
    let person = try await database.read {
      try String.fetchOne(
        $0,
        sql: "SELECT personID FROM token WHERE digest = ? AND expires > ?",
        arguments: [digest, time]
      )
    }
    guard let person else { throw Self.refusal("Falha ao autenticar o token.") }
    return person
  }

  /// As `requirePerson`, and that person must be `id`.
  func requirePerson(_ request: Request, toBe id: String) async throws {
    guard try await requirePerson(request) == id else {
      throw ServiceError(.forbidden, "Este token não dá acesso a esses dados.")
    }
  }

  /// Voids a person's tokens, but for the one that a request carries.
  func voidTokens(of person: String, but request: Request? = nil, in database: Database) throws {
    let kept = try request.map { Secret.digest(try bearer(of: $0)) }
    try database.execute(
      sql: "DELETE FROM token WHERE personID = ? AND digest IS NOT ?",
      arguments: [person, kept]
    )
  }

  private func bearer(of request: Request) throws -> String {
    guard let header = request.headers[.authorization] else {
      throw Self.refusal("Nenhum token informado.")
    }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      throw Self.refusal("Falha ao autenticar o token.")
    }
    return String(words[1])
  }

  private static func refusal(_ message: String) -> ServiceError {
    ServiceError(
      .unauthorized,
      message,
      oldFields: ["auth": .bool(false)],
      headers: [.wwwAuthenticate: "Bearer"]
    )
  }

  /// A token lasts 30 days; only its digest is stored.
  private func issueToken(to person: String) async throws -> String {
    let token = Secret.token()
    let time = now().timeIntervalSince1970
    try await database.write {
      try $0.execute(sql: "DELETE FROM token WHERE expires <= ?", arguments: [time])
      try $0.execute(
        sql: "INSERT INTO token (digest, personID, expires) VALUES (?, ?, ?)",
        arguments: [Secret.digest(token), person, time + 30 * 24 * 3600]
      )
    }
    return token
  }

  private func person(
    withEmail email: String,
    in database: Database
  ) throws -> (id: String, passwordHash: String)? {
    if let patient = try PatientRecord.filter(Column("email") == email).fetchOne(database) {
      return (patient.id, patient.passwordHash)
    }
    return try SpecialistRecord.filter(Column("email") == email).fetchOne(database)
      .map { ($0.id, $0.passwordHash) }
  }
}

private struct LoginForm: Decodable {
  let email: String
  let senha: String
}

private struct LoginReply: Encodable {
  let auth: Bool
  let id: String
  let token: String
}
