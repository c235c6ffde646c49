import ExampleTesting
import Foundation
import OrderStatusCore
import RESTClient
import Testing

/// Tests of the orders that a device shows, without a network and between runs.
@MainActor @Suite(.serialized, .timeLimit(.minutes(10))) struct `Order status devices` {
  @Test func `a device is told of who is signed in, and of nobody else`() async throws {
    let test = try await TestOrders()
    defer { test.end() }
    try await test.withProvider { shop in
      let ana = try await shop.user("ana@a.co")
      let bia = try await shop.user("bia@a.co")
      let (phone, tablet) = (try test.launch(), try test.launch())
      let token = try await phone.signIn("ana@a.co")
      try await tablet.signIn("bia@a.co")
      #expect(try await shop.registration(of: "ana@a.co", token: ana) == token)
      _ = try await shop.place("ana@a.co", token: ana)
      #expect(await phone.showsLines())
      let hers = try await shop.place("bia@a.co", token: bia)
      let id = try #require(hers.object["messageId"] as? String)
      #expect(await tablet.shows(id))
      #expect(phone.lines?.last == "ana@a.co")
      // A message that reaches the wrong device is taken and does not show.
      let shown = phone.lines
      let stray = try await test.send(
        """
        {"to": "\(token)", "notification": {"title": "x", "body": "y", "orderInfo": {"infoReason": "r",
          "orderID": 1, "userEmail": "bia@a.co", "newOrderStatus": "s"}}}
        """
      )
      try await test.waitUntilTaken(try stray.messageID)
      #expect(phone.lines == shown)
      await phone.quit()
      await tablet.quit()
    }
  }

  @Test func `log-out takes the token back, empties the screen and ends the pushes`() async throws {
    let test = try await TestOrders()
    defer { test.end() }
    try await test.withProvider { shop in
      let ana = try await shop.user("ana@a.co")
      let app = try test.launch("phone")
      try await app.signIn("ana@a.co")
      _ = try await shop.place("ana@a.co", token: ana)
      #expect(await app.showsLines())
      await app.model.signOut()
      #expect(!app.isSignedIn && app.lines == nil && app.status.banner == nil)
      #expect(try await shop.registration(of: "ana@a.co", token: ana) == nil)
      let untold = try await shop.place("ana@a.co", token: ana)
      #expect(untold.status == 201 && untold.object["messageId"] == nil)
      // The next person sees nothing of it, and is told of their own.
      let bia = try await shop.user("bia@a.co")
      try await app.signIn("bia@a.co")
      #expect(app.lines == nil)
      let hers = try await shop.place("bia@a.co", token: bia)
      let id = try #require(hers.object["messageId"] as? String)
      #expect(await app.shows(id))
      await app.quit()
    }
  }

  @Test func `log-out without the provider gives the token up`() async throws {
    let test = try await TestOrders()
    defer { test.end() }
    let app = try await Self.signedIn(test)
    let old = app.status.token
    await app.model.signOut()
    #expect(!app.isSignedIn && app.lines == nil)
    try await test.withProvider { shop in
      let ana = try await shop.logIn("ana@a.co", "segredo")
      // Brasa says that there is no such device, and the provider forgets it.
      try await Self.placeUntilForgotten(shop, ana)
      #expect(app.lines == nil)
      let new = try await app.signIn("ana@a.co")
      #expect(new != old)
      await app.quit()
    }
  }

  @Test func `log-out without any network gives the token up at the next start`() async throws {
    let test = try await TestOrders()
    defer { test.end() }
    let app = try await Self.signedIn(test, "phone")
    let old = app.status.token
    test.brasa.stop()
    await app.model.signOut()
    #expect(!app.isSignedIn && app.lines == nil)
    await app.quit()
    try test.brasa.start()
    let again = try test.launch("phone")
    #expect(!again.isSignedIn)
    try await test.withProvider { shop in
      let ana = try await shop.logIn("ana@a.co", "segredo")
      try await Self.placeUntilForgotten(shop, ana)
      #expect(try await again.signIn("ana@a.co") != old)
      await again.quit()
    }
  }

  /// Places orders until the provider has forgotten the person's device, whose token is given up meanwhile.
  private static func placeUntilForgotten(_ shop: Shop, _ token: String) async throws {
    repeat {
      _ = try await shop.place("ana@a.co", token: token)
    } while try await shop.registration(of: "ana@a.co", token: token) != nil
  }

  /// A device on which a person is signed in, whose provider has ended.
  private static func signedIn(
    _ test: TestOrders,
    _ device: String = "phone"
  ) async throws -> RunningApp {
    try await test.withProvider { _ = try await $0.signUp("ana@a.co") }
    let app = try test.launch(device)
    try await test.withProvider { _ in try await app.signIn("ana@a.co") }
    return app
  }

  @Test func `a relaunch stays signed in, shows the last push, and gets what came meanwhile`()
    async throws
  {
    let test = try await TestOrders()
    defer { test.end() }
    try await test.withProvider { shop in
      let ana = try await shop.user("ana@a.co")
      let app = try test.launch("phone")
      app.status.decide(allowsBanners: true)
      try await app.signIn("ana@a.co")
      let first = try await shop.place("ana@a.co", token: ana)
      let shown = try #require(first.object["messageId"] as? String)
      #expect(await app.shows(shown))
      await app.quit()
      let again = try test.launch("phone")
      #expect(again.isSignedIn && again.lines?.first == shown && again.status.banner == nil)
      await again.quit()
      let meanwhile = try await shop.place("ana@a.co", token: ana)
      let waiting = try #require(meanwhile.object["messageId"] as? String)
      let third = try test.launch("phone")
      #expect(await third.shows(waiting))
      #expect(third.status.banner?.messageID == waiting)
      await third.quit()
    }
  }

  @Test func `the server stops and comes back, and the pushes go on`() async throws {
    let test = try await TestOrders()
    defer { test.end() }
    try await test.withProvider { shop in
      let ana = try await shop.user("ana@a.co")
      let app = try test.launch()
      try await app.signIn("ana@a.co")
      test.brasa.stop()
      // The order counts though nobody can be told.
      let untold = try await shop.place("ana@a.co", token: ana)
      #expect(untold.status == 201 && untold.object["messageId"] == nil)
      try test.brasa.start()
      let told = try await shop.place("ana@a.co", token: ana)
      let id = try #require(told.object["messageId"] as? String)
      #expect(await app.shows(id))
      await app.quit()
    }
  }

  @Test func `who allows no banners sees the lines alone, and may allow them later`() async throws {
    let test = try await TestOrders()
    defer { test.end() }
    try await test.withProvider { shop in
      let ana = try await shop.user("ana@a.co")
      let app = try test.launch()
      #expect(app.status.allowsBanners == nil)
      app.status.decide(allowsBanners: false)
      try await app.signIn("ana@a.co")
      _ = try await shop.place("ana@a.co", token: ana)
      #expect(await app.showsLines())
      #expect(app.status.banner == nil)
      app.status.decide(allowsBanners: true)
      _ = try await shop.place("ana@a.co", token: ana)
      #expect(await eventually { app.status.banner != nil })
      await app.quit()
    }
  }

  @Test func `a device that the provider could not be told of is told again when asked`()
    async throws
  {
    let test = try await TestOrders()
    defer { test.end() }
    let app = try await Self.signedIn(test, "phone")
    await app.quit()
    // Signed in, and the provider is not there.
    let again = try test.launch("phone")
    #expect(await eventually { again.status.problem != nil })
    #expect(again.isSignedIn && again.status.token == nil)
    try await test.withProvider { shop in
      let ana = try await shop.logIn("ana@a.co", "segredo")
      again.model.tryAgain()
      #expect(await again.isRegistered())
      #expect(again.status.problem == nil)
      let placed = try await shop.place("ana@a.co", token: ana)
      let id = try #require(placed.object["messageId"] as? String)
      #expect(await again.shows(id))
    }
    await again.quit()
  }
}
