import FirebaseCore
import FirebaseInstallations
import Foundation
import Locking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Notification.Name {
  /// Posted when the app sees other values; its `userInfo` names the app.
  package static let remoteConfigDidActivate = Notification.Name(
    "FIRRemoteConfigActivateNotification"
  )
}

/// The parameters of an app: its own defaults, over which lie the values that were fetched and activated.
///
/// Fetched values are kept and change nothing until they are activated; both survive the end of the
/// program. May be used from any thread; callbacks and listeners come on ``callbackQueue``.
public final class RemoteConfig: NSObject, FirebaseComponent, Sendable {
  fileprivate enum Kept: Sendable {
    case unread
    case read(ConfigState)
  }

  struct State {
    fileprivate var kept = Kept.unread
    var settings = RemoteConfigSettings()
    var callbackQueue = DispatchQueue.main
    var fetch: Task<RemoteConfigFetchStatus, any Error>?
    var listeners: [Int: ConfigListener] = [:]
    var nextListener = 0
    var realtime: Task<Void, Never>?
    var isDeleted = false
  }

  let state = Lock(State())
  let appName: String
  private let store: any StateStore
  let backend: ConfigBackend
  /// Returns the user properties that the product for events knows.
  private let userProperties: @Sendable () -> AppUserProperties
  /// Hands an event to the product for events.
  private let logEvent: @Sendable (String, [String: String]) -> Void
  /// The clock by which values age.
  let now: @Sendable () -> Date
  /// Waits between attempts.
  let sleep: @Sendable (TimeInterval) async throws -> Void

  /// The seconds of the first wait after a refusal, and of the longest.
  private static let backoff = (first: 120.0, longest: 14_400.0)

