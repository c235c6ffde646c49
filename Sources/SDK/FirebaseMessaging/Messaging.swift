import FirebaseCore
import FirebaseInstallations
import Foundation
import Locking

extension Notification.Name {
  /// Posted when the app has another token, which is the notification's object.
  public static let MessagingRegistrationTokenRefreshed = Notification.Name(
    "com.firebase.messaging.notif.fcm-token-refreshed"
  )
}

/// Messages to this installation of the app: its token, its topics, and off Apple's systems the stream by which
/// messages come.
///
/// Messages come at least once from the server, and one by one to the app: those that were handed over before are
/// dropped by their ids. May be used from any thread; the delegate is called on ``callbackQueue``.
public final class Messaging: NSObject, FirebaseComponent, Sendable {
  struct State {
    var kept: MessagingState?
    var delegate = WeakReference<any MessagingDelegate>(nil)
    var callbackQueue = DispatchQueue.main
    var address: MessagingState.AppleAddress?
    var apnsToken: Data?
    var registration: Task<String, any Error>?
    /// Gets a token and follows the stream.
    var work: Task<Void, Never>?
    var topicWork: Task<Void, Never>?
    var receiptWork: Task<Void, Never>?
    /// Sends the signed-in user to the server.
    var userWork: Task<Void, Never>?
    var isObservingUser = false
    var topicWaiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var receipts = Receipts()
    var pings = PingSchedule()
    var feeds: [Int: AsyncStream<RemoteMessage>.Continuation] = [:]
    var nextFeed = 0
    var failures = 0
    var isDeleted = false
  }

  let state = Lock(State())
  private let store: any StateStore
  private let installations: Installations
  let backend: MessagingBackend
  /// True if messages come by Apple, so that a device's token of Apple is needed.
  let usesApple: Bool
  /// True if the delegate receives the installation's ID instead of the token.
  let usesInstallationID: Bool
  /// The app, for its signed-in user.
  let app: WeakReference<FirebaseApp>
  let now: @Sendable () -> Date
  /// Waits between attempts and pings.
  let sleep: @Sendable (TimeInterval) async throws -> Void

