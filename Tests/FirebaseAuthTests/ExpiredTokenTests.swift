import FirebaseAuth
import Foundation
import SDKTestSupport
import Synchronization
import Testing

/// ID tokens that the server takes for expired and this machine does not, as where its clock was set back.
@Suite(.timeLimit(.minutes(10)))
struct ExpiredTokenTests {
  private let accounts = Accounts()
  private let auth: Auth
  private let server: AnsweringServer

  init() throws {
    let accounts = accounts
    server = try AnsweringServer { accounts.answer($0) }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("clock", "clock")
    options.brasaHost = server.url
    let app = try FirebaseApp.configured(name: "clock-\(UUID().uuidString)", options: options)
    auth = Auth(app: app, store: MemorySessionStore())
  }

  @Test func `is renewed once, and the call is made again`() async throws {
    let user = try await auth.signInAnonymously().user
    accounts.expire()
    try await user.reload()
    #expect(try await user.getIDToken() == "token 2" && auth.currentUser === user)
    accounts.expire()
    try await user.updatePassword(to: "correct horse 7")
    #expect(try await user.getIDToken() == "token 3" && auth.currentUser === user)
    server.stop()
  }

  @Test func `signs out where it cannot be renewed`() async throws {
    let user = try await auth.signInAnonymously().user
    accounts.expire()
    accounts.end()
    #expect(await authFailure { try await user.reload() } == .userTokenExpired)
    #expect(auth.currentUser == nil)
    server.stop()
  }

  @Test func `signs out where the new one is refused too`() async throws {
    let user = try await auth.signInAnonymously().user
    accounts.refuseAll()
    #expect(await authFailure { try await user.reload() } == .userTokenExpired)
    #expect(auth.currentUser == nil && accounts.tokens == 2)
    server.stop()
  }
}

/// An account whose last token alone is valid.
private final class Accounts: Sendable {
  private struct State {
    var tokens = 0
    var valid: String?
    var isEnded = false
    var refusesAll = false
  }

  private let state = Mutex(State())

  /// The number of tokens that were made.
  var tokens: Int { state.withLock { $0.tokens } }

  /// Makes the token expired.
  func expire() { state.withLock { $0.valid = nil } }

  /// Ends the session.
  func end() { state.withLock { $0.isEnded = true } }

  /// Takes every token for expired.
  func refuseAll() { state.withLock { $0.refusesAll = true } }

  func answer(_ request: AnsweringServer.Request) -> AnsweringServer.Answer {
    state.withLock { state in
      let expired = AnsweringServer.Answer(
        400,
        body: #"{"error":{"code":400,"message":"TOKEN_EXPIRED"}}"#
      )
      if request.line.contains("accounts:signUp") {
        let token = Self.token(&state)
        return .init(
          200,
          body: #"{"idToken":"\#(token)","refreshToken":"r","expiresIn":"3600"}"#
        )
      }
      if request.line.contains("/v1/token") {
        guard !state.isEnded else { return expired }
        let token = Self.token(&state)
        return .init(
          200,
          body: #"{"access_token":"\#(token)","refresh_token":"r","expires_in":"3600"}"#
        )
      }
      let body = String(decoding: request.body, as: UTF8.self)
      guard let valid = state.valid, body.contains(#""\#(valid)""#), !state.refusesAll else {
        return expired
      }
      return .init(200, body: #"{"users":[{"localId":"ana"}]}"#)
    }
  }

  private static func token(_ state: inout State) -> String {
    state.tokens += 1
    let token = "token \(state.tokens)"
    state.valid = token
    return token
  }
}
