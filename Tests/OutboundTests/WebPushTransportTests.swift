import BaseJSON
import Foundation
import NIOPosix
import PushMessaging
import PushStandIns
import Synchronization
import Testing

@testable import Outbound

@Suite struct WebPushTransportTests {
  @Test func `a message arrives encrypted for its subscription alone`() async throws {
    try await withPushService { push in
      let outcome = await push.transport.hand(push.parcel("/up/1", collapseKey: "orders"))
      #expect(outcome == .handed(id: nil))
      let request = try #require(push.service.pushes.first)
      let content = try push.receiver.content(of: request.body)
      #expect(String(decoding: content, as: UTF8.self) == push.payload.compact)
      #expect(request.path == "/up/1")
      #expect(request.headers["ttl"] == "60")
      #expect(request.headers["urgency"] == "high")
      #expect(request.headers["topic"] == WebPushTopic.text(of: "orders"))
      #expect(request.headers["authorization"]?.hasSuffix("k=\(push.pair.publicText)") == true)
    }
  }

  @Test func `the message's own urgency wins and a life that is over is zero`() async throws {
    try await withPushService { push in
      let parcel = push.parcel("/up/1", headers: ["urgency": "Low"], timeToLive: .seconds(-5))
      _ = await push.transport.hand(parcel)
      _ = await push.transport.hand(push.parcel("/up/1", headers: ["urgency": "a\r\nb: c"]))
      #expect(push.service.pushes.map(\.headers["urgency"]) == ["low", "high"])
      #expect(push.service.pushes.first?.headers["ttl"] == "0")
      #expect(push.service.pushes.first?.headers["topic"] == nil)
    }
  }

  @Test(
    arguments: [
      (201, .handed(id: nil)), (200, .handed(id: nil)), (404, .gone(since: nil)),
      (410, .gone(since: nil)), (401, .unauthorized(reason: "HTTP 401")),
      (403, .unauthorized(reason: "HTTP 403")), (400, .refused(reason: "HTTP 400")),
      (413, .refused(reason: "the payload is too large for the push service")),
      (307, .refused(reason: "the push service redirects, which is not followed")),
      (429, .retry(after: .seconds(33), reason: "HTTP 429")),
      (500, .retry(after: .seconds(33), reason: "HTTP 500")),
      (503, .retry(after: .seconds(33), reason: "HTTP 503")),
    ] as [(Int, PushOutcome)]
  )
  func `each answer has its meaning`(_ status: Int, _ outcome: PushOutcome) async throws {
    try await withPushService { push in
      let headers = ["retry-after": "33", "location": "https://localhost:1/"]
      push.service.script("/up/1", [.answer(status: status, headers: headers)])
      #expect(await push.transport.hand(push.parcel("/up/1")) == outcome)
      #expect(push.service.pushes.isEmpty)
    }
  }

  @Test func `a service that says when to come again gets nothing until then`() async throws {
    try await withPushService { push in
      let busy = StandInReply.answer(status: 503, headers: ["retry-after": "40"])
      push.service.script("/up/1", [busy])
      _ = await push.transport.hand(push.parcel("/up/1"))
      let found = Fixture.pause(await push.transport.hand(push.parcel("/up/2")))
      let pause = try #require(found)
      #expect(pause > .seconds(30))
      #expect(push.service.pushes.isEmpty)
    }
  }

  @Test func `silence is tried again later`() async throws {
    try await withPushService(timeout: .seconds(2)) { push in
      push.service.script("/up/1", [.silence])
      let silent = await push.transport.hand(push.parcel("/up/1"))
      #expect(silent == .retry(after: nil, reason: "no answer"))
    }
  }

  @Test func `a connection that ends takes no message with it`() async throws {
    try await withPushService { push in
      push.service.script("/up/1", [.cut])
      #expect(await push.transport.hand(push.parcel("/up/1")) == .handed(id: nil))
      push.service.script("/up/1", [.cut, .cut, .cut])
      let outcome = await push.transport.hand(push.parcel("/up/1"))
      #expect(outcome == .retry(after: nil, reason: "no answer"))
    }
  }

