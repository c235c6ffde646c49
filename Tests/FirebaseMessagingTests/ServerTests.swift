import Foundation
import SDKTestSupport
import Testing

@testable import FirebaseMessaging

/// Tokens, topics and messages of the server itself.
struct ServerTests {
  @Test func `a message arrives in the delegate and the sequence, with the sender's id`()
    async throws
  {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let messaging = fixture.messaging()
    let listener = Listener()
    messaging.delegate = listener
    var sequence = messaging.messages.makeAsyncIterator()
    let token = try await messaging.token()
    var tokens = listener.tokens.makeAsyncIterator()
    #expect(await tokens.next() == token && messaging.fcmToken == token)
    let id = try await fixture.send(
      """
      {"token": "\(token)", "data": {"orderID": "7"}, "notification": {"title": "T", "body": "B"}}
      """
    )
    let message = try #require(await sequence.next())
    #expect(message.messageID == id && message.title == "T" && message.data == ["orderID": "7"])
    var messages = listener.messages.makeAsyncIterator()
    let info = try #require(await messages.next())
    #expect(info["gcm.message_id"] == id && info["orderID"] == "7")
  }

  @Test func `messages that came meanwhile arrive with the next run, each once`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let first = fixture.messaging()
    var sequence = first.messages.makeAsyncIterator()
    let token = try await first.token()
    let seen = try await fixture.send(#"{"token": "\#(token)", "data": {"n": "0"}}"#)
    #expect(await sequence.next()?.messageID == seen)
    first.appWasDeleted()
    var sent: [String] = []
    for number in 1...5 {
      sent.append(try await fixture.send(#"{"token": "\#(token)", "data": {"n": "\#(number)"}}"#))
    }
    let second = fixture.messaging()
    var later = second.messages.makeAsyncIterator()
    #expect(try await second.token() == token)
    var arrived: [String] = []
    for _ in sent { arrived.append(try #require(await later.next()).messageID) }
    #expect(arrived == sent)
  }

  @Test func `a stream that breaks goes on where it was`() async throws {
    let server = try BrasaServer.shared.get()
    let proxy = try CuttingProxy(to: server.port) { $0 < 30 ? 900 + 150 * $0 : nil }
    let fixture = try MessagingFixture(port: proxy.port)
    defer { fixture.end() }
    let messaging = fixture.messaging()
    var sequence = messaging.messages.makeAsyncIterator()
    let token = try await Self.persistently { try await messaging.token() }
    var sent: [String] = []
    for number in 0..<40 {
      sent.append(try await fixture.send(#"{"token": "\#(token)", "data": {"n": "\#(number)"}}"#))
    }
    var arrived: [String] = []
    for _ in sent { arrived.append(try #require(await sequence.next()).messageID) }
    proxy.stop()
    #expect(arrived == sent)
    #expect(proxy.cutCount > 2)
  }

  /// Tries again where the network broke.
  private static func persistently<Result>(
    _ call: () async throws -> Result
  ) async throws -> Result {
    for _ in 0..<50 {
      do { return try await call() } catch is MessagingError {}
    }
    return try await call()
  }

  @Test func `who subscribed to a topic gets its messages, and no more afterwards`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let messaging = fixture.messaging()
    var sequence = messaging.messages.makeAsyncIterator()
    try await messaging.subscribe(toTopic: "/topics/news-1")
    let news = try await fixture.send(#"{"topic": "news-1", "data": {"a": "1"}}"#)
    #expect(await sequence.next()?.messageID == news)
    try await messaging.unsubscribe(fromTopic: "news-1")
    _ = try await fixture.send(#"{"topic": "news-1", "data": {"a": "2"}}"#)
    let token = try await messaging.token()
    let last = try await fixture.send(#"{"token": "\#(token)", "data": {"a": "3"}}"#)
    #expect(await sequence.next()?.messageID == last)
    #expect(messaging.kept.topicChanges.isEmpty)
    await #expect(throws: MessagingError.self) { try await messaging.subscribe(toTopic: "a b") }
  }

  @Test func `a deleted token is known no more, and the next one is another`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let messaging = fixture.messaging()
    let token = try await messaging.token()
    #expect(try await messaging.retrieveFCMToken(forSenderID: "42") == token)
    await #expect(throws: MessagingError.self) {
      try await messaging.retrieveFCMToken(forSenderID: "43")
    }
    try await messaging.deleteToken()
    #expect(messaging.fcmToken == nil)
    let refused = await #expect(throws: MessagingFixture.Refused.self) {
      try await fixture.send(#"{"token": "\#(token)", "data": {"a": "1"}}"#)
    }
    #expect(refused?.text.contains("UNREGISTERED") == true)
    var sequence = messaging.messages.makeAsyncIterator()
    let next = try await messaging.token()
    #expect(next != token)
    let id = try await fixture.send(#"{"token": "\#(next)", "data": {"a": "1"}}"#)
    #expect(await sequence.next()?.messageID == id)
  }

  @Test func `on Apple's systems a token needs one of Apple`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let messaging = fixture.messaging(usesApple: true)
    await #expect(throws: MessagingError.self) { try await messaging.token() }
    messaging.setAPNSToken(Data([0x0A, 0xFF] + Array(repeating: 1, count: 30)), type: .sandbox)
    let token = try await messaging.token()
    #expect(messaging.kept.registeredAddress?.token.hasPrefix("0aff0101") == true)
    messaging.setAPNSToken(Data(repeating: 2, count: 32), type: .prod)
    #expect(try await messaging.token() != token)
    #expect(messaging.kept.registeredAddress?.environment == "PROD")
  }

  @Test func `messages that the app hands over are new once`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let messaging = fixture.messaging(usesApple: true)
    let message: [AnyHashable: Any] = ["gcm.message_id": "0:1", "aps": [:]]
    #expect(messaging.appDidReceiveMessage(message).status == .new)
    #expect(messaging.appDidReceiveMessage(message).status == .unknown)
    #expect(messaging.appDidReceiveMessage(["aps": [:]]).status == .unknown)
  }

  @Test func `what was set of tokens by themselves lasts`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let messaging = fixture.messaging()
    #expect(messaging.isAutoInitEnabled)
    messaging.isAutoInitEnabled = false
    let next = fixture.messaging()
    next.start()
    #expect(!next.isAutoInitEnabled && next.fcmToken == nil)
  }

  @Test func `a request in the legacy form arrives with its order as JSON text`() async throws {
    let fixture = try MessagingFixture()
    defer { fixture.end() }
    let messaging = fixture.messaging()
    let listener = Listener()
    messaging.delegate = listener
    let token = try await messaging.token()
    let key = try BrasaServer.shared.get()
      .run(["messages", "keys", "create", "provider", "--project", fixture.project])
    let answer = try await fixture.post(
      "fcm/send",
      """
      {"to": "\(token)", "priority": "high", "content_available": true, "notification": {
       "title": "Provedor de Mensagens", "body": "Status do pedido", "orderInfo": {
       "infoReason": "ORDER_STATUS_CHANGED", "orderID": 4711, "userEmail": "ana@example.org",
       "newOrderStatus": "SHIPPED"}}}
      """,
      authorization: "key=\(key.trimmingCharacters(in: .whitespacesAndNewlines))"
    )
    let results = try #require(answer["results"] as? [[String: Any]])
    var messages = listener.messages.makeAsyncIterator()
    let info = try #require(await messages.next())
    #expect(info["gcm.message_id"] == results.first?["message_id"] as? String)
    #expect(info["google.c.a.e"] == "1")
    #expect(info["google.c.sender.id"] == "42")
    let order = try #require(info["gcm.notification.orderInfo"])
    let members = try JSONSerialization.jsonObject(with: Data(order.utf8)) as? [String: Any]
    #expect(members?["orderID"] as? Int == 4_711)
    #expect(members?["newOrderStatus"] as? String == "SHIPPED")
    #expect(members?["userEmail"] as? String == "ana@example.org")
    #expect(members?["infoReason"] as? String == "ORDER_STATUS_CHANGED")
  }
}
