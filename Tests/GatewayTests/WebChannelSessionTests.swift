import BaseRuntime
import BaseStatus
import FirestoreModel
import FirestoreWire
import Synchronization
import Testing

@testable import Access
@testable import FirestoreService
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
    func ended(_ method: ServedMethod, _ code: StatusCode) { ends.withLock { $0.append(code) } }
  }

  private func open(
    limits: WebChannelLimits = WebChannelLimits(),
    account: LedgerAccount = ByteLedger().account(of: .none),
    memory: CallerMemory? = nil
  ) async -> (WebChannelSession, ScriptedCall) {
    let session = WebChannelSession(
      id: "id",
      affinity: "affinity",
      binding: WebChannelSession.Binding(
        method: .test(.listen, of: service),
        database: nil,
        isSecure: false,
        origin: nil,
        authorization: nil
      ),
      limits: limits,
      observer: observer,
      account: account,
      now: start
    )
    let context = CallContext(
      requestID: "test",
      authorization: nil,
      isSecure: false,
      memory: memory
    )
    session.open(context)
    return (session, await service.nextOpened())
  }

  /// The memory of a connection that has shown credentials.
  private static var credentials: CallerMemory {
    let memory = CallerMemory()
    memory.noteCredentials()
    return memory
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
    let (session, call) = await open(memory: Self.credentials)
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
    call.responses.finish(ServiceError(.aborted, "enough"))
    let generation = try #require(try backChannel(session, "AID=0&CI=0"))
    let answer = next(session, generation)
    #expect(answer?.numbers == [1])
    #expect(answer?.isLast == true)
    #expect(try backChannel(session, "AID=1") == nil)
    #expect(session.tick(start + .seconds(1)))
    #expect(!session.tick(ContinuousClock.now + .seconds(61)))
    #expect(call.history.isEmpty)
  }

  // MARK: The ledger

  /// A ledger whose pool is small.
  private func ledger(_ pool: Int) -> ByteLedger {
    var limits = ByteLedger.Limits()
    limits.poolBytes = pool
    limits.anonymousPoolBytes = pool
    return ByteLedger(limits: limits)
  }

  /// A form with one large map.
  private static func large(_ bytes: Int, at offset: Int) throws -> WebChannelForm {
    let map = String(repeating: "x", count: bytes)
    return try WebChannelForm(Array("count=1&ofs=\(offset)&req0___data__=\(map)".utf8))
  }

  @Test func `a session that no connection carries holds its share of memory and no more`()
    async throws
  {
    let ledger = ledger(1 << 20)
    let account = ledger.account(of: .ipv4(1))
    let (session, call) = await open(account: account)
    // Maps that come before their turn are held.
    for offset in 1...4 {
      await session.receive(try Self.large(100_000, at: offset), acknowledged: nil, now: start)
    }
    #expect(call.history.isEmpty)
    #expect(ledger.bytes(of: .session) > 400_000)
    for offset in 5...8 {
      await session.receive(try Self.large(100_000, at: offset), acknowledged: nil, now: start)
    }
    #expect(call.history == [.cancelled])
    #expect(observer.ends.withLock { $0 } == [.resourceExhausted])
    #expect(ledger.bytes(of: .session) < 10_000, "given back with the session's end")
    session.discard()
    #expect(ledger.bytes(of: .session) == 0)
    #expect(ledger.poolBytes == 0)
  }

  @Test func `messages that wait for the service count until it takes them`() async throws {
    let ledger = ledger(1 << 20)
    let (session, call) = await open(account: ledger.account(of: .ipv4(1)))
    call.responses.setReading(false)
    await session.receive(try Self.large(100_000, at: 0), acknowledged: nil, now: start)
    #expect(ledger.bytes(of: .session) > 100_000)
    await session.receive(try Self.large(900_000, at: 1), acknowledged: nil, now: start)
    #expect(observer.ends.withLock { $0 } == [.resourceExhausted])
    #expect(ledger.bytes(of: .session) < 10_000)
  }

  @Test func `what waits for a client that reads nothing ends its session where memory is scarce`()
    async throws
  {
    let ledger = ledger(1 << 20)
    let (session, call) = await open(account: ledger.account(of: .ipv4(1)))
    let part = [UInt8](repeating: 0, count: 200_000)
    #expect(call.responses.send([part]))
    #expect(!call.responses.send([part]), "no credentials, a small window")
    #expect(ledger.bytes(of: .session) > 400_000)
    let generation = try #require(try backChannel(session, "AID=0&CI=0"))
    _ = next(session, generation)
    _ = next(session, generation)
    session.closeBackChannel(generation, now: start)
    _ = try backChannel(session, "AID=2&CI=0")
    #expect(ledger.bytes(of: .session) < 10_000, "given back when it is acknowledged")
    for _ in 0..<4 { call.responses.send([part]) }
    #expect(call.history.last == .cancelled)
    #expect(observer.ends.withLock { $0 } == [.resourceExhausted])
    #expect(ledger.bytes(of: .session) < 10_000)
    let last = try #require(try backChannel(session, "AID=2&CI=0"))
    #expect(next(session, last)?.numbers.count == 1, "the error and nothing else")
  }

  @Test(arguments: [false, true])
  func `the first back channel, and any of nobody, is waited for half as long`(
    isTrusted: Bool
  ) async throws {
    let (session, _) = await open(memory: isTrusted ? Self.credentials : nil)
    #expect(session.tick(start + .seconds(44)))
    #expect(!session.tick(start + .seconds(46)))
    let generation = try #require(try backChannel(session, "AID=0&CI=1"))
    session.closeBackChannel(generation, now: start)
    #expect(session.tick(start + .seconds(46)) == isTrusted)
    #expect(!session.tick(start + .seconds(91)))
  }
}
