import BaseJSON
import Crypto
import Foundation
import NIOPosix
import PushMessaging
import PushStandIns
import Synchronization
import Testing

@testable import Outbound

@Suite struct APNsTransportTests {
  private static let device = String(repeating: "a1", count: 32)
  private static let bundle = "com.example.shop"

  @Test func `a message arrives with Apple's headers and its own payload`() async throws {
    try await withAPNs { apns in
      let outcome = await apns.transport.hand(apns.parcel(Self.device, collapseKey: "order 7"))
      let push = try #require(apns.production.pushes.first)
      #expect(outcome == .handed(id: push.headers["apns-id"]))
      #expect(push.path == "/3/device/\(Self.device)")
      #expect(push.headers["apns-topic"] == Self.bundle)
      #expect(push.headers["apns-push-type"] == "alert")
      #expect(push.headers["apns-priority"] == "10")
      #expect(push.headers["apns-collapse-id"] == "order 7")
      #expect(push.headers["apns-expiration"] == "1700003600")
      #expect(String(decoding: push.body, as: UTF8.self) == apns.payload.compact)
      _ = await apns.transport.hand(apns.parcel(Self.device, attempt: 2))
      _ = await apns.transport.hand(apns.parcel(String(repeating: "b2", count: 32)))
      let ids = apns.accepted("apns-id")
      #expect(ids[0] == ids[1] && ids[1] != ids[2])
      #expect(apns.sandbox.pushes.isEmpty)
    }
  }

  @Test func `what the message says of Apple's headers wins`() async throws {
    try await withAPNs { apns in
      let headers = ["apns-push-type": "background", "apns-collapse-id": "own"]
      _ = await apns.transport.hand(apns.parcel(Self.device, headers: headers, timeToLive: .zero))
      let push = try #require(apns.production.pushes.first)
      #expect(push.headers["apns-push-type"] == "background")
      #expect(push.headers["apns-priority"] == "5")
      #expect(push.headers["apns-expiration"] == "0")
      #expect(push.headers["apns-collapse-id"] == "own")
    }
  }

  @Test func `one provider token serves many requests over few connections`() async throws {
    try await withAPNs { apns in
      let outcomes = await apns.handMany(300)
      #expect(Fixture.failures(outcomes).isEmpty)
      let pushes = apns.production.pushes
      #expect(Set(pushes.map(\.path)).count == 300)
      #expect(Set(apns.accepted("authorization")).count == 1)
      #expect(Set(pushes.map(\.connection)).count <= 2)
      apns.time.pass(2_401)
      _ = await apns.transport.hand(apns.parcel(Self.device))
      #expect(Set(apns.accepted("authorization")).count == 2)
    }
  }

  @Test func `connections with much to do get another one beside them`() async throws {
    try await withAPNs(saturation: 8) { apns in
      let outcomes = await apns.handMany(64)
      #expect(Fixture.failures(outcomes).isEmpty)
      let count = Set(apns.production.pushes.map(\.connection)).count
      #expect((4...8).contains(count))
    }
  }

  @Test func `a token of the other environment is found there and remembered`() async throws {
    try await withAPNs { apns in
      apns.production.forget(Self.device)
      for _ in 0..<2 {
        let outcome = await apns.transport.hand(apns.parcel(Self.device))
        #expect(outcome == .handed(id: apns.sandbox.pushes.last?.headers["apns-id"]))
      }
      #expect(apns.sandbox.pushes.count == 2)
      apns.sandbox.forget(Self.device)
      #expect(await apns.transport.hand(apns.parcel(Self.device)) == .gone(since: nil))
    }
  }

  @Test func `a connection that goes away takes no message with it`() async throws {
    try await withAPNs { apns in
      for reply in [StandInReply.goAway(reason: "Shutdown"), .cut] {
        apns.production.script(Self.device, [reply])
        let outcome = await apns.transport.hand(apns.parcel(Self.device))
        #expect(outcome == .handed(id: apns.production.pushes.last?.headers["apns-id"]))
        apns.production.script(Self.device, [reply, reply, reply])
        let second = await apns.transport.hand(apns.parcel(Self.device))
        #expect(second == .retry(after: nil, reason: "no answer"))
      }
    }
  }

