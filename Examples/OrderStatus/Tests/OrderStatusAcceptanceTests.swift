import ExampleTesting
import Foundation
import OrderStatusCore
import RESTClient
import Testing

/// The acceptance item 1e.11, by the app's view models, the sales provider and a real server in production mode.
@MainActor @Suite(.serialized) struct `Order status 1e.11` {
  /// Runs a test beside a Brasa and a provider.
  private func withShop(
    _ body: @MainActor @Sendable (TestOrders, Shop) async throws -> Void
  ) async throws {
    let test = try await TestOrders()
    defer { test.end() }
    try await test.withProvider { try await body(test, $0) }
  }

  /// The request of the book, with its texts, for a device.
  private static func book(_ token: String, orderKey: String = "orderID") -> String {
    """
    {"to": "\(token)",
     "notification": {
       "body": "Status do pedido", "title": "Provedor de Mensagens",
       "orderInfo": {"infoReason": "Status de pedido", "\(orderKey)": 3,
         "userEmail": "matilde@siecola.com.br", "newOrderStatus": "Novo pedido"}},
     "priority": "high", "content_available": true}
    """
  }

  private static let bookLines = [
    "Status de pedido", "3", "Novo pedido", "matilde@siecola.com.br",
  ]

  @Test
  func `1e.11 the seed's payload shows a banner and fills the five lines, one id on both sides`()
    async throws
  {
    try await withShop { test, _ in
      let app = try test.launch()
      app.status.decide(allowsBanners: true)
      let token = try await app.signIn("matilde@siecola.com.br", "matilde")
      #expect(app.lines == nil && app.status.banner == nil)
      let id = try await test.send(Self.book(token)).messageID
      #expect(await app.showsLines())
      #expect(app.lines == [id] + Self.bookLines)
      #expect(app.status.banner?.title == "Provedor de Mensagens")
      #expect(app.status.banner?.body == "Status do pedido")
      #expect(app.status.banner?.messageID == id)
      await app.quit()
    }
  }

  @Test func `1e.11 the spelling of the book's log fills them too`() async throws {
    try await withShop { test, _ in
      let app = try test.launch()
      let token = try await app.signIn("matilde@siecola.com.br", "matilde")
      let id = try await test.send(Self.book(token, orderKey: "orderId")).messageID
      #expect(await app.showsLines())
      #expect(app.lines == [id] + Self.bookLines)
      await app.quit()
    }
  }

  @Test func `1e.11 the same by HTTP v1, whose name ends with the id`() async throws {
    try await withShop { test, _ in
      let app = try test.launch()
      let token = try await app.signIn("matilde@siecola.com.br", "matilde")
      let info =
        #"{\"infoReason\":\"Status de pedido\",\"orderID\":3,"#
        + #"\"userEmail\":\"matilde@siecola.com.br\",\"newOrderStatus\":\"Novo pedido\"}"#
      let sent = try await raw(
        .post,
        try #require(URL(string: test.brasa.url)),
        "/v1/projects/\(TestOrders.project)/messages:send",
        token: test.brasa.administrator,
        body: """
          {"message": {"token": "\(token)",
            "notification": {"title": "Provedor de Mensagens", "body": "Status do pedido"},
            "apns": {"payload": {"gcm.notification.orderInfo": "\(info)"}},
            "webpush": {"notification": {"orderInfo": "\(info)"}}}}
          """
      )
      let name = try #require(sent.object["name"] as? String, "\(sent.text)")
      #expect(await app.showsLines())
      let id = try #require(app.lines?.first)
      #expect(name == "projects/\(TestOrders.project)/messages/\(id)")
      #expect(app.lines == [id] + Self.bookLines)
      await app.quit()
    }
  }

  @Test func `1e.11 an order that is placed, changed and cancelled is told each time`() async throws
  {
    try await withShop { test, shop in
      let admin = try await shop.administrator()
      let ana = try await shop.user("ana@a.co")
      let app = try test.launch()
      app.status.decide(allowsBanners: true)
      try await app.signIn("ana@a.co")
      let placed = try await shop.place("ana@a.co", token: ana)
      let order = try #require(placed.object["id"] as? Int)
      try await Self.expect(app, placed, ["NEW_ORDER", "\(order)", "CREATED", "ana@a.co"])
      let changed = try await shop.change(order, to: "APPROVED", token: admin)
      try await Self.expect(app, changed, ["STATUS_CHANGED", "\(order)", "APPROVED", "ana@a.co"])
      app.status.dismissBanner()
      let cancelled = try await shop.change(order, to: "CANCELLED", token: ana)
      let last = ["ORDER_CANCELLED", "\(order)", "CANCELLED", "ana@a.co"]
      try await Self.expect(app, cancelled, last)
      await app.quit()
    }
  }

  /// Waits for the push of a change, whose answer has the same id as the first line.
  private static func expect(
    _ app: RunningApp,
    _ change: RawReply,
    _ lines: [String]
  ) async throws {
    let id = try #require(change.object["messageId"] as? String, "\(change.text)")
    #expect(await app.shows(id))
    #expect(app.lines == [id] + lines)
    #expect(app.status.banner?.messageID == id)
  }
}
