import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/api/users`
extension SalesService {
  func addUserRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in
      _ = try await requireAdministrator(request)
      let users = try await database.read {
        try UserRecord.order(Column("email").collating(.nocase)).fetchAll($0)
      }
      return try Response.json(users.map(UserReply.init))
    }
    group.post { request, _ in
      if rules == .book { _ = try await requireAdministrator(request) }
      let form = try await request.json(UserForm.self)
      guard let password = form.password, !password.isEmpty else {
        throw ServiceError(.badRequest, "Password is missing")
      }
      let user = UserRecord(
        id: .fresh(),
        email: try form.checkedEmail(),
        passwordHash: try await passwords.hash(password),
        gcmRegId: form.gcmRegId,
        lastGCMRegister: form.gcmRegId.map { _ in now().timeIntervalSince1970 },
        role: rules == .book ? form.role ?? .user : .user,
        enabled: form.enabled ?? false
      )
      try await database.write { database in
        try user.checkIsUnique(in: database)
        try user.insert(database)
      }
      return try Response.json(UserReply(record: user))
    }
    group.get("byemail") { request, _ in
      let user = try await user(named: try request.email, askedBy: request)
      return try Response.json(UserReply(record: user))
    }
    group.put("byemail") { request, _ in try await change(request) }
    group.delete("byemail") { request, _ in
      let email = try request.email
      _ = try await requireUser(request)
      try Self.checkIsNotProtected(email)
      let user = try await user(named: email, askedBy: request)
      _ = try await database.write { try user.delete($0) }
      return try Response.json(UserReply(record: user))
    }
  }

  private func change(_ request: Request) async throws -> Response {
    let email = try request.email
    let caller = try await requireUser(request)
    try Self.checkIsNotProtected(email)
    let form = try await request.json(UserForm.self)
    guard form.id ?? 0 != 0 else { throw ServiceError(.badRequest, "The user's id is missing") }
    let id = try await user(named: email, askedBy: request).id
    let newEmail = try form.checkedEmail()
    let password = form.password.flatMap { $0.isEmpty ? nil : $0 }
    let hash = if let password { try await passwords.hash(password) } else { nil as String? }
    let changed = try await database.write { database in
      // Another request may have changed or deleted the user meanwhile.
      guard let old = try UserRecord.fetchOne(database, key: id) else {
        throw ServiceError(.notFound, "User not found")
      }
      var new = old
      new.email = newEmail
      new.passwordHash = hash ?? old.passwordHash
      if form.gcmRegId != old.gcmRegId {
        new.gcmRegId = form.gcmRegId
        new.lastGCMRegister = form.gcmRegId.map { _ in now().timeIntervalSince1970 }
      }
      new.enabled = form.enabled ?? false
      new.role = caller.role == .admin ? form.role ?? .user : .user
      try new.checkIsUnique(in: database)
      if let registration = new.gcmRegId, registration != old.gcmRegId {
        try Self.forget(registration, in: database)
      }
      try new.update(database)
      try database.execute(
        sql: "UPDATE purchase SET email = ? WHERE email = ?",
        arguments: [new.email, old.email]
      )
      if new.passwordHash != old.passwordHash || !new.enabled {
        try GrantRecord.filter(Column("userID") == new.id).deleteAll(database)
      }
      return new
    }
    return try Response.json(UserReply(record: changed))
  }

  /// Returns a user; checks that the caller may see the user before it looks if there is one.
  private func user(named email: String, askedBy request: Request) async throws -> UserRecord {
    _ = try await requireUser(request, toBe: email)
    let user = try await database.read {
      try UserRecord.filter(Column("email") == email).fetchOne($0)
    }
    guard let user else { throw ServiceError(.notFound, "User not found") }
    return user
  }

  private static func checkIsNotProtected(_ email: String) throws {
    guard email.lowercased() != administrator else { throw denied }
  }
}

private struct UserForm: Decodable {
  let id: Int64?
  let email: String
  let password: String?
  let gcmRegId: String?
  let role: Role?
  let enabled: Bool?

  func checkedEmail() throws -> String {
    guard Email.isValid(email) else { throw ServiceError(.badRequest, "The e-mail is not valid") }
    guard (password ?? "").utf8.count <= 200, (gcmRegId ?? "").utf8.count <= 4096 else {
      throw ServiceError(.badRequest, "A field is too long")
    }
    return email
  }
}

extension UserRecord {
  fileprivate func checkIsUnique(in database: Database) throws {
    let same = UserRecord.filter(Column("email") == email && Column("id") != id)
    guard try same.isEmpty(database) else {
      throw ServiceError(.preconditionFailed, "The e-mail is taken")
    }
  }
}

extension Request {
  /// The `email` of the query.
  var email: String {
    get throws {
      guard let email = uri.queryParameters["email"], !email.isEmpty else {
        throw ServiceError(.badRequest, "The query has no email")
      }
      guard !email.contains("\0") else { throw ServiceError.textWithNUL }
      return String(email)
    }
  }
}
