import FirebaseAuth
import Foundation
import SDKTestSupport
import Testing

/// Tokens, the kept session, listeners and callbacks.
struct SessionTests {
  @Test func `everybody who needs a new token waits for the same one`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    let first = try await user.getIDToken()
    let writes = fixture.store.writes
    #expect(try await user.getIDToken() == first)
    #expect(fixture.store.writes == writes)
    fixture.clock.advance(by: 3600 - 290)
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await user.getIDToken() } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    // Each renewal is written once.
    #expect(tokens.count == 1 && fixture.store.writes == writes + 1)
    // The machine's own time passes too.
    fixture.clock.advance(by: 3600 - 900)
    _ = try await user.getIDToken()
    #expect(fixture.store.writes == writes + 1)
  }

  @Test func `a session that has ended signs out`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    try await fixture.deleteAccounts()
    let failure = await authFailure { _ = try await user.getIDToken(forcingRefresh: true) }
    #expect(failure == .userTokenExpired)
    #expect(fixture.auth.currentUser == nil && fixture.store.data == nil)
  }

  @Test func `without a network the session stays`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    fixture.auth.useEmulator(withHost: "127.0.0.1", port: 1)
    let failure = await authFailure { _ = try await user.getIDToken(forcingRefresh: true) }
    #expect(failure == .networkError && fixture.auth.currentUser === user)
    fixture.auth.useEmulator(withHost: "127.0.0.1", port: try BrasaServer.shared.get().port)
    _ = try await user.getIDToken(forcingRefresh: true)
  }

  @Test func `a user of this app becomes current again without a network`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    try fixture.auth.signOut()
    fixture.auth.useEmulator(withHost: "127.0.0.1", port: 1)
    try await fixture.auth.updateCurrentUser(user)
    #expect(fixture.auth.currentUser === user && fixture.restarted().currentUser?.uid == user.uid)
  }

  @Test func `the session of the last run is there before the first listener is called`()
    async throws
  {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    let restarted = fixture.restarted()
    var changes = restarted.authStateChanges.makeAsyncIterator()
    let restored = try #require(try await changes.next() ?? nil)
    #expect(restored.uid == user.uid && restored.email == AuthFixture.email)
    #expect(restarted.currentUser === restored)
    _ = try await restored.getIDToken(forcingRefresh: true)
  }

  @Test func `state listeners hear of people, token listeners of tokens too`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    var states = auth.authStateChanges.makeAsyncIterator()
    var tokens = auth.idTokenChanges.makeAsyncIterator()
    #expect(try await states.next() == .some(nil))
    #expect(try await tokens.next() == .some(nil))
    let ana = try await fixture.signUp()
    #expect(try await states.next() == ana)
    #expect(try await tokens.next() == ana)
    // The name is one of the token's claims, so that the next token differs.
    let change = ana.createProfileChangeRequest()
    change.displayName = "Ana"
    try await change.commitChanges()
    _ = try await ana.getIDToken(forcingRefresh: true)
    #expect(try await tokens.next() == ana)
    let bia = try await fixture.signUp("bia@example.com")
    #expect(try await tokens.next() == bia)
    // Nothing came between the two people.
    #expect(try await states.next() == bia)
    try auth.signOut()
    #expect(try await states.next() == .some(nil))
    #expect(try await tokens.next() == .some(nil))
  }

  @Test func `callbacks and listeners come on the queue of callbacks`() async throws {
    let fixture = try await AuthFixture()
    let auth = fixture.auth
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: "callbacks")
    auth.callbackQueue = queue
    let uid: String? = await withCheckedContinuation { continuation in
      auth.signInAnonymously { result, error in
        #expect(DispatchQueue.getSpecific(key: key) == "callbacks" && error == nil)
        continuation.resume(returning: result?.user.uid)
      }
    }
    #expect(uid != nil && uid == auth.currentUser?.uid)
    let failure: NSError? = await withCheckedContinuation { continuation in
      auth.signIn(withEmail: "x@example.com", password: "whatever") { result, error in
        #expect(result == nil)
        continuation.resume(returning: error as NSError?)
      }
    }
    #expect(failure?.code == AuthErrorCode.userNotFound.rawValue)
    let heard: String? = await withCheckedContinuation { continuation in
      let handle = HandleBox()
      handle.value = auth.addStateDidChangeListener { auth, user in
        #expect(DispatchQueue.getSpecific(key: key) == "callbacks")
        if let value = handle.value { auth.removeStateDidChangeListener(value) }
        continuation.resume(returning: user?.uid)
      }
    }
    #expect(heard == uid)
  }

  /// A listener's handle, which the listener itself uses; only from its queue after it was set.
  private final class HandleBox: @unchecked Sendable {
    private let lock = NSLock()
    private var handle: (any NSObjectProtocol)?

    var value: (any NSObjectProtocol)? {
      get { lock.withLock { handle } }
      set { lock.withLock { handle = newValue } }
    }
  }

  @Test(arguments: ["", "nonsense", #"{"version":2,"tokens":{},"profile":{}}"#])
  func `a kept session that cannot be read is none`(text: String) async throws {
    let fixture = try await AuthFixture()
    try fixture.store.update { _ in Data(text.utf8) }
    #expect(fixture.auth.currentUser == nil)
    let user = try await fixture.signUp()
    #expect(fixture.restarted().currentUser?.uid == user.uid)
  }

  @Test func `a renewal does not bring back who signed out elsewhere`() async throws {
    let fixture = try await AuthFixture()
    let user = try await fixture.signUp()
    let elsewhere = fixture.restarted()
    try elsewhere.signOut()
    #expect(fixture.store.data == nil)
    _ = try await user.getIDToken(forcingRefresh: true)
    #expect(fixture.store.data == nil && fixture.auth.currentUser === user)
    let other = try await elsewhere.signInAnonymously().user
    try fixture.auth.signOut()
    #expect(fixture.restarted().currentUser?.uid == other.uid)
  }

  @Test func `an app that is deleted has nobody signed in and keeps the session for later`()
    async throws
  {
    let fixture = try await AuthFixture()
    let options = try #require(fixture.app.options.copy() as? FirebaseOptions)
    options.stateDirectory = FileManager.default.temporaryDirectory
      .appendingPathComponent("state-\(UUID().uuidString)")
    let name = "deleted-\(UUID().uuidString)"
    let app = try FirebaseApp.configured(name: name, options: options)
    let auth = Auth.auth(app: app)
    #expect(Auth.auth(app: app) === auth && auth.app === app)
    let user = try await auth.signInAnonymously().user
    #expect(await app.delete())
    #expect(auth.currentUser == nil && auth.app == nil)
    let again = Auth.auth(app: try FirebaseApp.configured(name: name, options: options))
    #expect(again !== auth && again.currentUser?.uid == user.uid)
    #expect(again.currentUser?.isAnonymous == true)
  }
}
