import ExampleTesting
import Foundation
import ProductsCore
import Testing

/// Tests of the connection between the app and Brasa: TLS, and no trust beyond that of the system.
@MainActor @Suite(.serialized) struct `Products over TLS` {
  @Test(.enabled(if: Brasa.trustedCertificates != nil, "Examples/test gives the trust"))
  func `all that the app does is encrypted, and in plain text the server says nothing`()
    async throws
  {
    let test = try await TestProducts()
    defer { test.end() }
    let app = try test.launch()
    #expect(app.model.app.options.brasaHost?.hasPrefix("https://") == true)
    let list = try await app.signUp("ana")
    try await list.add("Lamp", code: "L1", photo: picture(1))
    try await until { list.names == ["Lamp"] && list.photos.count == 1 && !list.isFromCache }
    let plain = try #require(URL(string: test.brasa.url.replacing("https://", with: "http://")))
    #expect(await Self.answer(of: plain) == nil)
    await app.quit()
  }

  @Test func `nobody signs in at a server whose authority the system does not know`() async throws {
    let strangers = try Folder()
    defer { strangers.remove() }
    try Brasa.makeCertificates(in: strangers.url)
    let test = try await TestProducts(certificates: strangers.url)
    defer { test.end() }
    let app = try test.launch()
    try await until { app.signIn != nil }
    let signIn = try #require(app.signIn)
    signIn.email = "ana@example.com"
    await signIn.createAccount(password: "correct horse")
    #expect(signIn.error != nil && app.list == nil)
    await app.quit()
  }

  /// The status of an answer; nil where there is none.
  private static func answer(of server: URL) async -> Int? {
    try? await raw(.get, server, "/").status
  }
}
