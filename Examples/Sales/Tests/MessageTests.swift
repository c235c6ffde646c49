import ExampleTesting
import FirebaseCore
import FirebaseMessaging
import Foundation
import Synchronization
import Testing

@testable import SalesService

/// New orders reach a device through a Brasa of the test's own, in production mode.
struct MessageTests {
  private static let project = "sales"

  private struct OrderInfo: Decodable, Equatable {
    let infoReason: String
    let orderID: Int64
    let userEmail: String
    let newOrderStatus: String
  }

  /// The options of an app at a server.
  private static func options(_ url: String, _ folder: Folder) -> FirebaseOptions {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.brasaHost = url
    options.stateDirectory = folder.file("app")
    return options
  }

  @Test func `a new order reaches the app of the person who placed it`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let brasa = Brasa(data: folder.file("brasa"))
    try brasa.start()
    defer { brasa.stop() }
    // The key of an app is that of a project that has something; here it is a person.
    try brasa.run(["users", "create", "--email", "ana@a.co", "--project", Self.project])
    let made = try brasa.run(["messages", "keys", "create", "shop", "--project", Self.project])
    let key = try #require(made.split(separator: "\n").first { $0.hasPrefix("BRSA") })
    let notifier = try #require(
      MessageNotifier(environment: [
        "SALES_MESSAGES_URL": brasa.url, "SALES_MESSAGES_KEY": String(key),
      ])
    )
    let options = Self.options(brasa.url, folder)
    try await withDefaultApp {
      let app = try FirebaseApp.configured(options: options)
      try await Self.follow(notifier)
      _ = await app.delete()
    }
  }

  /// Places an order and waits for what the default app's messages say of it.
  private static func follow(_ notifier: MessageNotifier) async throws {
    let messaging = Messaging.messaging()
    var messages = messaging.messages.makeAsyncIterator()
    let registration = try await messaging.token()
    let order = try await order(through: notifier, registration)
    let message = try #require(await messages.next())
    #expect(message.title == "Provedor de Mensagens" && message.body == "Status do pedido")
    // The dictionary of the book's log (8.7.6).
    let aps = try #require(message.userInfo["aps"] as? [String: Any])
    #expect(aps["content-available"] as? Int == 1)
    #expect(
      aps["alert"] as? [String: String]
        == ["body": "Status do pedido", "title": "Provedor de Mensagens"]
    )
    #expect(message.userInfo["google.c.sender.id"] as? String == "42")
    #expect(message.userInfo["google.c.a.e"] as? String == "1")
    #expect(message.userInfo["gcm.message_id"] as? String == message.messageID)
    let info = try #require(message.userInfo["gcm.notification.orderInfo"] as? String)
    let expected = OrderInfo(
      infoReason: "NEW_ORDER",
      orderID: Int64(order),
      userEmail: "ana@a.co",
      newOrderStatus: "CREATED"
    )
    #expect(try JSONDecoder().decode(OrderInfo.self, from: Data(info.utf8)) == expected)
  }

  private static func order(
    through notifier: MessageNotifier,
    _ registration: String
  ) async throws -> Int {
    let order = Mutex(0)
    try await TestShop.run(through: notifier) { shop in
      _ = try await shop.signUp("ana@a.co", registration: registration)
      let token = try await shop.logIn("ana@a.co", "segredo")
      let placed = try await shop.place("ana@a.co", token: token)
      let id = try #require(placed.object["id"] as? Int)
      order.withLock { $0 = id }
    }
    return order.withLock(\.self)
  }

  @Test func `an order is placed though the messaging service does not answer`() async throws {
    let nobody = try #require(URL(string: "http://127.0.0.1:1"))
    let notifier = MessageNotifier(url: nobody, serverKey: "key", timeout: .seconds(1))
    _ = try await Self.order(through: notifier, "c1:x")
  }

  @Test func `without a service and a key there is nothing to send through`() {
    #expect(MessageNotifier(environment: [:]) == nil)
    #expect(MessageNotifier(environment: ["SALES_MESSAGES_URL": "http://127.0.0.1:1"]) == nil)
  }
}