  /// The messages of an app, with a store, a clock and a way to wait.
  package init(
    app: FirebaseApp,
    store: any StateStore,
    installations: Installations,
    usesApple: Bool = Messaging.isOnApple,
    usesInstallationID: Bool = Messaging.isListedForInstallationID,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }
  ) {
    self.store = store
    self.installations = installations
    self.usesApple = usesApple
    self.usesInstallationID = usesInstallationID
    self.app = WeakReference(app)
    self.now = now
    self.sleep = sleep
    backend = MessagingBackend(
      options: app.options,
      installations: installations,
      device: .current
    )
  }

  #if canImport(UIKit)
  /// True on systems with UIKit, whose apps receive messages through APNs.
  package static let isOnApple = true
  #else
  /// False: without UIKit apps receive messages over a stream from the server.
  package static let isOnApple = false
  #endif

  /// The value of `FirebaseMessagingInstallationIdEnabled` in the property list; false without it.
  package static var isListedForInstallationID: Bool {
    let key = "FirebaseMessagingInstallationIdEnabled"
    return Bundle.main.object(forInfoDictionaryKey: key) as? Bool ?? false
  }

  /// The messages of the default app; traps before it is configured.
  public static func messaging() -> Messaging {
    guard let app = FirebaseApp.app() else {
      fatalError("The default app is not configured. Call FirebaseApp.configure() first.")
    }
    return messaging(app: app)
  }

  /// The messages of an app, each with a token and a stream of its own, for programs that have several.
  ///
  /// On Apple's systems messages come to the program: there only the default app has them.
  public static func messaging(app: FirebaseApp) -> Messaging {
    let installations = Installations.installations(app: app)
    let messaging = app.component("FirebaseMessaging") {
      let store = app.stateStore(
        named: "firebase_messaging",
        keychain: "com.firebase.FIRMessaging"
      )
      return Messaging(app: app, store: store, installations: installations)
    }
    #if canImport(UIKit) && !os(watchOS)
    Task { @MainActor in AppDelegateProxy.install(for: messaging) }
    #endif
    messaging.start()
    return messaging
  }

  /// Ends the stream and all waiting calls.
  package func appWasDeleted() {
    let (tasks, waiters, feeds) = state.withLock { state in
      defer { (state.work, state.topicWork, state.receiptWork) = (nil, nil, nil) }
      defer { state.userWork = nil }
      state.isDeleted = true
      defer { (state.topicWaiters, state.feeds) = ([:], [:]) }
      return (
        [state.work, state.topicWork, state.receiptWork, state.userWork],
        state.topicWaiters.values, state.feeds.values
      )
    }
    for task in tasks { task?.cancel() }
    for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    for feed in feeds { feed.finish() }
  }

  /// The receiver of tokens and messages; not kept alive.
  public weak var delegate: (any MessagingDelegate)? {
    get { state.withLock { $0.delegate }.object }
    set {
      let delegate = WeakReference(newValue)
      state.withLock { $0.delegate = delegate }
      if let token = fcmToken { tellDelegate(of: token) }
    }
  }

  /// The queue on which the delegate and callbacks are called: a serial queue, the main one unless
  /// set.
  public var callbackQueue: DispatchQueue {
    get { state.withLock { $0.callbackQueue } }
    set { state.withLock { $0.callbackQueue = newValue } }
  }

  // MARK: What is kept

  /// The kept state, read at the first use.
  var kept: MessagingState { change { $0 } }

  /// Changes the stored data, in memory and then in the store; data that cannot be written lasts as
  /// long as the program.
  @discardableResult
  func change<Result: Sendable>(_ body: (inout MessagingState) -> Result) -> Result {
    state.withLock { state in
      let before = state.kept ?? readKept()
      var kept = before
      let result = body(&kept)
      state.kept = kept
      guard kept != before else { return result }
      do {
        try store.update { _ in try kept.encoded() }
      } catch {
        log("The registration can't be saved: \(error)")
      }
      return result
    }
  }

  private func readKept() -> MessagingState {
    do {
      return MessagingState(decoding: try store.read())
    } catch {
      log("The registration of the last run can't be read: \(error)")
      return MessagingState()
    }
  }

  func log(_ text: String) {
    FirebaseLog.write(.error, "FirebaseMessaging", "I-FCM000001", text)
  }

  // MARK: Tokens

  /// The token that back ends send to; nil before there is one.
  public var fcmToken: String? { kept.token }

  /// True if a token is made without being asked for.
  ///
  /// The value that was set lasts; without it `FirebaseMessagingAutoInitEnabled` of the property
  /// list decides.
  public var isAutoInitEnabled: Bool {
    get {
      let listed =
        Bundle.main.object(forInfoDictionaryKey: "FirebaseMessagingAutoInitEnabled") as? Bool
      return kept.isAutoInitEnabled ?? listed ?? true
    }
    set {
      change { $0.isAutoInitEnabled = newValue }
      if newValue { start() }
    }
  }

  /// The device's token of Apple.
  public var apnsToken: Data? {
    get { state.withLock { $0.apnsToken } }
    set {
      if let newValue {
        setAPNSToken(newValue, type: .unknown)
      } else {
        state.withLock { ($0.apnsToken, $0.address) = (nil, nil) }
      }
    }
  }

  /// Sets the device's token of Apple and the environment that it is from.
  public func setAPNSToken(_ apnsToken: Data, type: MessagingAPNSTokenType) {
    let digits = apnsToken.map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0\(text)" : text
    }
    let address = MessagingState.AppleAddress(
      token: digits.joined(),
      environment: Self.environment(type)
    )
    let isNew = state.withLock { state in
      defer { (state.apnsToken, state.address) = (apnsToken, address) }
      return state.address != address
    }
    if isNew { start() }
  }

  private static func environment(_ type: MessagingAPNSTokenType) -> String {
    switch type {
    case .sandbox: return "SANDBOX"
    case .prod: return "PROD"
    case .unknown:
      #if DEBUG
      return "SANDBOX"
      #else
      return "PROD"
      #endif
    }
  }

  /// The token that back ends send to, made where there is none.
  public func token() async throws -> String {
    let token = try await sharedRegistration().value
    start(always: true)
    return token
  }

  func sharedRegistration() -> Task<String, any Error> {
    state.withLock { state in
      if let running = state.registration { return running }
      let task = Task {
        defer { self.state.withLock { $0.registration = nil } }
        return try await self.registered()
      }
      state.registration = task
      return task
    }
  }

  private func registered() async throws -> String {
    let id = try await installations.installationID()
    let address = state.withLock { $0.address }
    let known = kept
    if let token = known.token, known.installationID == id, known.registeredAddress == address {
      if isCurrent(known) { return token }
      if await renew(token, address) { return token }
    }
    guard address == nil || !backend.options.bundleID.isEmpty else {
      throw MessagingError.error(
        .invalidRequest,
        "An APNs token needs a bundle ID. Set FirebaseOptions.bundleID, or do not set apnsToken on this system."
      )
    }
    guard address != nil || !usesApple else {
      throw MessagingError.error(
        .unknown,
        "No APNS token specified before fetching FCM Token. Set apnsToken first."
      )
    }
    // A signed-in user without a valid token for now is reported afterwards.
    let owner = await self.owner() ?? Owner(uid: nil, idToken: nil)
    let token = try await Self.translating {
      try await self.backend.register(address, idToken: owner.idToken)
    }
    // The installation may have got another id with its first token.
    let registered = try await installations.installationID()
    let renewed = now()
    state.withLock { $0.receipts = Receipts() }
    change { kept in
      kept.forgetRegistration()
      (kept.token, kept.installationID, kept.registeredAddress) = (token, registered, address)
      (kept.registeredUserID, kept.renewed) = (owner.uid, renewed)
    }
    userChanged()
    tellDelegate(of: token)
    NotificationCenter.default.post(
      name: .MessagingRegistrationTokenRefreshed,
      object: usesInstallationID ? registered : token
    )
    return token
  }

  /// Does a call of the server, whose other failures are errors of this module.
  static func translating<Result>(
    _ call: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await call()
    } catch is MessagingBackend.Unregistered {
      throw MessagingError.error(
        .invalidRequest,
        "The server does not know the project or the token."
      )
    } catch is MessagingBackend.Busy {
      throw MessagingError.error(.network, "The server is busy.")
    }
  }

  private func tellDelegate(of token: String) {
    guard usesInstallationID else {
      return onQueue { $0.messaging($1, didReceiveRegistrationToken: token) }
    }
    let id = kept.installationID
    onQueue { $0.messaging($1, didReceiveRegistration: id) }
  }

  /// Calls the delegate on its queue, if there is one.
  func onQueue(_ call: @escaping @Sendable (any MessagingDelegate, Messaging) -> Void) {
    let (delegate, queue) = state.withLock { ($0.delegate, $0.callbackQueue) }
    guard delegate.object != nil else { return }
    queue.async {
      if let delegate = delegate.object { call(delegate, self) }
    }
  }

  /// Has the server forget the token; messages come no more until another one is asked for.
  public func deleteToken() async throws {
    let task = state.withLock { state in
      defer { state.work = nil }
      return state.work
    }
    task?.cancel()
    if let token = kept.token { try await Self.translating { try await backend.delete(token) } }
    state.withLock { $0.receipts = Receipts() }
    change { $0.forgetRegistration() }
  }

  /// Has the server forget the token, and forgets topics and messages; changes of topics that wait fail.
  public func deleteData() async throws {
    try await deleteToken()
    change { kept in
      let (isAutoInitEnabled, nextChange) = (kept.isAutoInitEnabled, kept.nextChange)
      kept = MessagingState()
      // The numbers continue: one in flight must not end another one.
      (kept.isAutoInitEnabled, kept.nextChange) = (isAutoInitEnabled, nextChange)
    }
    endTopicWork()
  }

  /// The token for a sender: there is one sender, the project.
  public func retrieveFCMToken(forSenderID senderID: String) async throws -> String {
    try checkSender(senderID)
    return try await token()
  }

  /// Has the server forget the token for a sender.
  public func deleteFCMToken(forSenderID senderID: String) async throws {
    try checkSender(senderID)
    try await deleteToken()
  }

  private func checkSender(_ id: String) throws {
    guard id == backend.options.gcmSenderID else {
      throw MessagingError.error(.invalidRequest, "\(id) is not the sender of this project.")
    }
  }

  // MARK: Messages

  /// Notes a message that came by Apple, so that its sender sees that it arrived.
  @discardableResult
  public func appDidReceiveMessage(_ message: [AnyHashable: Any]) -> MessagingMessageInfo {
    guard let id = message["gcm.message_id"] as? String else {
      return MessagingMessageInfo(.unknown)
    }
    let isNew = change { $0.note(id) }
    if isNew { note(id, sequence: nil) }
    return MessagingMessageInfo(isNew ? .new : .unknown)
  }

  /// The messages of the direct stream as they arrive; the newest hundred unread ones wait.
  public var messages: RemoteMessages { RemoteMessages(messaging: self) }
}
