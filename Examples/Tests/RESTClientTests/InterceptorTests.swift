import ExampleTesting
import Foundation
import Synchronization
import Testing

@testable import RESTClient

@Suite struct `Interceptors` {
  private func client(
    _ interceptors: any Interceptor...,
    transport: any Transport
  ) throws -> HTTPClient {
    HTTPClient(
      baseURL: try #require(URL(string: "http://example.test/root")),
      transport: transport,
      interceptors: interceptors
    )
  }

  @Test func `ten calls with a stale token share one renewal and are repeated once`() async throws {
    let source = CountingTokens()
    let transport = ScriptedTransport { request in
      HTTPReply(status: request.headers["Authorization"] == "Bearer new" ? 200 : 401)
    }
    let client = try client(BearerAuthorization(source: source), transport: transport)
    try await withThrowingTaskGroup { group in
      for _ in 0..<10 { group.addTask { try await client.send(Endpoint<Void>(.get, "x")) } }
      try await group.waitForAll()
    }
    #expect(source.renewals == 1)
    let stale = transport.sent.filter { $0.headers["Authorization"] == "Bearer old" }.count
    #expect(transport.sent.count == 10 + stale)
  }

  @Test func `a token that is refused again is not renewed again`() async throws {
    let source = CountingTokens()
    let transport = ScriptedTransport { _ in HTTPReply(status: 401) }
    let client = try client(BearerAuthorization(source: source), transport: transport)
    let error = await #expect(throws: RequestError.self) {
      try await client.send(Endpoint<Void>(.get, "x"))
    }
    #expect(error?.code == .unauthorized)
    #expect(source.renewals == 1)
    #expect(transport.sent.count == 2)
  }

  @Test func `other statuses renew nothing and anonymous calls carry no token`() async throws {
    let source = CountingTokens()
    let transport = ScriptedTransport { _ in HTTPReply(status: 403) }
    let client = try client(BearerAuthorization(source: source), transport: transport)
    await #expect(throws: RequestError.self) { try await client.send(Endpoint<Void>(.get, "x")) }
    await #expect(throws: RequestError.self) {
      try await client.send(Endpoint<Void>(.get, "x").anonymous())
    }
    #expect(source.renewals == 0)
    #expect(transport.sent.map { $0.headers["Authorization"] } == ["Bearer old", nil])
  }

  @Test func `an idempotent call is repeated with growing waits`() async throws {
    let clock = ManualClock()
    let statuses = Mutex([503, 429, 200])
    let transport = ScriptedTransport { _ in
      HTTPReply(status: statuses.withLock { $0.removeFirst() })
    }
    let client = try client(
      Retry(attempts: 3, firstDelay: .seconds(1), clock: clock, jitter: { 1 }),
      transport: transport
    )
    async let done: Void = client.send(Endpoint<Void>(.get, "x"))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(1999))
    #expect(transport.sent.count == 2)
    clock.advance(by: .milliseconds(1))
    try await done
    #expect(transport.sent.count == 3)
  }

  @Test func `a call that is not idempotent is sent once, unless declared repeatable`() async throws
  {
    let transport = ScriptedTransport { _ in throw RequestError(.transport) }
    let client = try client(
      Retry(attempts: 2, firstDelay: .zero, clock: ContinuousClock()),
      transport: transport
    )
    await #expect(throws: RequestError(.transport)) {
      try await client.send(Endpoint<Void>(.post, "x"))
    }
    #expect(transport.sent.count == 1)
    await #expect(throws: RequestError(.transport)) {
      try await client.send(Endpoint<Void>(.post, "x").repeatable())
    }
    #expect(transport.sent.count == 3)
  }

  @Test func `a wait ends when the task is cancelled`() async throws {
    let clock = ManualClock()
    let client = try client(
      Retry(firstDelay: .seconds(1), clock: clock),
      transport: ScriptedTransport { _ in HTTPReply(status: 503) }
    )
    let task = Task { try await client.send(Endpoint<Void>(.get, "x")) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: RequestError(.cancelled)) { try await task.value }
  }

  @Test func `paths, queries and bodies are escaped`() async throws {
    let transport = ScriptedTransport { _ in HTTPReply(status: 200) }
    let client = try client(transport: transport)
    var endpoint = Endpoint<Void>(
      .put,
      "api",
      "a/b c?",
      body: .form([("grant type", "a&b=ç")])
    )
    endpoint.query = [URLQueryItem(name: "email", value: "a+b@c.d")]
    try await client.send(endpoint)
    let sent = try #require(transport.sent.first)
    #expect(
      sent.url.absoluteString == "http://example.test/root/api/a%2Fb%20c%3F?email=a%2Bb%40c.d"
    )
    #expect(sent.body.map { String(decoding: $0, as: UTF8.self) } == "grant%20type=a%26b%3D%C3%A7")
    #expect(sent.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }
}

private final class CountingTokens: TokenSource {
  private let state = Mutex((token: "old", renewals: 0))

  var renewals: Int { state.withLock(\.renewals) }

  func currentToken() async -> String? { state.withLock(\.token) }

  func renewToken(replacing rejected: String) async throws -> String? {
    await Task.yield()
    return state.withLock { state in
      state.renewals += 1
      state.token = "new"
      return state.token
    }
  }
}
