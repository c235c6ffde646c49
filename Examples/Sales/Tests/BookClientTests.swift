import ExampleTesting
import Foundation
import RESTClient
import Testing

@testable import SalesService

/// The book's model types, as chapter 6.3 prints them.
private struct AccessTokenResponse: Decodable {
  let access_token: String
  let refresh_token: String
  let expires_in: Int
}

private struct Product: Codable, Equatable {
  let id: UInt
  let name: String
  let description: String
  let code: String
  let price: Double
}

/// The book's client of chapters 6 and 7: its requests, byte for byte, and its model types.
struct BookClientTests {
  /// The header of 6.1.3 as it was before it was scanned.
  private static let basic = "Basic c2llY29sYTptYXRpbGRl"

  /// Asks for a token as Postman does (6.1.3) or as Alamofire does, sorted and encoded (6.4.2).
  private static func token(
    _ shop: TestShop,
    _ body: String,
    basic: String = basic
  ) async throws -> RawReply {
    try await raw(
      .post,
      shop.url,
      "/oauth/token",
      headers: ["Content-Type": "application/x-www-form-urlencoded", "Authorization": basic],
      body: body
    )
  }

  private static func accepted<Model: Decodable>(
    _ reply: RawReply,
    _ type: Model.Type = Model.self
  ) throws -> Model {
    // `.validate(statusCode: 200..<300)` and `.validate(contentType: ["application/json"])`.
    try #require((200..<300).contains(reply.status), "\(reply.status) \(reply.text)")
    try #require(reply.headers["content-type"]?.hasPrefix("application/json") == true)
    return try JSONDecoder().decode(type, from: Data(reply.text.utf8))
  }

  private static let matilde =
    "grant_type=password&username=matilde@siecola.com.br&password=matilde"
  private static let doralice =
    "grant_type=password&password=doralice&username=doralice%40siecola.com.br"
  private static let newUser = """
    {
        "email": "doralice@siecola.com.br",
        "password": "doralice",
        "gcmRegId": null,
        "lastLogin": null,
        "lastGCMRegister": null,
        "role": "USER",
        "enabled": true
    }
    """

  @Test func `6.1 a token, a user, all products for anybody who is signed in`() async throws {
    try await TestShop.run(sample: true) { shop in
      let admin = try Self.accepted(
        try await Self.token(shop, Self.matilde),
        AccessTokenResponse.self
      )
      #expect(admin.expires_in <= 3600 && !admin.refresh_token.isEmpty)
      let created = try await raw(
        .post,
        shop.url,
        "/api/users",
        token: admin.access_token,
        body: Self.newUser
      )
      #expect(created.status == 200 && created.object["role"] as? String == "USER")
      let user = try Self.accepted(
        try await Self.token(shop, Self.doralice),
        AccessTokenResponse.self
      )
      let list = try await raw(.get, shop.url, "/api/products", token: user.access_token)
      let products = try Self.accepted(list, [Product].self)
      let sample = products.filter { $0.code.hasPrefix("COD") }
      #expect(sample.map(\.code) == ["COD1", "COD2"] && sample.map(\.price) == [10, 20])
      #expect(sample.map(\.name) == ["product1", "product2"])
      #expect(sample.map(\.description) == ["description1", "description2"])
    }
  }

  @Test func `7 an administrator creates, changes and deletes what everybody sees`() async throws {
    try await TestShop.run(sample: true) { shop in
      let token = try await shop.administrator()
      let body = #"{"code":"COD3","description":"desc","id":0,"name":"product3","price":1.5}"#
      let posted = try await raw(.post, shop.url, "/api/products", token: token, body: body)
      let made = try Self.accepted(posted, Product.self)
      #expect(posted.status == 201 && made.id > 0 && made.code == "COD3" && made.price == 1.5)

      let again = try await raw(.post, shop.url, "/api/products", token: token, body: body)
      #expect(again.status == 412 && again.errorMessage == "Product COD3 already exists")

      let changed = #"{"code":"COD 4","description":"desc","id":\#(made.id),"name":"n","price":2}"#
      let put = try await raw(.put, shop.url, "/api/products/COD3", token: token, body: changed)
      #expect(try Self.accepted(put, Product.self).id == made.id)
      let user = try await shop.user("doralice@siecola.com.br")
      let seen = try await raw(.get, shop.url, "/api/products/COD%204", token: user)
      #expect(try Self.accepted(seen, Product.self).price == 2)
      let clash = try await raw(
        .put,
        shop.url,
        "/api/products/COD%204",
        token: token,
        body: #"{"code":"COD1","description":"desc","id":\#(made.id),"name":"n","price":2}"#
      )
      #expect(clash.status == 412)
      let gone = try await raw(.delete, shop.url, "/api/products/COD%204", token: token)
      #expect(try Self.accepted(gone, Product.self).id == made.id)
    }
  }

