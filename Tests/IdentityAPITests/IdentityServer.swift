import Access
import Authentication
import BaseStatus
import ServiceModule
import ServiceTestSupport
import Synchronization
import Testing

@testable import IdentityAPI

/// The account APIs over an engine in memory; the API key `p` is that of project `p`.
struct IdentityServer {
  let routes: TestRoutes
  let server: TestServer
  let post: Post
  /// The administrator of production, or of development.
  let administrator: TestCaller

  static func run(
    isDevelopment: Bool = false,
    test: (IdentityServer) async throws -> Void
  ) async throws {
    let post = Post()
    try await TestServer.run(isDevelopment: isDevelopment) { server in
      var configuration = AccountsConfiguration()
      configuration.origin = "https://brasa.example"
      let accounts = try Accounts(
        engine: server.engine,
        configuration: configuration,
        passwords: PasswordPool(niceness: 0)
      )
      let environment = IdentityEnvironment(
        accounts: accounts,
        access: server.access,
        mailer: post,
        mailbox: nil,
        providers: IdentityProviders(
          fetcher: NoWeb(),
          configuration: configuration,
          secret: try accounts.providersSecret()
        ),
        defaultProject: .none,
        projectsWithData: { ["p", "q"] },
        isDevelopment: isDevelopment
      )
      return .accounts(environment, threads: server.threads)
    } test: { routes, server in
      let administrator = isDevelopment ? TestCaller.emulatorOwner : .key
      try await test(
        IdentityServer(routes: routes, server: server, post: post, administrator: administrator)
      )
    }
  }

  /// A client's call with the key of project `p`.
  func client(
    _ name: String,
    _ body: String,
    as caller: TestCaller = .stranger,
    key: String = "p"
  ) async throws -> TestResponse {
    try await routes.call("POST /v1/accounts:\(name)?key=\(key)", as: caller, body: body)
  }

  /// An administrator's call on project `p`.
  func administer(
    _ name: String,
    _ body: String,
    as caller: TestCaller? = nil
  ) async throws -> TestResponse {
    try await routes.call(
      "POST /v1/projects/p/accounts\(name)",
      as: caller ?? administrator,
      body: body
    )
  }

  /// Makes an account of project `p` with an email address and a password, and gives its id.
  func create(_ email: String = "ana@example.com", more: String = "") async throws -> String {
    let made = try await administer("", #"{"email":"\#(email)","password":"secret pass"\#(more)}"#)
    #expect(made.outcome == "200", "\(made.text)")
    return try #require(made["localId"]?.string)
  }

  /// The accounts of a project, by email address.
  func emails(of project: String = "p") async throws -> [String] {
    let listed = try await routes.call(
      "GET /v1/projects/\(project)/accounts:batchGet",
      as: administrator
    )
    return (listed["users"]?.elements ?? []).compactMap { $0["email"]?.string }.sorted()
  }
}

/// Emails that were posted.
final class Post: Mailer {
  private let emails = Mutex<[Mail]>([])

  var all: [Mail] { emails.withLock { $0 } }

  func post(_ mail: Mail) { emails.withLock { $0.append(mail) } }
}

/// No web to ask.
private struct NoWeb: DocumentFetcher {
  func fetch(_ request: DocumentRequest) async throws -> FetchedDocument {
    throw ServiceError(.unavailable, "no web here")
  }
}
