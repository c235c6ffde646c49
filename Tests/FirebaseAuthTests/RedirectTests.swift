import FirebaseAuth
import FirebaseCore
import Foundation
import SDKTestSupport
import Testing

/// Servers that send clients elsewhere.
struct RedirectTests {
  @Test(.timeLimit(.minutes(10)))
  func `a redirect is not followed`() async throws {
    let target = try AnsweringServer.accepting()
    defer { target.stop() }
    let server = try AnsweringServer.redirecting(to: target.port)
    defer { server.stop() }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("redirected", "redirected")
    options.brasaHost = server.url
    let app = try FirebaseApp.configured(name: "redirected-auth", options: options)
    let auth = Auth(app: app, store: MemorySessionStore())
    var code: Int?
    do { _ = try await auth.signInAnonymously() } catch { code = (error as NSError).code }
    #expect(code == AuthErrorCode.internalError.rawValue)
    #expect(server.requests.count == 1 && target.requests.isEmpty)
    _ = await app.delete()
  }
}
