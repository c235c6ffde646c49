import NIOCore
import Testing

@testable import Gateway

/// Tests of the work without effect that a connection without credentials may cause before it is
/// read more slowly.
@Suite struct UnservedRequestCreditTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

  @Test func `requests that come to nothing use the credit up, and time gives it back`() {
    var credit = UnservedRequestCredit(requests: 4, perSecond: 10, now: start)
    var isUsedUp = false
    for _ in 0..<3 {
      let isUsedUp = credit.spend(UnservedRequestCredit.request, at: start)
      #expect(!isUsedUp)
    }
    isUsedUp = credit.spend(UnservedRequestCredit.request, at: start)
    #expect(isUsedUp)
    isUsedUp = credit.spend(0, at: start + .milliseconds(1))
    #expect(isUsedUp)
    isUsedUp = credit.spend(0, at: start + .milliseconds(100))
    #expect(!isUsedUp)
    // A tenth of a second is worth one request, and an hour no more than the whole.
    isUsedUp = credit.spend(UnservedRequestCredit.request, at: start + .milliseconds(100))
    #expect(isUsedUp)
    isUsedUp = credit.spend(3 * UnservedRequestCredit.request, at: start + .hours(1))
    #expect(!isUsedUp)
    isUsedUp = credit.spend(UnservedRequestCredit.request, at: start + .hours(1))
    #expect(isUsedUp)
  }

  @Test func `requests that are served cost nothing, small frames little`() {
    var credit = UnservedRequestCredit(requests: 1, perSecond: 1, now: start)
    for _ in 0..<1_000 {
      _ = credit.spend(UnservedRequestCredit.request, at: start)
      credit.giveBack()
    }
    for _ in 1..<UnservedRequestCredit.request {
      let isUsedUp = credit.spend(1, at: start)
      #expect(!isUsedUp)
    }
    let isUsedUp = credit.spend(1, at: start)
    #expect(isUsedUp)
  }

  @Test func `large headers cost as many frames as they have bytes for, until they are served`() {
    let request = UnservedRequestCredit.request
    #expect(UnservedRequestCredit.cost(ofHeaderBytes: 2 << 10) == 0)
    let cost = UnservedRequestCredit.cost(ofHeaderBytes: 32 << 10)
    #expect(cost > 20 * request)
    var credit = UnservedRequestCredit(requests: 64, perSecond: 100, now: start)
    for _ in 0..<1_000 {
      let isUsedUp = credit.spend(request + cost, at: start)
      #expect(!isUsedUp)
      credit.giveBack(headerCost: cost)
    }
    var opened = 1
    while !credit.spend(request + cost, at: start) { opened += 1 }
    #expect(opened <= 4)
  }

  /// Sends requests without credentials, which are all refused; those of the pause get their
  /// responses after it.
  @Test func `a client that is out of credit is answered later, and all the same`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.unservedRequests = (2, 50)
    try await withGateway(limits: limits) { gateway in
      var reader = try await FrameReader(port: gateway.port, settings: [])
      let streams = (0..<20).map { UInt32(2 * $0 + 1) }
      let calls = streams.flatMap { RawClient.headers(stream: $0, RawClient.call("Nothing")) }
      try await reader.client.send(calls)
      var ended = 0
      _ = await reader.frames { frame in
        if frame.isTrailers { ended += 1 }
        return ended == streams.count
      }
      #expect(ended == streams.count)
    }
  }

  @Test func `the credit is used up until half of it is there again`() {
    var credit = UnservedRequestCredit(requests: 4, perSecond: 10, now: start)
    _ = credit.spend(UnservedRequestCredit.request, at: start)
    #expect(!credit.isLow)
    _ = credit.spend(3 * UnservedRequestCredit.request, at: start)
    #expect(credit.isLow)
    #expect(credit.usedUpSince == start)
    _ = credit.spend(UnservedRequestCredit.request, at: start + .milliseconds(200))
    #expect(credit.usedUpSince == start)
    for _ in 0..<3 { credit.giveBack() }
    #expect(credit.usedUpSince == nil)
  }

  @Test func `connections of one network that are out of credit share its growth`() {
    var credit = UnservedRequestCredit(requests: 4, perSecond: 10, now: start)
    _ = credit.spend(4 * UnservedRequestCredit.request, at: start)
    // 320 frames a second for one connection, and for two.
    for sharers in [1, 2] { #expect(credit.timeToGrow(sharers: sharers) == .microseconds(3_125)) }
    let sharers = 10 * UnservedRequestCredit.unsharedConnections
    #expect(credit.timeToGrow(sharers: sharers) == .microseconds(31_250))
    var isUsedUp = credit.spend(0, at: start + .milliseconds(31), sharers: sharers)
    #expect(isUsedUp)
    isUsedUp = credit.spend(0, at: start + .milliseconds(32), sharers: sharers)
    #expect(!isUsedUp)
  }

  @Test func `connections out of credit are counted by network`() {
    let shares = CreditShares()
    for _ in 0..<3 { shares.enter(.ipv4(1)) }
    shares.enter(.ipv4(2))
    shares.leave(.ipv4(1))
    #expect(shares.count(of: .ipv4(1)) == 2)
    #expect(shares.count(of: .ipv4(2)) == 1)
    shares.leave(.ipv4(2))
    #expect(shares.count(of: .ipv4(2)) == 0)
  }

  @Test func `a client that goes on asking in vain is sent away`() async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.unservedRequests = (2, 1)
    limits.unservedTimeout = .zero
    let seen = try await withGateway(limits: limits) { gateway in
      try await Self.answers(to: Self.calls(20), port: gateway.port)
    }
    let answered = seen.filter(\.isTrailers).count
    #expect(answered < 20)
    let reasons = seen.filter { $0.type == 7 }.map { $0.payload.suffix(1) }
    #expect(reasons == [[11]])
  }

  /// Also if it is kept for a while: no request is looked at until the credit for the last one has grown again.
  @Test(arguments: [Duration.zero, .milliseconds(200)])
  func `a client that sends large headers in vain is sent away sooner`(
    timeout: Duration
  ) async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.unservedRequests = (32, 1)
    limits.unservedTimeout = timeout
    let large = [("x-large", String(repeating: "v", count: 10_000))]
    let seen = try await withGateway(limits: limits) { gateway in
      try await Self.answers(to: Self.calls(20, with: large), port: gateway.port)
    }
    let answered = seen.filter(\.isTrailers).count
    #expect(answered < 8)
    let reasons = seen.filter { $0.type == 7 }.map { $0.payload.suffix(1) }
    #expect(reasons == [[11]])
  }

  /// A client without credentials takes 1 KiB or 100 bytes of its download at a time, and sends an upload so.
  @Test(arguments: [(1 << 10, 1 << 10), (100, 1 << 10), (1 << 10, 100)])
  func `uploads and downloads by frames of a usual size cost nothing`(
    taken: Int,
    sent: Int
  ) async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.unservedRequests = (4, 1)
    limits.unservedTimeout = .zero
    let isUsual = taken == 1 << 10 && sent == 1 << 10
    try await withGateway(limits: limits) { gateway in
      var reader = try await FrameReader(port: gateway.port, settings: [])
      try await reader.listen([1])
      let call = await gateway.service.nextOpened()
      call.responses.send([[UInt8](repeating: 7, count: 60_000)])
      _ = try await reader.settle()
      let steps = 60_000 / taken
      let windows = (0..<steps).flatMap { _ in
        FrameReader.window(0, UInt32(taken)) + FrameReader.window(1, UInt32(taken))
      }
      let message = framed([UInt8](repeating: 7, count: 60_000))
      let upload = stride(from: 0, to: message.count, by: sent).flatMap { start in
        let part = message[start..<min(start + sent, message.count)]
        return RawClient.frame(type: 0, flags: 0, stream: 3, Array(part))
      }
      let head = RawClient.headers(stream: 3, RawClient.call("Commit"))
      let end = RawClient.frame(type: 0, flags: 1, stream: 3, [])
      try await reader.client.send(windows + head + upload + end)
      let seen = await reader.frames { $0.type == 7 || $0.isTrailers }
      #expect(seen.contains { $0.isTrailers } == isUsual)
      #expect(seen.contains { $0.type == 7 } != isUsual)
    }
  }

  private static func calls(
    _ count: UInt32,
    with fields: [(String, String)] = []
  ) -> [UInt8] {
    (0..<count).flatMap {
      RawClient.headers(stream: 2 * $0 + 1, RawClient.call("Nothing") + fields)
    }
  }

  /// All frames up to the connection's end.
  private static func answers(to calls: [UInt8], port: Int) async throws -> [FrameReader.Frame] {
    var reader = try await FrameReader(port: port, settings: [])
    try await reader.client.send(calls)
    return await reader.frames(until: neverEnds)
  }

  private static func neverEnds(_ frame: FrameReader.Frame) -> Bool { false }
}