  @Test(arguments: [
    "Basic c2llY29sYTptYXRpbGRI", "Basic c211Y29sYTptYXRpbGR1",
  ])
  func `a header as the book prints it is 401 and says which one is right`(
    basic: String
  )
    async throws
  {
    try await TestShop.run { shop in
      let printed = try await Self.token(shop, Self.matilde, basic: basic)
      #expect(printed.status == 401 && printed.errorMessage?.hasSuffix(Self.basic) == true)
      let other = try await Self.token(shop, Self.matilde, basic: "Basic eDp5")
      #expect(other.status == 401 && other.errorMessage == "Bad client credentials")
    }
  }

  @Test
  func `what an administrator does is 401 to strangers and 403 to users, and changes nothing`()
    async throws
  {
    try await TestShop.run(sample: true) { shop in
      let user = try await shop.user("ana@a.co")
      let admin = try await shop.administrator()
      let users = try await raw(.get, shop.url, "/api/users", token: admin).text
      let products = try await raw(.get, shop.url, "/api/products", token: admin).text
      let product = #"{"id":0,"name":"x","description":"","code":"NEW","price":1}"#
      for (method, path, body) in [
        (HTTPMethod.get, "/api/users", nil), (.post, "/api/users", Self.newUser),
        (.post, "/api/products", product), (.put, "/api/products/COD1", product),
        (.delete, "/api/products/COD1", nil),
      ] {
        let stranger = try await raw(method, shop.url, path, body: body)
        #expect(stranger.status == 401 && stranger.errorMessage != nil, "\(method) \(path)")
        let refused = try await raw(method, shop.url, path, token: user, body: body)
        #expect(refused.status == 403 && refused.errorMessage != nil, "\(method) \(path)")
        let foreign = try await raw(method, shop.url, path, token: "x\(user)", body: body)
        #expect(foreign.status == 401, "\(method) \(path)")
      }
      #expect(try await raw(.get, shop.url, "/api/users", token: admin).text == users)
      #expect(try await raw(.get, shop.url, "/api/products", token: admin).text == products)
    }
  }

  @Test func `an administrator creates another one, who can do the same`() async throws {
    try await TestShop.run { shop in
      let made = try await shop.signUp("ana@a.co", role: "ADMIN")
      #expect(made.status == 200 && made.object["role"] as? String == "ADMIN")
      let ana = try await shop.logIn("ana@a.co", "segredo")
      #expect(try await shop.addProduct("COD1", token: ana).status == 201)
      let admin = try await shop.administrator()
      #expect(try await shop.addProduct("COD1", token: admin).status == 412)
      #expect(try await raw(.delete, shop.url, "/api/products/COD1", token: admin).status == 200)
    }
  }

  @Test(arguments: [
    #"{"id":"0","name":"x","description":"","code":"NEW","price":1}"#,
    #"{"id":0,"name":"x","description":"","code":"NEW","price":"1"}"#,
    #"{"id":0,"name":"x","description":7,"code":"NEW","price":1}"#,
    #"{"id":0,"name":"x","description":"","price":1}"#, #"{"id":0,"code":"NEW","price":1}"#,
    #"{"id":0,"name":" ","description":"","code":"NEW","price":1}"#,
    #"{"id":0,"name":"\#(String(repeating: "x", count: 201))","code":"NEW","price":1}"#,
    #"{"id":0,"name":"x","code":"\#(String(repeating: "x", count: 201))","price":1}"#,
    #"{"id":0,"name":"x","code":"NEW","description":"\#(String(repeating: "x", count: 2001))"}"#,
  ])
  func `a product that the book never sends is 400 and is not stored`(body: String) async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let reply = try await raw(.post, shop.url, "/api/products", token: admin, body: body)
      #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false)
      #expect(try await raw(.get, shop.url, "/api/products", token: admin).text == "[]")
    }
  }

  @Test(arguments: [
    #"{"email":7,"password":"x","role":"USER","enabled":true}"#,
    #"{"password":"x","role":"USER","enabled":true}"#,
    #"{"email":"a@b.co","role":"USER","enabled":true}"#,
    #"{"email":"a@b.co","password":"x","role":"ROOT","enabled":true}"#,
    #"{"email":"a@b.co","password":"x","role":"USER","enabled":"yes"}"#,
    #"{"email":"a@b","password":"x","role":"USER","enabled":true}"#,
    #"{"email":"a@b.co","password":"\#(String(repeating: "x", count: 201))","enabled":true}"#,
  ])
  func `a user whom the book never sends is 400 and is not stored`(body: String) async throws {
    try await TestShop.run { shop in
      let admin = try await shop.administrator()
      let reply = try await raw(.post, shop.url, "/api/users", token: admin, body: body)
      #expect(reply.status == 400 && reply.errorMessage?.isEmpty == false)
      #expect(try await raw(.get, shop.url, "/api/users", token: admin).array.count == 1)
    }
  }

  @Test func `a database with a code twice opens by the repository's rules only`() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let file = folder.file("shop.sqlite")
    try await TestShop.run(file: file, rules: .repository) { shop in
      let ana = try await shop.user("ana@a.co")
      #expect(try await shop.addProduct("COD1", token: ana).status == 201)
      let admin = try await shop.administrator()
      #expect(try await shop.addProduct("COD1", token: admin).status == 201)
    }
    await #expect(throws: DuplicateCode.self) { try await SalesService(file: file) }
    _ = try await SalesService(file: file, rules: .repository)
  }
}
