import FirebaseCore
import Foundation
import Locking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The accounts of an app: the signed-in user, and every way to sign in.
///
/// The session of the last run is read at its first use, and before any listener is called. May be
/// used from any thread; callbacks and listeners come on ``callbackQueue``.
public final class Auth: NSObject, FirebaseComponent, Sendable {
  /// Does something after so many seconds by the wall's clock.
  package typealias Schedule = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

  /// The session of the last run.
  private enum Session: Sendable {
    case unread
    case read(User?)
  }

  private struct State {
    weak var app: FirebaseApp?
    var session = Session.unread
    var address: ServiceAddress?
    var languageCode: String?
    var tenantID: String?
    var customAuthDomain: String?
    var callbackQueue = DispatchQueue.main
    var userAccessGroup: String?
    var sharesAcrossDevices = false
    var listeners: [ObjectIdentifier: AuthListener] = [:]
  }

  private let state: Lock<State>
  /// Held while a session is saved and becomes current, so that memory and store change in the same order.
  private let transition = Lock(())
  private let options: FirebaseOptions
  private let backend: AuthBackend
  private let ownStore: any SessionStore
  /// The queue that feeds streams of changes, apart from the callbacks' queue.
  let streamQueue = DispatchQueue(label: "FirebaseAuth.streams")
  /// The clock by which tokens end.
  let now: @Sendable () -> Date
  /// Does something after so many seconds.
  let schedule: Schedule
  let renewal = Lock(RenewalPlan())
  /// The device's token for Apple's messages.
  let deviceToken = Lock<Data?>(nil)
  /// Settings of tests.
  public let settings: AuthSettings? = AuthSettings()

  /// The accounts of an app, with a store and a clock.
  package init(
    app: FirebaseApp,
    store: any SessionStore,
    now: @escaping @Sendable () -> Date = { Date() },
    schedule: Schedule? = nil
  ) {
    options = app.options
    backend = AuthBackend(client: .shared)
    ownStore = store
    self.now = now
    let queue = streamQueue
    self.schedule =
      schedule ?? { seconds, body in
        queue.asyncAfter(wallDeadline: .now() + seconds, execute: body)
      }
    state = Lock(State(app: app, address: app.options.address(of: .auth)))
  }

  /// The accounts of the default app; traps before it is configured.
  public static func auth() -> Auth {
    guard let app = FirebaseApp.app() else {
      fatalError(
        "The default FirebaseApp instance must be configured before the default Auth instance can be "
          + "initialized. Call FirebaseApp.configure() first."
      )
    }
    return auth(app: app)
  }

  /// The accounts of an app.
  public static func auth(app: FirebaseApp) -> Auth {
    app.component("FirebaseAuth") {
      let store = app.stateStore(named: "firebase_user", keychain: "firebase_auth")
      return Auth(app: app, store: store)
    }
  }

  /// Ends the session in memory and removes the listeners; the stored session stays for the next
  /// run.
  package func appWasDeleted() {
    let ended = state.withLock { state in
      defer { state.listeners = [:] }
      state.session = .read(nil)
      state.app = nil
      return state.listeners.values.map(\.self)
    }
    for listener in ended { listener.end() }
  }

  // MARK: Settings

  /// The app; nil after it was deleted.
  public var app: FirebaseApp? { state.withLock { $0.app } }

  /// The language of emails, such as `pt-BR`; nil leaves it to the server.
  public var languageCode: String? {
    get { state.withLock { $0.languageCode } }
    set { state.withLock { $0.languageCode = newValue } }
  }

  /// The tenant that people sign in to.
  public var tenantID: String? {
    get { state.withLock { $0.tenantID } }
    set { state.withLock { $0.tenantID = newValue } }
  }

  /// The domain of the pages of sign-ins by redirect.
  public var customAuthDomain: String? {
    get { state.withLock { $0.customAuthDomain } }
    set { state.withLock { $0.customAuthDomain = newValue } }
  }

  /// The group of programs whose session this is; nil is this program's own.
  public var userAccessGroup: String? { state.withLock { $0.userAccessGroup } }

  /// True if the session of a group goes to the person's other devices, by Apple's Keychain alone.
  public var shareAuthStateAcrossDevices: Bool {
    get { state.withLock { $0.sharesAcrossDevices } }
    set { state.withLock { $0.sharesAcrossDevices = newValue } }
  }

  /// The queue on which callbacks and listeners are called: a serial queue, the main one unless
  /// set.
  ///
  /// A program that never runs its main queue sets another one. Asynchronous functions and streams need none.
  public var callbackQueue: DispatchQueue {
    get { state.withLock { $0.callbackQueue } }
    set { state.withLock { $0.callbackQueue = newValue } }
  }

  /// Takes the language of this device for emails.
  public func useAppLanguage() { languageCode = DeviceLocale.current.language }

  /// Speaks to a server in plain text: Brasa in development, or Google's emulator.
  public func useEmulator(withHost host: String, port: Int) {
    let name = host.trimmingCharacters(in: ["[", "]"])
    let address = ServiceAddress(host: name, port: port, isSecure: false)
    state.withLock { $0.address = address }
  }

  /// The server of the accounts; nil is Google.
  package var serverAddress: ServiceAddress? { state.withLock { $0.address } }