  /// The parameters of an app on a device, with a store, a clock and a way to wait.
  package init(
    app: FirebaseApp,
    store: any StateStore,
    installations: Installations,
    device: ConfigDevice = .current,
    userProperties: (@Sendable () -> AppUserProperties)? = nil,
    logEvent: (@Sendable (String, [String: String]) -> Void)? = nil,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }
  ) {
    appName = app.name
    self.store = store
    self.now = now
    self.sleep = sleep
    self.userProperties = userProperties ?? { [weak app] in app?.userProperties ?? .init() }
    self.logEvent = logEvent ?? { [weak app] name, parameters in app?.logEvent(name, parameters) }
    backend = ConfigBackend(
      client: .shared,
      options: app.options,
      installations: installations,
      device: device
    )
  }

  /// The parameters of the default app; traps before it is configured.
  public static func remoteConfig() -> RemoteConfig {
    guard let app = FirebaseApp.app() else {
      fatalError(
        "The default FirebaseApp instance must be configured before the default Remote Config instance "
          + "can be initialized. Call FirebaseApp.configure() first."
      )
    }
    return remoteConfig(app: app)
  }

  /// The parameters of an app.
  public static func remoteConfig(app: FirebaseApp) -> RemoteConfig {
    let installations = Installations.installations(app: app)
    return app.component("FirebaseRemoteConfig") {
      let store = app.stateStore(named: "firebase_remote_config", keychain: nil)
      return RemoteConfig(app: app, store: store, installations: installations)
    }
  }

  /// Ends the stream and forgets the listeners.
  package func appWasDeleted() {
    let ended = state.withLock { state in
      defer { (state.realtime, state.fetch) = (nil, nil) }
      state.isDeleted = true
      state.listeners = [:]
      return state.realtime
    }
    ended?.cancel()
  }

  /// The settings for fetching values.
  public var configSettings: RemoteConfigSettings {
    get { state.withLock { $0.settings } }
    set { state.withLock { $0.settings = newValue } }
  }

  /// The queue on which callbacks and listeners are called: a serial queue, the main one unless
  /// set.
  public var callbackQueue: DispatchQueue {
    get { state.withLock { $0.callbackQueue } }
    set { state.withLock { $0.callbackQueue = newValue } }
  }

  // MARK: What is kept

  /// The kept state, read at the first use.
  var kept: ConfigState {
    state.withLock { state in
      if case .read(let known) = state.kept { return known }
      let read = readKept()
      state.kept = .read(read)
      return read
    }
  }

  private func readKept() -> ConfigState {
    do {
      return ConfigState(decoding: try store.read())
    } catch {
      log("The values of the last run can't be read: \(error)")
      return ConfigState()
    }
  }

  /// Changes the stored data, in memory and then in the store; data that cannot be written is
  /// logged and lasts as long as the program.
  @discardableResult
  func change<Result>(_ change: (inout ConfigState) -> Result) -> Result {
    state.withLock { state in
      var kept: ConfigState
      if case .read(let known) = state.kept { kept = known } else { kept = readKept() }
      let before = kept
      let result = change(&kept)
      guard kept != before else { return result }
      state.kept = .read(kept)
      do {
        try store.update { _ in try kept.encoded() }
      } catch {
        log("The values can't be saved: \(error)")
      }
      return result
    }
  }

  func log(_ text: String) {
    FirebaseLog.write(.error, "FirebaseRemoteConfig", "I-RCN000001", text)
  }

  // MARK: Fetching

  /// The time of the last fetch; nil if there was none.
  public var lastFetchTime: Date? { kept.lastFetchTime }

  /// The outcome of the last fetch.
  public var lastFetchStatus: RemoteConfigFetchStatus {
    RemoteConfigFetchStatus(rawValue: kept.lastFetchStatus) ?? .noFetchYet
  }

  /// Reads the stored value.
  public func ensureInitialized() async throws { _ = kept }

  /// Fetches values if the last ones are older than the settings' interval.
  @discardableResult
  public func fetch() async throws -> RemoteConfigFetchStatus {
    try await fetch(withExpirationDuration: configSettings.minimumFetchInterval)
  }

  /// Fetches values if the last ones are older than so many seconds.
  ///
  /// A caller during a fetch shares it.
  @discardableResult
  public func fetch(
    withExpirationDuration expirationDuration: TimeInterval
  ) async throws -> RemoteConfigFetchStatus {
    let last = kept.lastFetchTime
    if let last, (0..<expirationDuration).contains(now().timeIntervalSince(last)) {
      return .success
    }
    return try await sharedFetch().value
  }

  private func sharedFetch() -> Task<RemoteConfigFetchStatus, any Error> {
    state.withLock { state in
      if let running = state.fetch { return running }
      let timeout = state.settings.fetchTimeout
      let task = Task {
        defer { self.state.withLock { $0.fetch = nil } }
        return try await self.fetchNow(type: "BASE/1", timeout: timeout)
      }
      state.fetch = task
      return task
    }
  }

  /// Fetches values of any age, unless the server refuses fetches.
  @discardableResult
  func fetchNow(type: String, timeout: TimeInterval) async throws -> RemoteConfigFetchStatus {
    let known = kept
    if let end = known.throttledUntil, end > now() { throw throttled(until: end) }
    let answer: ConfigBackend.Answer
    do {
      answer = try await backend.fetch(
        // Data stored before variants existed is fetched completely once.
        etag: known.fetched.variants == nil ? nil : known.etag,
        signals: known.customSignals,
        user: userProperties(),
        timeout: timeout,
        type: type
      )
    } catch {
      change { $0.lastFetchStatus = RemoteConfigFetchStatus.failure.rawValue }
      throw error
    }
    if case .refused(let status) = answer { throw noteRefusal(status) }
    change { $0.take(answer, at: now()) }
    return .success
  }

  private func noteRefusal(_ status: Int) -> NSError {
    let end = change { kept -> Date in
      let wait = min(Self.backoff.first * pow(2, Double(kept.refusals)), Self.backoff.longest)
      let end = now().addingTimeInterval(wait * Double.random(in: 0.5...1.5))
      kept.refusals += 1
      kept.throttledUntil = end
      kept.lastFetchStatus = RemoteConfigFetchStatus.throttled.rawValue
      return end
    }
    return throttled(until: end)
  }

  private func throttled(until end: Date) -> NSError {
    RemoteConfigError.error(
      .throttled,
      "The server refuses fetches until \(end).",
      throttledUntil: end
    )
  }

  /// Lets the app see what was fetched last; false where it sees that already.
  ///
  /// The first activation with values of an experiment's variant logs the event `experiment_exposure`.
  @discardableResult
  public func activate() async throws -> Bool {
    let (isNew, exposures) = change { kept -> (Bool, [String: String]) in
      guard kept.isFresh else { return (false, [:]) }
      kept.isFresh = false
      return (true, kept.activate())
    }
    for (experiment, variant) in exposures.sorted(by: { $0.key < $1.key }) {
      logEvent(
        "experiment_exposure",
        ["experiment_id": experiment, "variant_id": variant]
      )
    }
    if isNew {
      NotificationCenter.default.post(
        name: .remoteConfigDidActivate,
        object: self,
        userInfo: ["FIRAppNameKey": appName]
      )
    }
    return isNew
  }

  /// Fetches values if they are old, and lets the app see them.
  @discardableResult
  public func fetchAndActivate() async throws -> RemoteConfigFetchAndActivateStatus {
    try await fetch()
    return try await activate() ? .successFetchedFromRemote : .successUsingPreFetchedData
  }

  // MARK: Custom signals

  /// Signals that are kept, and characters of a key and of a value.
  private static let signalLimits = (count: 100, key: 250, value: 500)

  /// Sets what conditions look at as `app.customSignal`, with the next fetch; nil removes a signal.
  public func setCustomSignals(_ customSignals: [String: CustomSignalValue?]) async throws {
    for (key, value) in customSignals {
      guard key.count <= Self.signalLimits.key, (value?.text.count ?? 0) <= Self.signalLimits.value
      else {
        throw RemoteConfigCustomSignalsError.error(.limitExceeded, "The signal \(key) is too long.")
      }
    }
    let fits = change { kept in
      var signals = kept.customSignals
      for (key, value) in customSignals { signals[key] = value?.text }
      guard signals.count <= Self.signalLimits.count else { return false }
      kept.customSignals = signals
      return true
    }
    guard fits else {
      throw RemoteConfigCustomSignalsError.error(
        .limitExceeded,
        "An app can set at most \(Self.signalLimits.count) signals."
      )
    }
  }
}

