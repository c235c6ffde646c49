import ExampleTesting
import Foundation
import RESTClient
import ServiceHost
import Synchronization
import Testing

@testable import SalesService

/// A running provider whose clock the test sets, and what it notified.
struct TestShop: Sendable {
  let url: URL
  let now: TestNow
  let notifier: RecordingNotifier

  static let admin = (email: "matilde@siecola.com.br", password: "matilde")

  static func run(
    file: URL? = nil,
    now: TestNow = TestNow(),
    through messages: MessageNotifier? = nil,
    _ body: @Sendable (TestShop) async throws -> Void
  ) async throws {
    let notifier = RecordingNotifier()
    let service = try await SalesService(
      file: file,
      passwords: PasswordHash(rounds: 16),
      notifier: messages ?? notifier,
      now: { now.date }
    )
    try await withServer(service.router()) { url in
      try await body(TestShop(url: url, now: now, notifier: notifier))
    }
  }

  func token(_ fields: String, client: String = "siecola:matilde") async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/oauth/token",
      headers: [
        "Authorization": "Basic \(Data(client.utf8).base64EncodedString())",
        "Content-Type": "application/x-www-form-urlencoded",
      ],
      body: fields
    )
  }

  func logIn(_ email: String, _ password: String) async throws -> String {
    let reply = try await token("grant_type=password&username=\(email)&password=\(password)")
    return try #require(reply.object["access_token"] as? String)
  }

  func administrator() async throws -> String {
    try await logIn(Self.admin.email, Self.admin.password)
  }

  func signUp(
    _ email: String,
    role: String = "USER",
    registration: String? = nil
  ) async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/api/users",
      body: """
        {"email":"\(email)","password":"segredo",\
        "gcmRegId":\(registration.map { "\"\($0)\"" } ?? "null"),"lastLogin":null,\
        "lastGCMRegister":null,"role":"\(role)","enabled":true}
        """
    )
  }

  /// A new user's token.
  func user(_ email: String) async throws -> String {
    _ = try await signUp(email)
    return try await logIn(email, "segredo")
  }

  func addProduct(_ code: String, token: String, name: String = "Caneta") async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/api/products",
      token: token,
      body: #"{"name":"\#(name)","description":"azul","code":"\#(code)","price":1.5}"#
    )
  }
}

final class RecordingNotifier: Notifier {
  private let placed = Mutex<[String]>([])

  var emails: [String] { placed.withLock(\.self) }

  func orderWasPlaced(_ notice: OrderNotice) async {
    placed.withLock { $0.append(notice.email) }
  }
}