  /// Sends a request in the name of the app.
  func send<Answer>(_ request: AuthRequest<Answer>) async throws -> Answer {
    let caller = state.withLock { state in
      AuthBackend.Caller(
        apiKey: options.apiKey,
        appID: options.googleAppID,
        bundleID: options.bundleID,
        address: state.address,
        languageCode: state.languageCode,
        tenantID: state.tenantID
      )
    }
    return try await backend.send(request, caller)
  }

  // MARK: The session

  /// The signed-in user; nil if there is none.
  ///
  /// The first call reads the session of the last run.
  public var currentUser: User? {
    if case .read(let user) = state.withLock({ $0.session }) { return user }
    return transition.withLock { _ in
      if case .read(let user) = state.withLock({ $0.session }) { return user }
      let user = restoredUser()
      state.withLock { $0.session = .read(user) }
      return user
    }
  }

  private func store(of group: String?) -> any SessionStore {
    guard let group else { return ownStore }
    return FirebaseApp.sessionStore(
      ofGroup: group,
      options,
      sharedAcrossDevices: shareAuthStateAcrossDevices
    )
  }

  /// Returns the user of a group of programs, or of this one alone.
  func storedUser(in group: String?) throws -> User? {
    guard let data = try store(of: group).read() else { return nil }
    let stored = try StoredSession(decoding: data)
    return User(auth: self, tokens: stored.tokens, profile: stored.profile)
  }

  /// Makes the session of a group of programs the current one.
  func goOver(to group: String?, _ user: User?) {
    transition.withLock { _ in
      state.withLock { state in
        state.userAccessGroup = group
        state.session = .read(user)
      }
    }
    tellListeners()
  }

  private func restoredUser() -> User? {
    do {
      return try storedUser(in: userAccessGroup)
    } catch {
      FirebaseLog.write(
        .error,
        "FirebaseAuth",
        "I-AUT000017",
        "The session of the last run can't be read: \(error)"
      )
      return nil
    }
  }

  /// Saves a user's session and makes it the current one.
  func become(_ user: User) throws {
    let session = StoredSession(tokens: user.tokens, profile: user.profile)
    try transition.withLock { _ in
      try saving { _ in try session.encoded() }
      state.withLock { $0.session = .read(user) }
    }
    tellListeners()
  }

  /// Saves changes of the current user; a user that is not current is ignored.
  ///
  /// If another process signed out or signed in another user, the store is left as it is.
  func userChanged(_ user: User) throws {
    guard currentUser === user else { return }
    let session = StoredSession(tokens: user.tokens, profile: user.profile)
    try transition.withLock { _ in
      try saving { old in
        StoredSession.uid(in: old) == session.profile.uid ? try session.encoded() : old
      }
    }
    tellListeners()
  }

  /// Signs out; does nothing if no user is signed in.
  public func signOut() throws {
    guard let user = currentUser else { return }
    try signOut(ifCurrent: user)
  }

  func signOut(ifCurrent user: User) throws {
    guard currentUser === user else { return }
    let uid = user.uid
    try transition.withLock { _ in
      try saving { old in StoredSession.uid(in: old) == uid ? nil : old }
      state.withLock { $0.session = .read(nil) }
    }
    tellListeners()
  }

  private func saving(_ change: (Data?) throws -> Data?) throws {
    do {
      try store(of: userAccessGroup).update(change)
    } catch {
      throw AuthErrorCode.keychainError.error(nil, [NSUnderlyingErrorKey: error as NSError])
    }
  }

  /// Signs out where an error says that the session has ended; returns the error to throw.
  func afterFailure(_ error: any Error, of user: User) -> any Error {
    switch (error as NSError).authCode {
    case .userTokenExpired, .userDisabled, .userNotFound, .invalidUserToken:
      do {
        try signOut(ifCurrent: user)
      } catch let failure {
        FirebaseLog.write(.error, "FirebaseAuth", "I-AUT000018", "\(failure)")
      }
      return error
    default: return error
    }
  }

  // MARK: Listeners

  func add(_ listener: AuthListener) {
    state.withLock { $0.listeners[ObjectIdentifier(listener)] = listener }
    listener.call(for: self)
  }

  func remove(_ handle: any NSObjectProtocol) {
    let removed = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(handle)) }
    removed?.end()
  }

  private func tellListeners() {
    let (listeners, queue) = state.withLock { (Array($0.listeners.values), $0.callbackQueue) }
    for listener in listeners { listener.call(for: self) }
    planRenewal()
    queue.async {
      NotificationCenter.default.post(name: Self.authStateDidChangeNotification, object: self)
    }
  }

  /// Posted after every change of the signed-in user and of tokens, with the `Auth` as object.
  public static let authStateDidChangeNotification = Notification.Name(
    "FIRAuthStateDidChangeNotification"
  )
}

extension Notification.Name {
  /// Posted after every change of the signed-in user and of tokens, with the `Auth` as object.
  public static let AuthStateDidChange = Auth.authStateDidChangeNotification
}

/// Settings of tests.
public final class AuthSettings: NSObject, Sendable {
  private let isDisabled = Lock(false)

  /// True if the app need not prove itself; Brasa never asks for it.
  public var isAppVerificationDisabledForTesting: Bool {
    get { isDisabled.withLock { $0 } }
    set { isDisabled.withLock { $0 = newValue } }
  }
}
