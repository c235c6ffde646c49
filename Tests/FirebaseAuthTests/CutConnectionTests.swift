import FirebaseAuth
import FirebaseCore
import Foundation
import SDKTestSupport
import Testing

/// Connections that break under calls.
struct CutConnectionTests {
  @Test(.timeLimit(.minutes(10)))
  func `a call ends with an answer or an error of the network`() async throws {
    let server = try BrasaServer.shared.get()
    let proxy = try CuttingProxy(to: server.port) { 200 + 40 * $0 }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("cut-auth", "cut-auth")
    options.brasaHost = "http://127.0.0.1:\(proxy.port)"
    let app = try FirebaseApp.configured(name: "cut-auth", options: options)
    let auth = Auth(app: app, store: MemorySessionStore())
    var codes: Set<Int> = []
    while proxy.cutCount < 40 {
      do {
        _ = try await auth.verifyPasswordResetCode("none")
      } catch {
        codes.insert((error as NSError).code)
      }
    }
    #expect(
      codes == [AuthErrorCode.networkError.rawValue, AuthErrorCode.invalidActionCode.rawValue]
    )
    proxy.stop()
    _ = await app.delete()
  }
}