  @Test(arguments: [
    "https://example.com/up", "http://localhost:1/up", "https://127.0.0.1/up", "ftp://x", "",
    "https://user@localhost/up", "https://metadata.google.internal/",
  ])
  func `other hosts are asked by nobody`(_ endpoint: String) async throws {
    try await withPushService { push in
      let outcome = await push.transport.hand(push.parcel(endpoint: endpoint))
      #expect(Fixture.isRefused(outcome), "\(outcome)")
    }
  }

  @Test func `an added host inside the network needs the operator's leave`() async throws {
    try await withPushService(allowsPrivate: false) { push in
      let outcome = await push.transport.hand(push.parcel("/up/1"))
      #expect(Fixture.isRefused(outcome), "\(outcome)")
      #expect(push.service.count == 0)
    }
  }

  @Test func `the connection goes to the address that was judged`() async throws {
    let count = Mutex(0)
    let resolve: @Sendable (String) throws -> [NetworkAddress] = { name in
      count.withLock { $0 += 1 }
      return name == "push.test" ? [NetworkAddress("127.0.0.1")].compactMap(\.self) : []
    }
    try await withPushService(resolve: resolve) { push in
      for name in ["push.test", "PUSH.Test", "push.test"] {
        let endpoint = "https://\(name):\(push.port)/up"
        #expect(await push.transport.hand(push.parcel(endpoint: endpoint)) == .handed(id: nil))
      }
      // A name without an address, and no other one in its place.
      let endpoint = "https://localhost:\(push.port)/up"
      let outcome = await push.transport.hand(push.parcel(endpoint: endpoint))
      #expect(outcome == .retry(after: nil, reason: "the push service has no address"))
    }
    #expect(count.withLock { $0 } == 2)
  }

  @Test func `one address inside the network is enough to refuse a name`() async throws {
    let resolve: @Sendable (String) throws -> [NetworkAddress] = { _ in
      ["93.184.216.34", "10.0.0.1"].compactMap { NetworkAddress($0) }
    }
    try await withPushService(allowsPrivate: false, resolve: resolve) { push in
      let known = "https://fcm.googleapis.com/fcm/send/abc"
      for endpoint in [known, "https://push.test:\(push.port)/up"] {
        let outcome = await push.transport.hand(push.parcel(endpoint: endpoint))
        #expect(Fixture.isRefused(outcome), "\(outcome)")
      }
    }
  }

  @Test func `a subscription for another key is the project's fault`() async throws {
    try await withPushService { push in
      let other = VAPIDPair(newFor: "mailto:other@example.org")
      let outcome = await push.transport.hand(push.parcel("/up/1", vapidKey: other.publicKey))
      #expect(outcome == .unauthorized(reason: "the subscription belongs to another VAPID key"))
      let same = await push.transport.hand(push.parcel("/up/1", vapidKey: push.pair.publicKey))
      #expect(same == .handed(id: nil))
      let none = await push.transport.hand(push.parcel("/up/1", credentials: .some(.none)))
      #expect(none == .unauthorized(reason: "the project has no VAPID key"))
    }
  }

  @Test func `payloads of 3993 bytes go and larger ones do not`() async throws {
    try await withPushService { push in
      let fitting = JSONValue.string(String(repeating: "x", count: 3_991))
      #expect(await push.transport.hand(push.parcel("/up/1", payload: fitting)) == .handed(id: nil))
      let large = JSONValue.string(String(repeating: "x", count: 3_992))
      let outcome = await push.transport.hand(push.parcel("/up/1", payload: large))
      #expect(outcome == .refused(reason: "the payload is larger than 3993 bytes"))
    }
  }

  @Test func `many messages at once all arrive over few connections`() async throws {
    try await withPushService { push in
      let handed = await push.handMany(300)
      #expect(handed == 300)
      #expect(push.service.count == 300)
      #expect(Set(push.service.pushes.map(\.connection)).count <= 4)
      #expect(Set(push.service.pushes.map(\.headers["authorization"])).count == 1)
    }
  }

  @Test func `an added host that is slow holds no more than its share`() async throws {
    // The last one begins while the first are still silent, also on a busy machine.
    try await withPushService(timeout: .seconds(15)) { push in
      push.service.script("/up/1", Array(repeating: .silence, count: 100))
      let outcomes = await push.handAtOnce(100, "/up/1")
      #expect((1...36).contains(Fixture.busy(outcomes)))
    }
  }

