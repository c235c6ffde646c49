import Access
import Authentication
import BaseRuntime
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import FirestoreService
import Gateway
import IdentityAPI
import KeyValueStore
import Logging
import ServiceModule
import Synchronization

/// The account APIs of production on a gateway, with a mailbox in place of a mail server.
struct IdentityFixture: Sendable {
  static let project = "shop-emails"
  static let origin = "https://shop.example"
  static let administrator = "brasa-admin-key-of-the-test"

  let port: Int
  let post: Post
  let log: LogLines

  /// Runs the body beside a gateway that serves accounts.
  static func with(
    memory: ByteLedger.Limits = ByteLedger.Limits(),
    _ body: (IdentityFixture) async throws -> Void
  ) async throws {
    let engine = MemoryEngine()
    let databases = try Databases(engine: engine, configuration: StoreConfiguration())
    let lines = LogLines()
    let log = Logger(label: "test") { _ in
      LineLogHandler(label: "test", level: .trace, write: lines.add)
    }
    let rules = try RulesetStore(engine: databases.engine, log: log)
    var configuration = AccountsConfiguration()
    configuration.origin = origin
    let accounts = try Accounts(
      engine: engine,
      configuration: configuration,
      passwords: PasswordPool(niceness: 0)
    )
    let post = Post()
    let threads = EngineThreads(count: 4, capacity: 64)
    let module = ServiceModule.accounts(
      IdentityEnvironment(
        accounts: accounts,
        access: AccessControl(
          mode: .production(key: AdministratorKey(administrator)),
          databases: databases,
          rules: rules,
          log: log
        ),
        mailer: post,
        mailbox: nil,
        providers: IdentityProviders(
          fetcher: NoWeb(),
          configuration: configuration,
          secret: try accounts.providersSecret()
        ),
        defaultProject: .named(Text(project)),
        projectsWithData: { [] },
        isDevelopment: false
      ),
      threads: threads
    )
    let handler = LineLogHandler(label: "gateway", level: .trace, write: lines.add)
    try await withGateway(memory: memory, modules: [module], log: handler) { gateway in
      try await body(IdentityFixture(port: gateway.port, post: post, log: lines))
    }
    threads.stop()
    databases.close()
  }

  /// One call; the status and the body of the response.
  func call(
    _ method: String = "POST",
    _ path: String,
    _ body: String = "",
    headers: [String: String] = [:]
  ) async throws -> (status: Int, body: String) {
    var fields = ["Host": "localhost", "Content-Type": "application/json", "Connection": "close"]
    fields.merge(headers) { $1 }
    let head = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    let text = try await RawClient.exchange(
      "\(method) \(path) HTTP/1.1\r\n\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
      port: port
    )
    let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let parts = text.components(separatedBy: "\r\n\r\n")
    return (status, parts.dropFirst().joined(separator: "\r\n\r\n"))
  }

  /// A client's call, by API key.
  func client(
    _ name: String,
    _ body: String,
    headers: [String: String] = [:]
  ) async throws -> (status: Int, body: String) {
    try await call(
      "POST",
      "/v1/accounts:\(name)?key=\(Self.project)",
      body,
      headers: headers
    )
  }
}

/// Emails that were posted.
final class Post: Mailer {
  private let emails = Mutex<[Mail]>([])

  var all: [Mail] { emails.withLock { $0 } }

  func post(_ mail: Mail) { emails.withLock { $0.append(mail) } }
}

/// The lines that were logged.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  var text: String { lines.withLock { $0.joined() } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Asks nobody.
private struct NoWeb: DocumentFetcher {
  func fetch(_ request: DocumentRequest) async throws -> FetchedDocument {
    throw ServiceError(.unavailable, "no web here")
  }
}
