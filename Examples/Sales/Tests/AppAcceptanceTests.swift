import ExampleTesting
import Foundation
import RESTClient
import Synchronization
import Testing

@testable import SalesCore

/// The acceptance list 1e, items 9 and 10, and chapter 5's form: the client's view models.
@MainActor @Suite struct `Sales app 1e` {
  private func withApp(
    _ body: @MainActor @Sendable (TestShop, SalesViewModel, CountingTransport) async throws -> Void
  ) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let store = ProtectedFile(folder.file("session.json"))
    try await TestShop.run { shop in
      _ = try await shop.signUp("ana@a.co", role: "ADMIN")
      let transport = CountingTransport()
      let app = await Self.app(shop.url, store: store, transport: transport)
      try await body(shop, app, transport)
    }
  }

  private static func app(
    _ url: URL,
    store: ProtectedFile,
    transport: CountingTransport
  ) -> SalesViewModel {
    let tokens = NetworkTokenService(client: HTTPClient(baseURL: url, transport: transport))
    let session = SalesSession(store: store, service: tokens)
    let client = HTTPClient(
      baseURL: url,
      transport: transport,
      interceptors: [BearerAuthorization(source: session)]
    )
    return SalesViewModel(session: session, service: NetworkProductService(client: client))
  }

  private func signIn(_ app: SalesViewModel) async {
    guard case .signIn(let screen) = app.screen else {
      Issue.record("the sign-in screen should show")
      return
    }
    screen.email = "ana@a.co"
    screen.password = "segredo"
    await screen.signIn()
    await app.appear()
  }

  private func create(_ app: SalesViewModel, code: String) async -> ProductEditorViewModel? {
    app.startCreating()
    guard case .editor(let editor) = app.screen else { return nil }
    editor.draft.name = "Caneta"
    editor.draft.code = code
    editor.draft.price = "1,50"
    await editor.save()
    return editor
  }

  @Test func `1e.9 an expired token costs one 401, one token call and one repeat`() async throws {
    try await withApp { shop, app, transport in
      await self.signIn(app)
      _ = await self.create(app, code: "COD1")
      shop.now.advance(by: 3601)
      let before = transport.paths.count
      await app.list.reload()
      #expect(app.list.products?.count == 1 && app.list.alert == nil)
      #expect(
        Array(transport.paths.dropFirst(before))
          == ["401 /api/products", "200 /oauth/token", "200 /api/products"]
      )
    }
  }

  @Test func `1e.9 without a valid refresh token the app asks to sign in`() async throws {
    try await withApp { shop, app, _ in
      await self.signIn(app)
      shop.now.advance(by: 40 * 24 * 3600)
      await app.list.reload()
      guard case .signIn = app.screen else {
        Issue.record("the sign-in screen should show")
        return
      }
    }
  }

  @Test func `1e.10 a duplicate code shows the alert and keeps the form`() async throws {
    try await withApp { _, app, _ in
      await self.signIn(app)
      let first = await self.create(app, code: "COD1")
      #expect(first?.isDone == true)
      guard case .products(let list) = app.screen else {
        Issue.record("the sheet should be closed")
        return
      }
      #expect(list.products?.map(\.code) == ["COD1"])
      let second = await self.create(app, code: "COD1")
      #expect(second?.alert == "The product couldn't be saved")
      #expect(second?.draft.name == "Caneta" && second?.isDone == false)
      guard case .editor = app.screen else {
        Issue.record("the form should stay")
        return
      }
    }
  }

  @Test func `editing can change the code, and deleting removes the row`() async throws {
    try await withApp { _, app, _ in
      await self.signIn(app)
      _ = await self.create(app, code: "A/B")
      app.startEditing(try #require(app.list.products?.first))
      guard case .editor(let editor) = app.screen else { return }
      #expect(editor.draft.price == "1.50")
      editor.draft.code = "NOVO 1"
      await editor.save()
      #expect(app.list.products?.map(\.code) == ["NOVO 1"])
      await app.list.delete(try #require(app.list.products?.first))
      #expect(app.list.products == [])
    }
  }

  @Test func `a failed delete keeps the row and shows the alert`() async throws {
    let list = ProductListViewModel(service: BrokenService())
    let product = Product(id: 1, name: "x", description: "", code: "x", price: 0)
    list.include(product)
    await list.delete(product)
    #expect(list.products == [product] && list.alert == "The product couldn't be deleted")
    list.dismissAlert()
    await list.reload()
    #expect(list.products == [product] && list.alert != nil)
  }

  @Test(arguments: [
    ("COD12", "1.5", true, true), ("COD1", "1.5", false, true), ("COD12", "-1", true, false),
    ("", "abc", false, false), ("çãoéü", "0", true, true), ("COD12", "1,50", true, true),
    ("COD12", "", true, false), ("COD12", "1e3", true, false),
  ])
  func `chapter 5's form checks the code and the price`(
    code: String,
    price: String,
    codeIsValid: Bool,
    priceIsValid: Bool
  ) {
    let form = ProductFormViewModel()
    form.draft.code = code
    form.draft.price = price
    #expect(form.isCodeValid && form.isPriceValid && form.saved == nil)
    form.save()
    #expect(form.isCodeValid == codeIsValid && form.isPriceValid == priceIsValid)
    #expect((form.saved != nil) == (codeIsValid && priceIsValid))
    // What is typed afterwards shows at once; a price only where it is one.
    let saved = form.saved
    form.draft.name = "changed"
    form.draft.price = "much"
    #expect(form.saved?.name == saved.map { _ in "changed" } && form.saved?.price == saved?.price)
    form.save()
    #expect(form.saved == nil && !form.isPriceValid)
  }
}

private struct BrokenService: ProductService {
  func products() async throws(RequestError) -> [Product] { throw RequestError(.transport) }
  func create(_ product: Product) async throws(RequestError) -> Product {
    throw RequestError(.transport)
  }
  func update(_ product: Product, code: String) async throws(RequestError) -> Product {
    throw RequestError(.transport)
  }
  func delete(code: String) async throws(RequestError) { throw RequestError(.transport) }
}

/// The real transport, which keeps what was asked and answered.
private final class CountingTransport: Transport {
  private let log = Mutex<[String]>([])

  var paths: [String] { log.withLock(\.self) }

  func send(_ request: HTTPRequest) async throws -> HTTPReply {
    let reply = try await URLSessionTransport.shared.send(request)
    log.withLock { $0.append("\(reply.status) \(request.url.path)") }
    return reply
  }
}