  @Test func `messages in flight at a goodbye all arrive`() async throws {
    try await withAPNs { apns in
      for number in stride(from: 0, to: 200, by: 40) {
        apns.production.script(Fixture.device(number), [.goAway(reason: "Shutdown")])
      }
      let outcomes = await apns.handMany(200)
      let failed = Fixture.failures(outcomes)
      // Those whose connection went away each time are the caller's to repeat; none is lost or refused.
      #expect(
        failed == Array(repeating: .retry(after: nil, reason: "no answer"), count: failed.count)
      )
      #expect(failed.count < 200)
      let accepted = Set(apns.production.pushes.map(\.path)).count
      #expect(accepted >= 200 - failed.count)
    }
  }

  @Test func `silence ends in time and the next message takes a new connection`() async throws {
    try await withAPNs(timeout: .seconds(2), connections: 1) { apns in
      let first = try #require(await apns.handUntilTaken(Self.device))
      apns.production.script(Self.device, [.silence])
      let outcome = await apns.transport.hand(apns.parcel(Self.device))
      #expect(outcome == .retry(after: nil, reason: "no answer"))
      let second = try #require(await apns.handUntilTaken(Self.device))
      #expect(second > first)
    }
  }

  @Test func `an expired provider token is replaced once it may be`() async throws {
    try await withAPNs { apns in
      _ = await apns.transport.hand(apns.parcel(Self.device))
      let expired = APNsStandIn.refusal(403, "ExpiredProviderToken")
      apns.production.script(Self.device, [expired])
      let young = await apns.transport.hand(apns.parcel(Self.device))
      #expect(young == .unauthorized(reason: "ExpiredProviderToken"))
      apns.time.pass(1_300)
      apns.production.script(Self.device, [expired])
      let old = await apns.transport.hand(apns.parcel(Self.device))
      #expect(old == .handed(id: apns.production.pushes.last?.headers["apns-id"]))
      #expect(Set(apns.accepted("authorization")).count == 2)
    }
  }

  @Test func `a key that is not the team's is the project's fault`() async throws {
    try await withAPNs { apns in
      let other = APNsKey(
        keyID: "ABC123DEFG",
        teamID: "TEAM567890",
        privateKey: P256.Signing.PrivateKey().pemRepresentation
      )
      let parcel = apns.parcel(Self.device, credentials: .apns(other))
      #expect(await apns.transport.hand(parcel) == .unauthorized(reason: "InvalidProviderToken"))
      let none = await apns.transport.hand(apns.parcel(Self.device, credentials: .some(.none)))
      #expect(none == .unauthorized(reason: "the project has no APNs key"))
      let unreadable = APNsKey(keyID: "A", teamID: "B", privateKey: "?")
      let outcome = await apns.transport.hand(
        apns.parcel(Self.device, credentials: .apns(unreadable))
      )
      #expect(outcome == .unauthorized(reason: "the private key is not a P-256 key in PEM format"))
      #expect(apns.production.pushes.isEmpty)
    }
  }

  @Test func `what Apple would refuse for its size is not sent`() async throws {
    try await withAPNs { apns in
      let payload = JSONValue.object([.init("a", .string(String(repeating: "x", count: 4_089)))])
      let parcel = apns.parcel(Self.device, payload: payload)
      #expect(await apns.transport.hand(parcel) == .refused(reason: "PayloadTooLarge"))
      let fitting = JSONValue.object([.init("a", .string(String(repeating: "x", count: 4_088)))])
      let outcome = await apns.transport.hand(apns.parcel(Self.device, payload: fitting))
      #expect(outcome == .handed(id: apns.production.pushes.last?.headers["apns-id"]))
      let odd = await apns.transport.hand(apns.parcel("../../3/device/x"))
      #expect(odd == .refused(reason: "the address is not a device token"))
    }
  }

  @Test func `a service that fails again and again gets a pause`() async throws {
    try await withAPNs(connections: 1) { apns in
      let failure = APNsStandIn.refusal(500, "InternalServerError")
      apns.production.script(Self.device, Array(repeating: failure, count: 30))
      for _ in 0..<5 {
        let outcome = await apns.transport.hand(apns.parcel(Self.device))
        #expect(outcome == .retry(after: nil, reason: "InternalServerError"))
      }
      // A machine that is slow may be asked again when the first pause is over; the next ones are longer.
      var pause: Duration?
      for _ in 0..<20 where pause == nil {
        if case .retry(let time?, _) = await apns.transport.hand(apns.parcel(Self.device)) {
          pause = time
        }
      }
      #expect(pause.map { $0 >= .seconds(1) } == true)
      #expect(apns.production.pushes.isEmpty)
    }
  }

  @Test func `after the shutdown nothing is handed over`() async throws {
    try await withAPNs { apns in
      await apns.transport.shutdown()
      let outcome = await apns.transport.hand(apns.parcel(Self.device))
      #expect(outcome == .retry(after: nil, reason: "no answer"))
    }
  }

  @Test func `only this machine may stand in for Apple`() throws {
    for text in ["https://push.example.org", "https://10.0.0.1:2197", "http://localhost:1", "x"] {
      #expect(throws: OutboundError.self) { try APNsEndpoints(production: text) }
    }
    let own = try APNsEndpoints(sandbox: "https://127.0.0.1:2197")
    #expect(own.origin(.production).origin == "https://api.push.apple.com")
    #expect(own.origin(.sandbox).origin == "https://127.0.0.1:2197")
  }

  /// Both environments' stand-ins and a transport that knows only them.
  struct Fixture: Sendable {
    let transport: APNsTransport
    let production: APNsStandIn
    let sandbox: APNsStandIn
    let key: APNsKey
    let time: Time
    let payload = JSONValue.object([
      .init("aps", .object([.init("alert", .object([.init("title", .string("New order"))]))])),
      .init("gcm.message_id", .string("m1")),
    ])

    /// A clock that is set by hand.
    final class Time: Sendable {
      private let seconds = Mutex(1_700_000_000)
      var now: Int { seconds.withLock { $0 } }

      func pass(_ time: Int) { seconds.withLock { $0 += time } }
    }

    static func failures(_ outcomes: [PushOutcome]) -> [PushOutcome] {
      outcomes.filter { if case .handed = $0 { false } else { true } }
    }

    /// A header of what production accepted.
    func accepted(_ header: String) -> [String?] { production.pushes.map { $0.headers[header] } }

    static func device(_ number: Int) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 64 - digits.count) + digits
    }

    func parcel(
      _ device: String,
      payload: JSONValue? = nil,
      headers: [String: String] = [:],
      credentials: PushCredentials? = nil,
      collapseKey: String? = nil,
      timeToLive: Duration = .seconds(3_600),
      attempt: Int = 1
    ) -> PushParcel {
      PushParcel(
        messageID: "m1",
        sender: "shop",
        address: .apns(token: device, environment: .production, bundle: APNsTransportTests.bundle),
        credentials: credentials ?? .apns(key),
        payload: payload ?? self.payload,
        headers: headers,
        collapseKey: collapseKey,
        priority: .high,
        timeToLive: timeToLive,
        attempt: attempt
      )
    }

    /// Hands over one message, again where a busy machine took longer than the transport waits; gives its connection.
    func handUntilTaken(_ device: String) async -> Int? {
      for _ in 0..<20 {
        if case .handed = await transport.hand(parcel(device)) { break }
      }
      return production.pushes.last?.connection
    }

    /// Hands over one message for each of `count` devices, all at once.
    func handMany(_ count: Int) async -> [PushOutcome] {
      await withTaskGroup(of: PushOutcome.self) { group in
        for number in 0..<count {
          group.addTask { await transport.hand(parcel(Self.device(number))) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
  }

  private func withAPNs(
    timeout: Duration = .seconds(60),
    connections: Int = 2,
    saturation: Int = 500,
    _ body: (Fixture) async throws -> Void
  ) async throws {
    let certificate = try StandInCertificate()
    let privateKey = P256.Signing.PrivateKey()
    let team = APNsStandIn.Team(
      teamID: "TEAM567890",
      keyID: "ABC123DEFG",
      bundle: Self.bundle,
      publicKey: privateKey.publicKey
    )
    let time = Fixture.Time()
    let clock: @Sendable () -> Int = { time.now }
    let production = try await APNsStandIn.start(team, certificate: certificate, clock: clock)
    let sandbox = try await APNsStandIn.start(team, certificate: certificate, clock: clock)
    var settings = PushHostSettings(group: MultiThreadedEventLoopGroup.singleton)
    settings.timeout = timeout
    settings.connectTimeout = .seconds(60)
    let endpoints = try APNsEndpoints(
      production: production.1.url,
      sandbox: sandbox.1.url,
      authorities: certificate.file
    )
    let transport = APNsTransport(
      endpoints,
      settings: settings,
      connections: connections,
      saturation: saturation,
      clock: clock
    )
    let key = APNsKey(
      keyID: "ABC123DEFG",
      teamID: "TEAM567890",
      privateKey: privateKey.pemRepresentation
    )
    let fixture = Fixture(
      transport: transport,
      production: production.0,
      sandbox: sandbox.0,
      key: key,
      time: time
    )
    do {
      try await body(fixture)
      await transport.shutdown()
    } catch {
      await transport.shutdown()
      try certificate.removeFile()
      throw error
    }
    try await production.1.stop()
    try await sandbox.1.stop()
    try certificate.removeFile()
  }
}