extension ConfigState {
  /// Experiments that are remembered, a project's of years.
  private static let mostExposed = 1_000

  /// Activates the fetched values; returns the variants that are new to the app, by experiment.
  fileprivate mutating func activate() -> [String: String] {
    let variants = fetched.variants ?? [:]
    let new = variants.filter { exposed?[$0.key] != $0.value }
    active = fetched
    // A resumed one is not seen for the first time again.
    let seen = (exposed ?? [:]).merging(variants) { $1 }
    exposed = seen.count <= Self.mostExposed ? seen : variants
    return new
  }

  /// Takes what the server answered.
  fileprivate mutating func take(_ answer: ConfigBackend.Answer, at time: Date) {
    switch answer {
    case .values(let values, let etag):
      fetched = values
      isFresh = true
      self.etag = etag
    case .unchanged(let number):
      if let number { fetched.templateVersion = number }
    case .refused: return
    }
    lastFetchTime = time
    lastFetchStatus = RemoteConfigFetchStatus.success.rawValue
    throttledUntil = nil
    refusals = 0
  }
}

/// The value of a custom signal.
public enum CustomSignalValue: Sendable {
  /// A text.
  case string(String)
  /// A whole number.
  case integer(Int)
  /// A number.
  case double(Double)

  var text: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    }
  }
}

extension CustomSignalValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .double(value) }
}
