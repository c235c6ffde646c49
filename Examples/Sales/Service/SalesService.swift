import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// The sales provider: users, products and orders behind OAuth 2.
///
///     POST /oauth/token                        client in HTTP Basic; password or refresh_token
///     GET POST /api/users                      administrators; see `Rules`
///     GET PUT DELETE /api/users/byemail?email= oneself, or an administrator
///     PUT DELETE /api/users/update_gcm_reg_id/:id
///                                              the caller's device hears of orders, or no more
///     GET POST /api/products                   GET: any user; POST: administrators; see `Rules`
///     GET PUT DELETE /api/products/:code       the same
///     GET POST /api/orders                     GET: administrators
///     GET PUT DELETE /api/orders/:id           PUT: administrators, cancelling also one's own; DELETE: administrators
///     GET /api/orders/byemail?email=           oneself, or an administrator
///     GET /apple-app-site-association
package struct SalesService: Sendable {
  let database: DatabaseQueue
  let passwords: PasswordHash
  let tokens: TokenIssuer
  let notifier: any Notifier
  let rules: Rules
  let now: @Sendable () -> Date

  /// The administrator who is always there and whom nobody can change.
  static let administrator = "matilde@siecola.com.br"

  /// Opens the database and makes sure of the administrator.
  ///
  /// - Parameters:
  ///   - file: The SQLite file, beside which the key of the tokens is kept; nil is for tests.
  ///   - rules: The rules for users and products.
  ///   - now: The clock that tokens go by.
  package init(
    file: URL?,
    passwords: PasswordHash = PasswordHash(),
    notifier: any Notifier = LogNotifier(),
    rules: Rules = .book,
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
    self.rules = rules
    self.now = now
    if rules == .book { try await checkCodesAreUnique() }
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

  /// Refuses a database of the repository's rules in which a code is there twice.
  private func checkCodesAreUnique() async throws {
    let twice = try await database.read {
      try String.fetchOne($0, sql: "SELECT code FROM product GROUP BY code HAVING count(*) > 1")
    }
    if let twice { throw DuplicateCode(code: twice) }
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

/// Two products have one code, which the book's rules do not have.
package struct DuplicateCode: Error, CustomStringConvertible {
  package let code: String

  package var description: String {
    "The database has several products with the code \(code). "
      + "Start the service with --rules repository, or choose another database."
  }
}

extension Int64 {
  /// An identifier as the provider's store makes them: above 2^31 and exact in a double.
  static func fresh() -> Int64 { .random(in: (1 << 40)..<(1 << 53)) }
}
