import ExampleTesting
import FirebaseAuth
import FirebaseUI
import Foundation
import ProductsCore
import ProductsProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Follows no redirect.
private final class Staying: NSObject, URLSessionTaskDelegate, Sendable {
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

/// Sign-in at a provider's page: the trial provider, a real Brasa, and the app.
@MainActor @Suite(.serialized) struct `Products and a provider` {
  private let back = "http://127.0.0.1:4000/live/return"

  /// Runs the provider beside a Brasa that knows it.
  private func withProvider(_ body: @MainActor (TestProducts) async throws -> Void) async throws {
    let test = try await TestProducts()
    defer { test.end() }
    let (issuers, found) = AsyncStream.makeStream(of: String.self)
    let server = try ProviderServer(
      try ProductsProvider(),
      certificates: try TestProducts.certificates.get()
    ) { found.yield($0) }
    let life = Task { try await server.run() }
    var issuer = ""
    for await address in issuers {
      issuer = address
      break
    }
    let reply = try await raw(
      .post,
      try #require(URL(string: test.brasa.url)),
      "/v2/projects/\(TestProducts.project)/oauthIdpConfigs?oauthIdpConfigId=oidc.trial",
      token: test.brasa.administrator,
      body: #"{"clientId":"products","clientSecret":"s","issuer":"\#(issuer)","enabled":true}"#
    )
    #expect(reply.status == 200, "\(reply.text)")
    let result: Result<Void, any Error>
    do { result = .success(try await body(test)) } catch { result = .failure(error) }
    life.cancel()
    _ = await life.result
    try result.get()
  }

  /// The provider's page, once the app has asked for it.
  private func page(of app: RunningApp) async throws -> URLComponents {
    try await until { app.signIn != nil }
    let signIn = try #require(app.signIn)
    await signIn.begin("oidc.trial", continueURL: try #require(URL(string: back)))
    #expect(signIn.error == nil)
    let page = try #require(signIn.providerPage)
    return try #require(URLComponents(url: page, resolvingAgainstBaseURL: false))
  }

  /// Sends a person's input at the page; returns the address that it leads back to.
  private func answer(_ page: URLComponents, _ fields: [String: String]) async throws -> URL {
    var form = URLComponents()
    form.queryItems =
      (page.queryItems ?? []) + fields.map { URLQueryItem(name: $0.key, value: $0.value) }
    var site = page
    site.query = nil
    site.path = ""
    var request = URLRequest(url: try #require(site.url).appending(path: "authorize"))
    request.httpMethod = "POST"
    request.httpBody = Data(try #require(form.percentEncodedQuery).utf8)
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    let session = URLSession(configuration: .ephemeral, delegate: Staying(), delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let response = try await session.data(for: request).1 as? HTTPURLResponse
    #expect(response?.statusCode == 303)
    return try #require(
      response?.value(forHTTPHeaderField: "Location").flatMap { URL(string: $0) }
    )
  }

  @Test func `a person signs in, and is the same one the next time`() async throws {
    try await withProvider { test in
      let app = try test.launch()
      let person = ["name": "Ana Souza", "email": "ana@corp.example", "answer": "yes"]
      let first = try await page(of: app)
      #expect(first.queryItems?.contains { $0.name == "code_challenge" } == true)
      let signIn = try #require(app.signIn)
      await signIn.finish(try await answer(first, person))
      #expect(signIn.error == nil)
      let list = try await app.shownList()
      let user = try #require(Auth.auth(app: app.model.app).currentUser)
      #expect(user.displayName == "Ana Souza" && user.email == "ana@corp.example")
      #expect(user.providerData.map(\.providerID) == ["oidc.trial"])
      try await list.add("Lamp", code: "L1", photo: picture(1))
      try await until { list.names == ["Lamp"] }
      await app.model.signOut()
      let again = try #require(app.signIn)
      await again.finish(try await answer(try await page(of: app), person))
      let same = try await app.shownList()
      #expect(same.person == list.person)
      try await until { same.names == ["Lamp"] }
      await app.quit()
    }
  }

  @Test func `an answer counts once, and only of the sign-in that was begun`() async throws {
    try await withProvider { test in
      let (app, other) = (try test.launch(), try test.launch())
      let person = ["name": "Ana", "email": "ana@corp.example", "answer": "yes"]
      let stolen = try await answer(try await page(of: app), person)
      _ = try await page(of: other)
      let theirs = try #require(other.signIn)
      await theirs.finish(stolen)
      #expect(theirs.error != nil && other.list == nil)
      // Without one that was begun there is nothing to finish.
      await theirs.finish(stolen)
      #expect(theirs.error != nil && other.list == nil)
      let mine = try #require(app.signIn)
      await mine.finish(stolen)
      _ = try await app.shownList()
      await app.quit()
      await other.quit()
    }
  }

  @Test func `who cancels at the provider is back at the login`() async throws {
    try await withProvider { test in
      let app = try test.launch()
      let back = try await answer(try await page(of: app), ["answer": "no"])
      let signIn = try #require(app.signIn)
      await signIn.finish(back)
      #expect(signIn.error == "The sign-in was cancelled.")
      #expect(app.list == nil)
      #expect(signIn.providerPage == nil && !signIn.isBusy)
      await app.quit()
    }
  }
}
