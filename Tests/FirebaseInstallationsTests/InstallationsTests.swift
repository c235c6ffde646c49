import FirebaseCore
import Foundation
import SDKTestSupport
import Synchronization
import Testing

@testable import FirebaseInstallations

/// An installation's id and tokens.
struct InstallationsTests {
  /// State in memory.
  private final class MemoryStateStore: StateStore {
    private let state = Mutex<Data?>(nil)

    func read() throws -> Data? { state.withLock { $0 } }

    func update(_ change: (Data?) throws -> Data?) throws {
      try state.withLock { $0 = try change($0) }
    }
  }

  private let app: FirebaseApp
  private let store = MemoryStateStore()

  init() throws {
    let project = "t-\(UUID().uuidString.lowercased())"
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = (project, project)
    options.brasaHost = try BrasaServer.shared.get().url
    app = try FirebaseApp.configured(name: project, options: options)
  }

  private func installation(later seconds: TimeInterval = 0) -> Installations {
    Installations(app: app, store: store, now: Self.clock(later: seconds))
  }

  private static func clock(later seconds: TimeInterval) -> @Sendable () -> Date {
    { Date(timeIntervalSinceNow: seconds) }
  }

  @Test func `errors are caught by their codes`() {
    let error = InstallationsErrorCode(.serverUnreachable, userInfo: ["reason": "x"])
    #expect(InstallationsErrorCode.serverUnreachable ~= error)
    #expect(!(InstallationsErrorCode.keychain ~= error))
    #expect((error as NSError).userInfo["reason"] as? String == "x")
  }

  @Test func `what is thrown is an object, which casts take`() async throws {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    let app = try FirebaseApp.configured(name: "o-\(UUID().uuidString)", options: options)
    let installations = Installations(app: app, store: MemoryStateStore(), now: { Date() })
    let error = await #expect(throws: NSError.self) { try await installations.authToken() }
    #expect(error?.domain == InstallationsErrorDomain)
    #expect((error as (any Error)? as? InstallationsErrorCode)?.code == .invalidConfiguration)
  }

  @Test func `the id lasts, and is one of Firebase's`() async throws {
    let id = try await installation().installationID()
    #expect(id.wholeMatch(of: #/[cdef][A-Za-z0-9_-]{21}/#) != nil)
    #expect(try await installation().installationID() == id)
  }

  @Test func `a token comes from the server once, until it is near its end`() async throws {
    let first = try await installation().authToken()
    #expect(first.expirationDate.timeIntervalSinceNow > 6 * 86_400)
    #expect(try await installation().authToken().authToken == first.authToken)
    let later = try await installation(later: 7 * 86_400 - 60).authToken()
    #expect(later.expirationDate > first.expirationDate)
    let id = try await installation().installationID()
    let forced = try await installation().authTokenForcingRefresh(true)
    #expect(forced.expirationDate > Date())
    #expect(try await installation().installationID() == id)
  }

  @Test func `an installation that the server does not know begins anew`() async throws {
    let id = try await installation().installationID()
    _ = try await installation().authToken()
    try store.update { data in
      var state = try #require(InstallationState.decoded(data))
      state.registration?.refreshToken = "another"
      return try state.encoded()
    }
    _ = try await installation().authTokenForcingRefresh(true)
    #expect(try await installation().installationID() != id)
  }

  @Test func `the id that was made here stays when the server learns of it`() async throws {
    let id = try await installation().installationID()
    _ = try await installation().authToken()
    #expect(try await installation().installationID() == id)
  }

  @Test func `an id that nothing proves becomes the one that the server answers`() async throws {
    // As an older version of the SDK kept it.
    let known = InstallationState(id: "cAbc-efghijklmnopqrst_")
    try store.update { _ in try known.encoded() }
    let changes = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .InstallationIDDidChange,
      object: nil,
      queue: nil
    ) { [name = app.name] note in
      if note.userInfo?[InstallationIDDidChangeAppNameKey] as? String == name {
        changes.withLock { $0 += 1 }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let token = try await installation().authToken()
    let id = try await installation().installationID()
    #expect(id != known.id && changes.withLock { $0 } == 1)
    #expect(try await installation().authToken().authToken == token.authToken)
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `a secret's hash`(message: String, expected: String) {
    let digits = SHA256.hash(Array(message.utf8)).map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0\(text)" : text
    }
    #expect(digits.joined() == expected)
  }

  @Test func `an id is made of its secret`() {
    let secret = InstallationSecret([UInt8](repeating: 0, count: 32))
    #expect(secret.text == String(repeating: "A", count: 43))
    #expect(secret.id == "dmh6rfhivXdsj8GLjp-OIA")
  }

  @Test func `deleting ends it`() async throws {
    let id = try await installation().installationID()
    _ = try await installation().authToken()
    try await installation().delete()
    #expect(try await installation().installationID() != id)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a redirect is not followed`() async throws {
    let target = try AnsweringServer.accepting()
    defer { target.stop() }
    let server = try AnsweringServer.redirecting(to: target.port)
    defer { server.stop() }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("redirected", "redirected")
    options.brasaHost = server.url
    let app = try FirebaseApp.configured(name: "redirected-installation", options: options)
    let installations = Installations(app: app, store: store)
    await #expect(throws: InstallationsErrorCode.self) { try await installations.authToken() }
    #expect(server.requests.count == 1 && target.requests.isEmpty)
    _ = await app.delete()
  }

  @Test(.timeLimit(.minutes(10)))
  func `a call whose connection breaks ends with a token or an error`() async throws {
    let proxy = try CuttingProxy(to: BrasaServer.shared.get().port) { 250 + 60 * $0 }
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("cut-installation", "cut-installation")
    options.brasaHost = "http://127.0.0.1:\(proxy.port)"
    let app = try FirebaseApp.configured(name: "cut-installation", options: options)
    let installations = Installations(app: app, store: store)
    var tokenCount = 0
    while proxy.cutCount < 40 {
      do {
        _ = try await installations.authTokenForcingRefresh(true)
        tokenCount += 1
      } catch let error as InstallationsErrorCode {
        #expect(error.code == .serverUnreachable)
      }
    }
    #expect(tokenCount > 0)
    proxy.stop()
    _ = await app.delete()
  }
}
