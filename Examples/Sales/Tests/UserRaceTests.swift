import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import SalesService

/// Changes of one user that come together.
struct UserRaceTests {
  @Test func `a change without a password does not bring the old one back`() async throws {
    try await TestShop.run { shop in
      let administrator = try await shop.administrator()
      let made = try await shop.signUp("ana@a.co", by: administrator)
      let id = try #require(made.object["id"] as? Int)
      @Sendable func change(_ password: String) async throws -> Int {
        try await raw(
          .put,
          shop.url,
          "/api/users/byemail?email=ana@a.co",
          token: administrator,
          body: #"{"id":\#(id),"email":"ana@a.co","enabled":true,"password":\#(password)}"#
        ).status
      }
      for round in 0..<12 {
        // Enough changes that some read the user before the new password is stored and write after it.
        let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
          group.addTask { [try await change("\"secret\(round)\"")] }
          for _ in 0..<4 {
            group.addTask {
              var statuses: [Int] = []
              for _ in 0..<12 { statuses.append(try await change("null")) }
              return statuses
            }
          }
          return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.count == 49 && statuses.allSatisfy { $0 == 200 })
        _ = try await shop.logIn("ana@a.co", "secret\(round)")
      }
    }
  }

  @Test func `a user who is deleted beside a change is a 404 or gone, and never a fault`()
    async throws
  {
    try await TestShop.run { shop in
      let administrator = try await shop.administrator()
      for round in 0..<20 {
        let email = "u\(round)@a.co"
        let made = try await shop.signUp(email, by: administrator)
        let id = try #require(made.object["id"] as? Int)
        let path = "/api/users/byemail?email=\(email)"
        let body = #"{"id":\#(id),"email":"\#(email)","enabled":true,"password":"x"}"#
        async let changed = raw(.put, shop.url, path, token: administrator, body: body).status
        async let deleted = raw(.delete, shop.url, path, token: administrator).status
        let (change, deletion) = try await (changed, deleted)
        #expect([200, 404].contains(change) && deletion == 200)
        #expect(try await raw(.get, shop.url, path, token: administrator).status == 404)
      }
    }
  }
}
