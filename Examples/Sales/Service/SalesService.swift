import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// The sales provider: users, products and orders behind OAuth 2.
///
///     POST /oauth/token                        client in HTTP Basic; password or refresh_token
///     GET POST /api/users                      GET: administrators; POST: sign-up, open
///     GET PUT DELETE /api/users/byemail?email= oneself, or an administrator
///     PUT DELETE /api/users/update_gcm_reg_id/:id
///                                              the caller's device hears of orders, or no more
///     GET POST /api/products                   the caller's own
///     GET PUT DELETE /api/products/:code       the caller's own
///     GET POST /api/orders                     GET: administrators
///     GET PUT DELETE /api/orders/:id           PUT: administrators, cancelling also one's own; DELETE: administrators
///     GET /api/orders/byemail?email=           oneself, or an administrator
///     GET /apple-app-site-association
package struct SalesService: Sendable {
  let database: DatabaseQueue
  let passwords: PasswordHash
  let tokens: TokenIssuer
  let notifier: any Notifier
  let now: @Sendable () -> Date

  /// The administrator who is always there and whom nobody can change.
  static let administrator = "matilde@siecola.com.br"

  /// Opens the database and makes sure of the administrator.
  ///
  /// - Parameters:
  ///   - file: The SQLite file, beside which the key of the tokens is kept; nil is for tests.
  ///   - now: The clock that tokens go by.
  package init(
    file: URL?,
    passwords: PasswordHash = PasswordHash(),
    notifier: any Notifier = LogNotifier(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws {
    database = try ServiceDatabase.open(at: file, migrations: Schema.migrations)
    tokens = TokenIssuer(
      database: database,
      key: try TokenKey.load(besides: file),
      now: now
    )
    self.passwords = passwords
    self.notifier = notifier
    self.now = now
    try await addAdministrator()
  }

  package func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorMiddleware())
    addTokenRoute(to: router)
    addUserRoutes(to: router.group("api/users"))
    addRegistrationRoutes(to: router.group("api/users/update_gcm_reg_id"))
    addProductRoutes(to: router.group("api/products"))
    addOrderRoutes(to: router.group("api/orders"))
    router.get("apple-app-site-association") { _, _ in
      try Response.json(["webcredentials": ["apps": [String]()]])
    }
    return router
  }

  private func addAdministrator() async throws {
    let hash = try await passwords.hash("matilde")
    try await database.write { database in
      if var found = try UserRecord.filter(Column("email") == Self.administrator)
        .fetchOne(database)
      {
        found.role = .admin
        try found.update(database)
      } else {
        try UserRecord(
          id: .fresh(),
          email: Self.administrator,
          passwordHash: hash,
          role: .admin,
          enabled: true
        ).insert(database)
      }
    }
  }
}

extension Int64 {
  /// An identifier as the provider's store makes them: above 2^31 and exact in a double.
  static func fresh() -> Int64 { .random(in: (1 << 40)..<(1 << 53)) }
}
