import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `POST /oauth/token`, and who may do what.
extension SalesService {
  private static let client = (id: "siecola", secret: "matilde")

  func addTokenRoute(to router: Router<BasicRequestContext>) {
    router.post("oauth/token") { request, _ in
      try Self.checkClient(of: request)
      let form = try await request.form()
      let reply =
        switch form["grant_type"] {
        case "password": try await signIn(form)
        case "refresh_token": try await tokens.refresh(form["refresh_token"] ?? "")
        default: throw Self.refusal(.badRequest, "unsupported_grant_type", "Unsupported grant type")
        }
      guard let reply else {
        throw Self.refusal(.badRequest, "invalid_grant", "Bad credentials")
      }
      var response = try Response.json(reply)
      response.headers[.cacheControl] = "no-store"
      return response
    }
  }

  private func signIn(_ form: [String: String]) async throws -> TokenReply? {
    let user = try await database.read {
      try UserRecord.filter(Column("email") == form["username"] ?? "").fetchOne($0)
    }
    let hash = user?.passwordHash ?? Self.nobodysHash
    let isRight = try await passwords.verify(form["password"] ?? "", against: hash)
    guard let user, isRight, user.enabled else { return nil }
    return try await tokens.grant(to: user.id)
  }

  /// Checked for unknown users, so that they take as long to refuse as known ones.
  private static let nobodysHash =
    "scrypt$16384$8$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  /// The client's header as the book prints it, in chapters 6.1.3 and 6.4.2, with letters misread.
  private static let misprints = ["c2llY29sYTptYXRpbGRI", "c211Y29sYTptYXRpbGR1"]

  private static func checkClient(of request: Request) throws {
    let words = (request.headers[.authorization] ?? "").split(separator: " ")
    let expected = Data("\(client.id):\(client.secret)".utf8)
    guard words.count == 2, words[0].lowercased() == "basic",
      let given = Data(base64Encoded: String(words[1])), Secret.isEqual(given, expected)
    else {
      let isMisprint = words.count == 2 && misprints.contains(String(words[1]))
      throw refusal(
        .unauthorized,
        "invalid_client",
        isMisprint
          ? "The book's header has misread letters. Send: Basic \(expected.base64EncodedString())"
          : "Bad client credentials",
        challenge: "Basic"
      )
    }
  }

  /// The user whose token the request carries; every fault of the token is a 401.
  func requireUser(_ request: Request) async throws -> UserRecord {
    guard let header = request.headers[.authorization] else {
      throw Self.refusal(
        .unauthorized,
        "unauthorized",
        "Full authentication is required",
        challenge: "Bearer"
      )
    }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer",
      let user = try await tokens.user(of: String(words[1]))
    else {
      throw Self.refusal(
        .unauthorized,
        "invalid_token",
        "Invalid access token",
        challenge: "Bearer"
      )
    }
    return user
  }

  func requireAdministrator(_ request: Request) async throws -> UserRecord {
    let user = try await requireUser(request)
    guard user.role == .admin else { throw Self.denied }
    return user
  }

  /// The user who asks, who must be `email` or an administrator.
  func requireUser(_ request: Request, toBe email: String) async throws -> UserRecord {
    let user = try await requireUser(request)
    guard user.role == .admin || user.email.lowercased() == email.lowercased() else {
      throw Self.denied
    }
    return user
  }

  static var denied: ServiceError {
    refusal(.forbidden, "access_denied", "Access is denied")
  }

  /// OAuth's own error code goes to `reason`: `error` is the object that every refusal has.
  static func refusal(
    _ status: HTTPResponse.Status,
    _ reason: String,
    _ message: String,
    challenge: String? = nil
  ) -> ServiceError {
    ServiceError(
      status,
      message,
      oldFields: ["error_description": .string(message), "reason": .string(reason)],
      headers: challenge.map { [.wwwAuthenticate: $0] } ?? [:]
    )
  }
}
