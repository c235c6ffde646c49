import FirebaseAuth
import FirebaseCore
import Foundation
import SDKTestSupport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A project of its own on the tests' server, and an app in it.
struct AuthFixture {
  /// An email that the development server kept instead of sending it.
  struct Email: Decodable {
    let email: String
    let oobCode: String
    let oobLink: String
    let requestType: String
  }

  static let password = "correct horse 7"
  static let email = "ana@example.com"

  let project = "t-\(UUID().uuidString.lowercased())"
  let app: FirebaseApp
  let auth: Auth
  let store = MemorySessionStore()
  let clock = ManualClock()

  init() async throws {
    let server = try BrasaServer.shared.get()
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.brasaHost = server.url
    options.stateDirectory = FileManager.default.temporaryDirectory
      .appendingPathComponent(project)
    app = try FirebaseApp.configured(name: project, options: options)
    auth = Auth(app: app, store: store, now: clock.now)
    // Development takes a key for a project's only if there is that project.
    _ = try await Self.send("PATCH", "\(server.url)/emulator/v1/projects/\(project)/config", "{}")
  }

  /// The app's accounts as another run of the program has them.
  func restarted() -> Auth { Auth(app: app, store: store, now: clock.now) }

  /// An account with a verified email address, signed in.
  @discardableResult
  func signUp(_ email: String = AuthFixture.email) async throws -> User {
    try await auth.createUser(withEmail: email, password: Self.password).user
  }

  func verifyEmail(of user: User) async throws {
    try await user.sendEmailVerification()
    for email in try await emails() { try await auth.applyActionCode(email.oobCode) }
    try await user.reload()
  }

  /// The emails whose codes are still good.
  func emails() async throws -> [Email] {
    struct Answer: Decodable { let oobCodes: [Email] }
    let data = try await emulator("GET", "oobCodes")
    return try JSONDecoder().decode(Answer.self, from: data).oobCodes
  }

  /// Deletes every account behind the clients' backs.
  func deleteAccounts() async throws { _ = try await emulator("DELETE", "accounts") }

  private func emulator(_ method: String, _ path: String) async throws -> Data {
    let base = try BrasaServer.shared.get().url
    return try await Self.send(method, "\(base)/emulator/v1/projects/\(project)/\(path)", nil)
  }

  private static func send(_ method: String, _ url: String, _ body: String?) async throws -> Data {
    guard let url = URL(string: url) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer owner", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    return data
  }
}

/// A session in memory, which counts what was written.
final class MemorySessionStore: SessionStore {
  private let state = Mutex<(data: Data?, writes: Int)>((nil, 0))

  var writes: Int { state.withLock { $0.writes } }
  var data: Data? { state.withLock { $0.data } }

  func read() throws -> Data? { data }

  func update(_ change: (Data?) throws -> Data?) throws {
    try state.withLock { state in
      state.data = try change(state.data)
      state.writes += 1
    }
  }
}

/// A clock that tests move.
final class ManualClock: Sendable {
  private let offset = Mutex(0.0)

  /// The machine's time, since the server has that, and what tests added.
  var now: @Sendable () -> Date {
    { [self] in Date(timeIntervalSinceNow: offset.withLock { $0 }) }
  }

  func advance(by seconds: Double) { offset.withLock { $0 += seconds } }
}

/// Returns the error of accounts that a call throws; nil if it throws nothing or something else.
func authFailure(
  isolation: isolated (any Actor)? = #isolation,
  _ call: () async throws -> Void
) async -> AuthErrorCode? {
  do {
    try await call()
    return nil
  } catch {
    let error = error as NSError
    return error.domain == AuthErrors.domain ? AuthErrorCode(rawValue: error.code) : nil
  }
}
