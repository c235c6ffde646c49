import FirestoreModel
import FirestoreService
import FirestoreWire
import Synchronization
import Testing

@testable import Gateway

/// Sessions without sockets, at times of the test's own.
@Suite struct WebChannelSessionTests {
  private let service = ScriptedService()
  private let observer = Observer()
  private let start = ContinuousClock.now

  private final class Observer: WebChannelObserver {
    let ends = Mutex<[StatusCode]>([])

    func received() {}
    func sent(_ messages: Int) {}
    func ended(_ method: RPCMethod, _ code: StatusCode) { ends.withLock { $0.append(code) } }
  }

  private func open(
    limits: WebChannelLimits = WebChannelLimits()
  ) async -> (WebChannelSession, ScriptedCall) {
    let session = WebChannelSession(
      id: "id",
      affinity: "affinity",
      binding: WebChannelSession.Binding(
        method: .listen,
        database: nil,
        isSecure: false,
        origin: nil,
        authorization: nil
      ),
      limits: limits,
      observer: observer,
      now: start
    )
    let context = CallContext(requestID: "test", authorization: nil, isSecure: false)
    session.open(service, context)
    return (session, await service.nextOpened())
  }

  private func backChannel(
    _ session: WebChannelSession,
    _ query: String,
    after seconds: Int = 0
  ) throws -> Int? {
    session.openBackChannel(
      try WebChannelParameters(query),
      now: start + .seconds(seconds)
    )
  }

  /// The numbers of the arrays that come next, and whether the request ends with them; nil where
  /// the client waits.
  private func next(
    _ session: WebChannelSession,
    _ generation: Int,
    after seconds: Int = 0
  ) -> (numbers: [Int], isLast: Bool)? {
    switch session.nextStep(of: generation, now: start + .seconds(seconds)) {
    case .wait: nil
    case .end: ([], true)
    case .write(let items, let isLast): (items.map(\.number), isLast)
    }
  }

  @Test func `a streaming back channel has a noop at once, one in time, and an end`() async throws {
    let (session, call) = await open()
    let generation = try #require(try backChannel(session, "AID=0&CI=0"))
    #expect(next(session, generation)?.numbers == [1])
    #expect(next(session, generation, after: 29) == nil)
    #expect(next(session, generation, after: 31)?.numbers == [2])
    #expect(next(session, generation, after: 31) == nil)
    let last = next(session, generation, after: 241)
    #expect(last?.numbers == [3])
    #expect(last?.isLast == true)
    #expect(call.history.isEmpty)
  }

  @Test func `a long poll ends with data, or with a noop when its time is over`() async throws {
    let (session, call) = await open()
    let first = try #require(try backChannel(session, "AID=0&CI=1&TO=5000"))
    #expect(next(session, first, after: 4) == nil)
    #expect(next(session, first, after: 5)?.isLast == true)
    session.closeBackChannel(first, now: start + .seconds(5))
    let second = try #require(try backChannel(session, "AID=1&CI=1", after: 6))
    #expect(next(session, second, after: 6) == nil)
    call.responses.send([[], []])
    let answer = next(session, second, after: 6)
    #expect(answer?.numbers == [2, 3])
    #expect(answer?.isLast == true)
  }

  @Test func `a session whose client is not heard of is over, and its call is cancelled`()
    async throws
  {
    let (session, call) = await open()
    let generation = try #require(try backChannel(session, "AID=0&CI=1"))
    #expect(session.tick(start + .seconds(1_000)), "a back channel keeps it")
    session.closeBackChannel(generation, now: start + .seconds(1_000))
    #expect(session.tick(start + .seconds(1_080)))
    #expect(!session.tick(start + .seconds(1_091)))
    session.discard()
    #expect(call.history == [.cancelled])
    #expect(observer.ends.withLock { $0 } == [.cancelled])
    session.discard()
    call.responses.send([[1]])
    call.responses.finish(nil)
    #expect(call.history == [.cancelled])
    #expect(observer.ends.withLock { $0 } == [.cancelled])
    #expect(try backChannel(session, "AID=0") == nil)
  }

  @Test func `a client that never acknowledges has the sender wait until it does`() async throws {
    var limits = WebChannelLimits()
    limits.windowBytes = 1_000
    let (session, call) = await open(limits: limits)
    let message = [UInt8](repeating: 0, count: 300)
    #expect([1, 2, 3].allSatisfy { _ in call.responses.send([message]) })
    #expect(!call.responses.send([message]))
    let first = try #require(try backChannel(session, "AID=0&CI=0"))
    // All of it went out, so only a new request can acknowledge it.
    #expect(next(session, first)?.isLast == true)
    #expect(call.history.isEmpty)
    session.closeBackChannel(first, now: start)
    _ = try backChannel(session, "AID=2&CI=0")
    #expect(call.history.isEmpty)
    _ = try backChannel(session, "AID=3&CI=0")
    #expect(call.history == [.resumed])
  }

  @Test func `a session that holds too much for its client ends`() async throws {
    var limits = WebChannelLimits()
    limits.windowBytes = 100
    limits.sessionBytes = 1_000
    let (session, call) = await open(limits: limits)
    for _ in 0..<20 { call.responses.send([[UInt8](repeating: 0, count: 100)]) }
    #expect(call.history == [.cancelled])
    #expect(observer.ends.withLock { $0 } == [.resourceExhausted])
    let generation = try #require(try backChannel(session, "AID=0&CI=0"))
    #expect(next(session, generation)?.isLast == true)
  }

  private static func form(_ count: Int, at offset: Int) throws -> WebChannelForm {
    let maps = (0..<count).map { "&req\($0)___data__=%7B%7D" }.joined()
    return try WebChannelForm(Array("count=\(count)&ofs=\(offset)\(maps)".utf8))
  }

  @Test func `a session that holds too much for the service ends`() async throws {
    var limits = WebChannelLimits()
    limits.floodRequests = 3
    let (session, call) = await open(limits: limits)
    call.responses.setReading(false)
    await session.receive(try Self.form(3, at: 0), acknowledged: nil, now: start)
    #expect(call.history.isEmpty)
    await session.receive(try Self.form(1, at: 3), acknowledged: nil, now: start)
    #expect(call.history == [.cancelled])
    #expect(observer.ends.withLock { $0 } == [.resourceExhausted])
  }

  @Test func `a client that goes on while its requests are held back ends its session`()
    async throws
  {
    var limits = WebChannelLimits()
    limits.requests = 1
    limits.floodPosts = 2
    let (session, call) = await open(limits: limits)
    call.responses.setReading(false)
    let form = try Self.form(1, at: 0)
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<3 {
        tasks.addTask { await session.receive(form, acknowledged: nil, now: start) }
      }
    }
    #expect(call.history == [.cancelled])
    #expect(observer.ends.withLock { $0 } == [.resourceExhausted])
  }

  @Test func `an ended session waits for its last array to be fetched, not for ever`() async throws
  {
    let (session, call) = await open()
    call.responses.finish(FirestoreError(.aborted, "enough"))
    let generation = try #require(try backChannel(session, "AID=0&CI=0"))
    let answer = next(session, generation)
    #expect(answer?.numbers == [1])
    #expect(answer?.isLast == true)
    #expect(try backChannel(session, "AID=1") == nil)
    #expect(session.tick(start + .seconds(1)))
    #expect(!session.tick(ContinuousClock.now + .seconds(61)))
    #expect(call.history.isEmpty)
  }
}
