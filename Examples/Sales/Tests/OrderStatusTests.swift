import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import SalesService

/// The status of orders, who may change it, and whose device hears of it.
struct OrderStatusTests {
  @Test func `an order moves on step by step, and its owner's device hears of each`() async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let ana = try await shop.user("ana@a.co")
      #expect(try await shop.register("c1:A_b-9", token: ana).status == 200)
      let placed = try await shop.place("ana@a.co", token: ana)
      let id = try #require(placed.object["id"] as? Int)
      #expect(placed.object["status"] as? String == "CREATED")
      #expect(placed.object["messageId"] as? String == "0:\(id)")
      for status in ["APPROVED", "SHIPPED", "DELIVERED"] {
        let changed = try await shop.change(id, to: status, token: admin)
        #expect(changed.status == 200 && changed.object["status"] as? String == status)
        #expect(changed.object["messageId"] as? String == "0:\(id)")
      }
      // What is there already is no change.
      let same = try await shop.change(id, to: "DELIVERED", token: admin)
      #expect(same.status == 200 && same.object["messageId"] == nil)
      let stored = try await raw(.get, shop.url, "/api/orders/\(id)", token: ana)
      #expect(stored.object["status"] as? String == "DELIVERED")
      let notices = shop.notifier.notices
      #expect(notices.map(\.status) == ["CREATED", "APPROVED", "SHIPPED", "DELIVERED"])
      #expect(notices.map(\.reason) == ["NEW_ORDER"] + Array(repeating: "STATUS_CHANGED", count: 3))
      #expect(notices.allSatisfy { $0.registration == "c1:A_b-9" && $0.email == "ana@a.co" })
    }
  }

  @Test func `an order takes no step that there is not`() async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let placed = try await shop.place("ana@a.co", token: admin)
      let id = try #require(placed.object["id"] as? Int)
      let refused = try await shop.change(id, to: "SHIPPED", token: admin)
      #expect(refused.status == 412)
      #expect(refused.errorMessage == "An order that is CREATED cannot become SHIPPED")
      #expect(try await shop.change(id, to: "LOST", token: admin).status == 400)
      #expect(try await shop.change(1, to: "APPROVED", token: admin).status == 404)
      #expect(try await shop.change(id, to: "CANCELLED", token: admin).status == 200)
      #expect(try await shop.change(id, to: "APPROVED", token: admin).status == 412)
      #expect(shop.notifier.notices.map(\.status) == ["CREATED", "CANCELLED"])
    }
  }

  @Test func `who placed an order cancels it until it is shipped, and does nothing else to it`()
    async throws
  {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let ana = try await shop.user("ana@a.co")
      let bia = try await shop.user("bia@a.co")
      let first = try #require(try await shop.place("ana@a.co", token: ana).object["id"] as? Int)
      #expect(try await shop.change(first, to: "APPROVED", token: ana).status == 403)
      #expect(try await shop.change(first, to: "CANCELLED", token: bia).status == 403)
      #expect(try await shop.change(first, to: "CANCELLED", token: ana).status == 200)
      let second = try #require(try await shop.place("ana@a.co", token: ana).object["id"] as? Int)
      for status in ["APPROVED", "SHIPPED"] {
        #expect(try await shop.change(second, to: status, token: admin).status == 200)
      }
      #expect(try await shop.change(second, to: "CANCELLED", token: ana).status == 412)
      let reasons = shop.notifier.notices.map(\.reason)
      #expect(reasons.filter { $0 == "ORDER_CANCELLED" }.count == 1)
    }
  }

  @Test func `a device is one person's at a time, and is taken back`() async throws {
    try await TestShop.run { shop in
      let ana = try await shop.user("ana@a.co")
      let bia = try await shop.user("bia@a.co")
      let told = try await shop.register("c1:x", token: ana)
      #expect(told.object["gcmRegId"] as? String == "c1:x")
      #expect(told.object["email"] as? String == "ana@a.co")
      #expect(told.object["lastGCMRegister"] as? Int64 == 1_772_449_200_000)
      #expect(try await shop.register("c1:x", token: bia).status == 200)
      #expect(try await shop.registration(of: "ana@a.co", token: ana) == nil)
      // Another device of hers has taken its place: the old one's farewell changes nothing.
      #expect(try await shop.register("c2:y", token: bia).status == 200)
      #expect(try await shop.register("c1:x", token: bia, .delete).status == 200)
      #expect(try await shop.registration(of: "bia@a.co", token: bia) == "c2:y")
      let gone = try await shop.register("c2:y", token: bia, .delete)
      #expect(gone.status == 200 && gone.object["gcmRegId"] is NSNull)
      #expect(gone.object["lastGCMRegister"] is NSNull)
      let admin = try await shop.administrator()
      #expect(try await shop.register("c3:z", token: admin).status == 200)
      let nobody = try await raw(.put, shop.url, "/api/users/update_gcm_reg_id/c4")
      #expect(nobody.status == 401)
    }
  }

  @Test func `a registration that has ended is forgotten`() async throws {
    try await TestShop.run { shop in
      let ana = try await shop.user("ana@a.co")
      _ = try await shop.register("gone:x", token: ana)
      let placed = try await shop.place("ana@a.co", token: ana)
      #expect(placed.status == 201 && placed.object["messageId"] == nil)
      #expect(try await shop.registration(of: "ana@a.co", token: ana) == nil)
    }
  }
}