  @Test func `an added host that is quick takes as many as there are`() async throws {
    // Any answer is quick: how long one takes here says nothing.
    try await withPushService(quickAnswer: .seconds(60)) { push in
      _ = await push.handAtOnce(1, "/up/1")
      let outcomes = await push.handAtOnce(200, "/up/1")
      #expect(Fixture.busy(outcomes) == 0 && push.service.count == 201)
    }
  }

  /// A push service on this machine and a transport that may call it.
  struct Fixture: Sendable {
    let transport: WebPushTransport
    let service: PushServiceStandIn
    let url: String
    let port: Int
    let pair = VAPIDPair(newFor: "mailto:push@example.org")
    let receiver = WebPushReceiver()
    let payload = JSONValue.object([
      .init("notification", .object([.init("title", .string("New order"))])),
      .init("fcmMessageId", .string("m1")),
    ])

    func parcel(
      _ path: String = "",
      endpoint: String? = nil,
      payload: JSONValue? = nil,
      headers: [String: String] = [:],
      credentials: PushCredentials? = nil,
      vapidKey: [UInt8]? = nil,
      collapseKey: String? = nil,
      timeToLive: Duration = .seconds(60)
    ) -> PushParcel {
      PushParcel(
        messageID: "m1",
        sender: "shop",
        address: .webPush(
          endpoint: endpoint ?? url + path,
          p256dh: receiver.keys.publicKey,
          auth: receiver.keys.secret,
          vapidKey: vapidKey
        ),
        credentials: credentials ?? .vapid(pair),
        payload: payload ?? self.payload,
        headers: headers,
        collapseKey: collapseKey,
        priority: .high,
        timeToLive: timeToLive
      )
    }

    /// Hands over that many messages, fifty at a time, and says how many were taken.
    func handMany(_ count: Int) async -> Int {
      await withTaskGroup(of: Int.self) { group in
        for first in 0..<50 {
          group.addTask {
            var taken = 0
            for number in stride(from: first, to: count, by: 50) {
              let outcome = await transport.hand(parcel("/up/\(number)"))
              taken += outcome == .handed(id: nil) ? 1 : 0
            }
            return taken
          }
        }
        return await group.reduce(0, +)
      }
    }

    /// Begins that many messages at once, and gives what became of each.
    func handAtOnce(_ count: Int, _ path: String) async -> [PushOutcome] {
      await withTaskGroup(of: PushOutcome.self) { group in
        for _ in 0..<count { group.addTask { await transport.hand(parcel(path)) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }

    static func busy(_ outcomes: [PushOutcome]) -> Int {
      let reason = "too many requests in flight to the push service"
      return outcomes.count { $0 == .retry(after: .seconds(1), reason: reason) }
    }

    static func pause(_ outcome: PushOutcome) -> Duration? {
      if case .retry(let time, _) = outcome { time } else { nil }
    }

    static func isRefused(_ outcome: PushOutcome) -> Bool {
      if case .refused = outcome { true } else { false }
    }
  }

  private func withPushService(
    timeout: Duration = .seconds(60),
    quickAnswer: Duration = .seconds(1),
    allowsPrivate: Bool = true,
    resolve: @escaping @Sendable (String) throws -> [NetworkAddress] = NetworkAddress.resolve,
    _ body: (Fixture) async throws -> Void
  ) async throws {
    let certificate = try StandInCertificate()
    let (service, server) = try await PushServiceStandIn.start(certificate: certificate)
    var settings = PushHostSettings(group: MultiThreadedEventLoopGroup.singleton)
    settings.timeout = timeout
    settings.connectTimeout = .seconds(60)
    settings.addedHosts.quickAnswer = quickAnswer
    settings.authorities = certificate.file
    settings.resolve = resolve
    let transport = WebPushTransport(
      try PushHosts(
        adding: ["localhost:\(server.port)", "push.test:\(server.port)"],
        allowsPrivateAddresses: allowsPrivate
      ),
      settings: settings,
      clock: { 1_700_000_000 }
    )
    do {
      try await body(
        Fixture(transport: transport, service: service, url: server.url, port: server.port)
      )
      await transport.shutdown()
    } catch {
      await transport.shutdown()
      try certificate.removeFile()
      throw error
    }
    try await server.stop()
    try certificate.removeFile()
  }
}
