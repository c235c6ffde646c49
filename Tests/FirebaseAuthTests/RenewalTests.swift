import FirebaseAuth
import FirebaseCore
import Foundation
import SDKTestSupport
import Synchronization
import Testing

/// The renewal of the ID token in the background, by a clock and a timer of the test's.
@Suite(.timeLimit(.minutes(10)))
struct RenewalTests {
  private let tokens = TokenServer()
  private let clock = ManualClock()
  private let timer = ManualTimer()
  private let server: AnsweringServer
  private let auth: Auth

  init() throws {
    let tokens = tokens
    server = try AnsweringServer { tokens.answer($0) }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("renewal", "renewal")
    options.brasaHost = server.url
    let app = try FirebaseApp.configured(name: "renewal-\(UUID().uuidString)", options: options)
    auth = Auth(app: app, store: MemorySessionStore(), now: clock.now, schedule: timer.schedule)
  }

  @Test func `nothing is renewed before another product asks`() async throws {
    _ = try await auth.signInAnonymously()
    #expect(timer.waiting == 0)
    #expect(try await auth.token(forcingRefresh: false) == "token 1")
    #expect(abs(await timer.next() - 55 * 60) < 30)
    #expect(try await auth.token(forcingRefresh: false) == "token 1")
    #expect(timer.waiting == 1)
    server.stop()
  }

  @Test func `a token is renewed five minutes before its end, again and again`() async throws {
    _ = try await auth.signInAnonymously()
    _ = try await auth.token(forcingRefresh: false)
    for number in 2...4 {
      let delay = await timer.next()
      #expect(abs(delay - 55 * 60) < 30)
      clock.advance(by: delay)
      timer.fire()
      await tokens.made(number)
    }
    _ = await timer.next()
    #expect(try await auth.currentUser?.getIDToken() == "token 4")
    server.stop()
  }

  @Test func `a failed renewal is tried again after a minute, two, up to sixteen`() async throws {
    _ = try await auth.signInAnonymously()
    _ = try await auth.token(forcingRefresh: false)
    tokens.fail(true)
    var delays: [TimeInterval] = []
    _ = await timer.next()
    for _ in 0..<7 {
      timer.fire()
      delays.append(await timer.next())
    }
    #expect(delays == [60, 120, 240, 480, 960, 960, 960])
    tokens.fail(false)
    timer.fire()
    #expect(abs(await timer.next() - 55 * 60) < 30)
    #expect(try await auth.currentUser?.getIDToken() == "token 2")
    server.stop()
  }

  @Test func `a token that was renewed meanwhile has a plan of its own`() async throws {
    let user = try await auth.signInAnonymously().user
    _ = try await auth.token(forcingRefresh: false)
    _ = await timer.next()
    #expect(try await user.getIDToken(forcingRefresh: true) == "token 2")
    _ = await timer.next()
    timer.fire()
    timer.fire()
    _ = await timer.next()
    #expect(try await user.getIDToken() == "token 3" && tokens.count == 3)
    server.stop()
  }

  @Test func `nobody's token is renewed after a log-out, and the next one's is`() async throws {
    _ = try await auth.signInAnonymously()
    _ = try await auth.token(forcingRefresh: false)
    _ = await timer.next()
    try auth.signOut()
    timer.fire()
    #expect(timer.waiting == 0 && tokens.count == 1)
    _ = try await auth.signInAnonymously()
    #expect(abs(await timer.next() - 55 * 60) < 30)
    server.stop()
  }
}

/// A timer that fires when the test says so.
private final class ManualTimer: Sendable {
  private struct State {
    var bodies: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())
  private let delays = AsyncStream<TimeInterval>.makeStream()

  var schedule: Auth.Schedule {
    { [self] delay, body in
      state.withLock { $0.bodies.append(body) }
      delays.continuation.yield(delay)
    }
  }

  /// The number of bodies that wait to be fired.
  var waiting: Int { state.withLock { $0.bodies.count } }

  /// The delay of the next that was asked for; waits for it.
  func next() async -> TimeInterval {
    for await delay in delays.stream { return delay }
    return .nan
  }

  /// Fires the oldest.
  func fire() {
    let body = state.withLock { $0.bodies.isEmpty ? nil : $0.bodies.removeFirst() }
    body?()
  }
}

/// An account whose tokens live an hour.
private final class TokenServer: Sendable {
  private let state = Mutex((count: 0, fails: false))
  private let numbers = AsyncStream<Int>.makeStream()

  /// The number of tokens that were made.
  var count: Int { state.withLock { $0.count } }

  /// Sets if renewals fail after this.
  func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

  /// Waits until so many tokens were made.
  func made(_ number: Int) async {
    for await made in numbers.stream where made == number { return }
  }

  func answer(_ request: AnsweringServer.Request) -> AnsweringServer.Answer {
    if request.line.contains("accounts:lookup") {
      return .init(200, body: #"{"users":[{"localId":"ana"}]}"#)
    }
    let isRenewal = request.line.contains("/v1/token")
    let number = state.withLock { state -> Int? in
      if isRenewal, state.fails { return nil }
      state.count += 1
      return state.count
    }
    guard let number else { return .init(503, body: "{}") }
    numbers.continuation.yield(number)
    let names =
      isRenewal
      ? ("access_token", "refresh_token", "expires_in") : ("idToken", "refreshToken", "expiresIn")
    return .init(
      200,
      body: #"{"\#(names.0)":"token \#(number)","\#(names.1)":"r","\#(names.2)":"3600"}"#
    )
  }
}
