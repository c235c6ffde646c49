import ExampleTesting
import Foundation
import RESTClient
import Synchronization
import Testing

@testable import SalesService

/// The acceptance list 1e, items 1 to 8, over HTTP.
@Suite struct `Sales service 1e` {
  @Test func `1e.1 the password grant answers five fields, and the same token while valid`()
    async throws
  {
    try await TestShop.run { shop in
      let form = "grant_type=password&username=matilde@siecola.com.br&password=matilde"
      let first = try await shop.token(form)
      #expect(first.status == 200)
      #expect(
        Set(first.object.keys)
          == ["access_token", "token_type", "refresh_token", "expires_in", "scope"]
      )
      #expect(first.object["token_type"] as? String == "bearer")
      #expect(first.object["scope"] as? String == "read write")
      #expect(first.object["expires_in"] as? Int == 3600)
      let access = try #require(first.object["access_token"] as? String)
      #expect(UUID(uuidString: access) != nil)
      shop.now.advance(by: 100)
      let second = try await shop.token(form)
      #expect(second.object["access_token"] as? String == access)
      #expect(second.object["expires_in"] as? Int == 3500)

      let stranger = try await shop.token(form, client: "siecola:matildD")
      #expect(stranger.status == 401 && stranger.headers["www-authenticate"] == "Basic")
      for bad in [
        "grant_type=password&username=matilde@siecola.com.br&password=x",
        "grant_type=password&username=no@one.com&password=x", "grant_type=password",
        "grant_type=refresh_token&refresh_token=x", "grant_type=magic", "", "%zz=%zz",
      ] {
        let reply = try await shop.token(bad)
        #expect(reply.status == 400 && reply.errorMessage != nil, "\(bad)")
      }
    }
  }

  @Test func `1e.2 no token and an expired token are 401, a refresh gives a working one`()
    async throws
  {
    try await TestShop.run { shop in
      for (method, path) in [
        (HTTPMethod.get, "/api/users"), (.get, "/api/users/byemail?email=a@b.c"),
        (.put, "/api/users/byemail?email=a@b.c"), (.delete, "/api/users/byemail?email=a@b.c"),
        (.get, "/api/products"), (.get, "/api/products/X"), (.post, "/api/products"),
        (.put, "/api/products/X"), (.delete, "/api/products/X"), (.get, "/api/orders"),
        (.get, "/api/orders/1"), (.get, "/api/orders/byemail?email=a@b.c"),
        (.post, "/api/orders"), (.delete, "/api/orders/1"),
      ] {
        let none = try await raw(method, shop.url, path, body: method == .get ? nil : "{}")
        #expect(none.status == 401 && none.errorMessage != nil, "\(method) \(path)")
        let bad = try await raw(
          method,
          shop.url,
          path,
          token: "x",
          body: method == .get ? nil : "{}"
        )
        #expect(bad.status == 401 && bad.object["reason"] as? String == "invalid_token")
      }
      let granted = try await shop.token(
        "grant_type=password&username=matilde@siecola.com.br&password=matilde"
      )
      let old = try #require(granted.object["access_token"] as? String)
      let refresh = try #require(granted.object["refresh_token"] as? String)
      shop.now.advance(by: 3600)
      #expect(try await raw(.get, shop.url, "/api/users", token: old).status == 401)
      let renewed = try await shop.token("grant_type=refresh_token&refresh_token=\(refresh)")
      let new = try #require(renewed.object["access_token"] as? String)
      #expect(new != old)
      #expect(try await raw(.get, shop.url, "/api/users", token: new).status == 200)
      shop.now.advance(by: 31 * 24 * 3600)
      let late = try await shop.token("grant_type=refresh_token&refresh_token=\(refresh)")
      #expect(late.status == 400 && late.object["reason"] as? String == "invalid_grant")
    }
  }

  @Test func `1e.2 tokens survive a restart and are not in the database`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let file = folder.file("shop.sqlite")
    let box = Mutex("")
    try await TestShop.run(file: file) { shop in
      let token = try await shop.administrator()
      box.withLock { $0 = token }
    }
    let token = box.withLock(\.self)
    try await TestShop.run(file: file) { shop in
      let reply = try await raw(.get, shop.url, "/api/users", token: token)
      #expect(reply.status == 200)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where name.contains("sqlite") {
      let bytes = try Data(contentsOf: folder.file(name))
      #expect(bytes.range(of: Data(token.utf8)) == nil, "\(name)")
    }
  }

  @Test
  func `1e.3 by the repository's rules sign-up is open, ignores a role and takes an e-mail once`()
    async throws
  {
    try await TestShop.run(rules: .repository) { shop in
      let created = try await shop.signUp("doralice@siecola.com.br", role: "ADMIN", by: nil)
      #expect(created.status == 200 && created.object["role"] as? String == "USER")
      #expect(created.object["password"] is NSNull)
      let id = try #require(created.object["id"] as? Int)
      #expect(id > 1 << 31 && id < 1 << 53)
      let again = try await shop.signUp("Doralice@siecola.com.br", by: nil)
      #expect(again.status == 412 && again.errorMessage != nil)
      let disabled = try await raw(
        .post,
        shop.url,
        "/api/users",
        body: #"{"email":"off@a.co","password":"segredo"}"#
      )
      #expect(disabled.object["enabled"] as? Bool == false)
      let login = try await shop.token("grant_type=password&username=off@a.co&password=segredo")
      #expect(login.status == 400)
    }
  }

  @Test func `1e.4 the administrator is there and cannot be changed or deleted`() async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let path = "/api/users/byemail?email=Matilde@siecola.com.br"
      let read = try await raw(.get, shop.url, path, token: admin)
      #expect(read.status == 200 && read.object["role"] as? String == "ADMIN")
      #expect(try await raw(.put, shop.url, path, token: admin, body: "{}").status == 403)
      #expect(try await raw(.delete, shop.url, path, token: admin).status == 403)
    }
  }

  @Test func `1e.5 users see themselves, administrators everybody`() async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let ana = try await shop.user("ana@a.co")
      _ = try await shop.signUp("bia@a.co")
      func read(_ email: String, _ token: String) async throws -> Int {
        try await raw(.get, shop.url, "/api/users/byemail?email=\(email)", token: token).status
      }
      #expect(try await raw(.get, shop.url, "/api/users", token: ana).status == 403)
      #expect(try await read("bia@a.co", ana) == 403)
      #expect(try await read("nobody@a.co", ana) == 403)
      #expect(try await read("ana@a.co", ana) == 200)
      #expect(try await read("bia@a.co", admin) == 200)
      #expect(try await read("nobody@a.co", admin) == 404)
      let all = try await raw(.get, shop.url, "/api/users", token: admin)
      #expect(
        all.array.compactMap { $0["email"] as? String }
          == ["ana@a.co", "bia@a.co", "matilde@siecola.com.br"]
      )
      #expect(!all.text.contains("scrypt"))
    }
  }

  @Test func `1e.5 users change and delete themselves, and a new password ends old sessions`()
    async throws
  {
    try await TestShop.run { shop in
      let ana = try await shop.user("ana@a.co")
      _ = try await shop.signUp("bia@a.co")
      let path = "/api/users/byemail?email=ana@a.co"
      func put(_ body: String) async throws -> RawReply {
        try await raw(.put, shop.url, path, token: ana, body: body)
      }
      #expect(try await put(#"{"email":"ana@a.co","enabled":true}"#).status == 400)
      #expect(try await put(#"{"id":0,"email":"ana@a.co","enabled":true}"#).status == 400)
      #expect(try await put(#"{"id":1,"email":"bia@a.co","enabled":true}"#).status == 412)
      let kept = try await put(#"{"id":1,"email":"ana@a.co","enabled":true,"role":"ADMIN"}"#)
      #expect(kept.status == 200 && kept.object["role"] as? String == "USER")
      let moved = try await put(#"{"id":1,"email":"ann@a.co","password":"novo","enabled":true}"#)
      #expect(moved.object["email"] as? String == "ann@a.co")
      #expect(try await raw(.get, shop.url, "/api/products", token: ana).status == 401)
      let new = try await shop.logIn("ann@a.co", "novo")
      let gone = try await raw(
        .delete,
        shop.url,
        "/api/users/byemail?email=ann@a.co",
        token: new
      )
      #expect(gone.status == 200)
      #expect(try await raw(.get, shop.url, "/api/products", token: new).status == 401)
    }
  }

  @Test func `1e.6 by the repository's rules a code is unique for its owner, and can be changed`()
    async throws
  {
    try await TestShop.run(rules: .repository) { shop in
      let ana = try await shop.user("ana@a.co")
      let bia = try await shop.user("bia@a.co")
      let created = try await shop.addProduct("COD1", token: ana)
      #expect(created.status == 201 && created.object["quantity"] as? Int == 0)
      let id = try #require(created.object["id"] as? Int)
      let clash = try await shop.addProduct("COD1", token: ana)
      #expect(clash.status == 412 && clash.errorMessage == "Product COD1 already exists")
      #expect(try await shop.addProduct("COD1", token: bia).status == 201)
      let blank = try await shop.addProduct("COD2", token: ana, name: "  ")
      #expect(blank.status == 400 && blank.errorMessage == "Non valid product")

      func put(_ code: String, _ body: String) async throws -> RawReply {
        try await raw(.put, shop.url, "/api/products/\(code)", token: ana, body: body)
      }
      let renamed = try await put(
        "COD1",
        #"{"id":\#(id),"name":"Caneta","code":"A/B ç","price":-2,"quantity":3}"#
      )
      #expect(renamed.status == 200 && renamed.object["code"] as? String == "A/B ç")
      let path = "/api/products/A%2FB%20%C3%A7"
      #expect(try await raw(.get, shop.url, path, token: ana).object["price"] as? Double == -2)
      let old = try await raw(.get, shop.url, "/api/products/COD1", token: ana)
      #expect(old.status == 404 && old.errorMessage == "Product COD1 not found")
      _ = try await shop.addProduct("COD3", token: ana)
      #expect(try await put("COD3", #"{"name":"x","code":"COD3"}"#).status == 412)
      #expect(try await put("NONE", #"{"name":"x","code":"FREE"}"#).status == 404)
      #expect(try await put("NONE", #"{"name":"","code":"FREE"}"#).status == 400)
      let gone = try await raw(.delete, shop.url, path, token: ana)
      #expect(gone.status == 200 && gone.object["id"] as? Int == id)
    }
  }

  @Test func `1e.7 by the repository's rules nobody sees another's products`() async throws {
    try await TestShop.run(rules: .repository) { shop in
      let ana = try await shop.user("ana@a.co")
      let bia = try await shop.user("bia@a.co")
      _ = try await shop.addProduct("B2", token: bia)
      _ = try await shop.addProduct("B1", token: bia)
      #expect(try await raw(.get, shop.url, "/api/products", token: ana).text == "[]")
      #expect(try await raw(.get, shop.url, "/api/products/B1", token: ana).status == 404)
      #expect(try await raw(.delete, shop.url, "/api/products/B1", token: ana).status == 404)
      let put = try await raw(
        .put,
        shop.url,
        "/api/products/B1",
        token: ana,
        body: #"{"name":"x","code":"B1"}"#
      )
      #expect(put.status == 404)
      let list = try await raw(.get, shop.url, "/api/products", token: bia)
      #expect(list.array.compactMap { $0["code"] as? String } == ["B1", "B2"])
    }
  }

  @Test func `1e.8 orders belong to an e-mail, and only administrators delete them`() async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let ana = try await shop.user("ana@a.co")
      let bia = try await shop.user("bia@a.co")
      func place(_ email: String, _ token: String) async throws -> RawReply {
        try await raw(
          .post,
          shop.url,
          "/api/orders",
          token: token,
          body: """
            {"email":"\(email)","freightPrice":10.5,"orderItems":[{"productId":7},{"productId":7}]}
            """
        )
      }
      let placed = try await place("ana@a.co", ana)
      #expect(placed.status == 201 && placed.object["freightPrice"] as? Double == 10.5)
      let id = try #require(placed.object["id"] as? Int)
      let items = try #require(placed.object["orderItems"] as? [[String: Any]])
      #expect(items.count == 2 && items.allSatisfy { $0["orderId"] as? Int == id })
      #expect(Set(items.compactMap { $0["id"] as? Int }).count == 2)
      #expect(shop.notifier.notices.map(\.email) == ["ana@a.co"])
      #expect(try await place("bia@a.co", ana).status == 403)
      #expect(try await place("bia@a.co", admin).status == 201)

      let path = "/api/orders/\(id)"
      #expect(try await raw(.get, shop.url, path, token: ana).status == 200)
      #expect(try await raw(.get, shop.url, path, token: bia).status == 403)
      #expect(try await raw(.get, shop.url, "/api/orders/1", token: bia).status == 404)
      #expect(try await raw(.get, shop.url, "/api/orders", token: ana).status == 403)
      #expect(try await raw(.get, shop.url, "/api/orders", token: admin).array.count == 2)
      let mine = "/api/orders/byemail?email=ana@a.co"
      #expect(try await raw(.get, shop.url, mine, token: ana).array.count == 1)
      #expect(try await raw(.get, shop.url, mine, token: bia).status == 403)
      #expect(try await raw(.delete, shop.url, path, token: ana).status == 403)
      let gone = try await raw(.delete, shop.url, path, token: admin)
      #expect(gone.status == 200)
      #expect((gone.object["orderItems"] as? [Any])?.count == 2)
      #expect(try await raw(.get, shop.url, path, token: admin).status == 404)
      #expect(try await raw(.delete, shop.url, path, token: admin).status == 404)
    }
  }

  @Test func `bad input on every route is a 4xx with a message`() async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let bodies = [
        "", "{", "null", "[]", "1", "{}", #"{"email":1}"#, #"{"email":"x","password":"y"}"#,
        #"{"name":[],"code":"x"}"#, #"{"email":"a@b.c","orderItems":null}"#,
        #"{"email":null,"orderItems":[]}"#, #"{"email":"a@b.c","orderItems":[{"productId":"x"}]}"#,
        #"{"name":"x","code":"y","quantity":1e30}"#, #"{"name":"x","code":"y","price":"1"}"#,
        "\u{0}", String(repeating: "[", count: 5000),
      ]
      for (method, path) in [
        (HTTPMethod.post, "/api/users"), (.put, "/api/users/byemail?email=x@y.z"),
        (.put, "/api/users/byemail"), (.post, "/api/products"), (.put, "/api/products/x"),
        (.delete, "/api/products/%00"), (.post, "/api/orders"), (.delete, "/api/orders/abc"),
        (.delete, "/api/orders/99999999999999999999"), (.delete, "/api/users/byemail?email="),
        (.patch, "/api/users"),
      ] {
        for body in bodies {
          let reply = try await raw(method, shop.url, path, token: admin, body: body)
          #expect((400..<500).contains(reply.status), "\(method) \(path) \(body)")
          #expect(reply.errorMessage?.isEmpty == false, "\(method) \(path) \(body)")
        }
      }
      let large = "{\"name\":\"" + String(repeating: "x", count: 100_000) + "\"}"
      let reply = try await raw(.post, shop.url, "/api/products", token: admin, body: large)
      #expect(reply.status == 413)
    }
  }
}
