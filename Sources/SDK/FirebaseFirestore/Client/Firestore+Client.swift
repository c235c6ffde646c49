import FirebaseCore
import FirestoreClient
import FirestoreModel
import FirestoreSync
import Foundation

// The client behind a database, and its parts.

extension Firestore {
  /// The client; made on first use.
  ///
  /// Traps after the database was terminated.
  var client: SyncClient {
    state.withLock { state in
      switch state.client {
      case .running(let client, _): return client
      case .terminated: fatalError(Self.ended)
      case .none:
        let turn = cacheTurn(FirestoreSettings(state.settings).cacheSettings)
        let client = SyncClient(configuration(state.settings, turn))
        state.client = .running(client, turn)
        return client
      }
    }
  }

  private static let ended = "The client has already been terminated."

  /// Throws `failedPrecondition` after the end, when every use of the database traps.
  public func check() throws {
    let isEnded = state.withLock { if case .terminated = $0.client { true } else { false } }
    try require(!isEnded, .failedPrecondition, Self.ended)
  }

  var callbackQueue: DispatchQueue { state.withLock { $0.settings.dispatchQueue } }

  /// The settings; the object is a copy.
  ///
  /// To be set before the database is used.
  public var settings: FirestoreSettings {
    get { FirestoreSettings(state.withLock { $0.settings }) }
    set {
      trapping {
        try state.withLock { state in
          try Self.check(newValue, state)
          if case .none = state.client { state.settings = newValue.values }
        }
      }
    }
  }

  /// Throws where ``settings`` cannot be set to these: `failedPrecondition` after the first use, `invalidArgument` for plain
  /// text to Google.
  public func check(settings: FirestoreSettings) throws {
    try state.withLock { try Self.check(settings, $0) }
  }

  private static func check(_ settings: FirestoreSettings, _ state: State) throws {
    let values = settings.values
    try require(
      values.isSSLEnabled || values.host != FirestoreSettings.defaultHost,
      "You can't set the 'isSSLEnabled' setting to false unless you also set a non-default 'host'."
    )
    if case .none = state.client { return }
    try require(
      FirestoreSettings(state.settings) == settings,
      .failedPrecondition,
      "Firestore instance has already been started and its settings can no longer be changed. You can "
        + "only set settings before calling any other methods on a Firestore instance."
    )
  }

  /// Speaks to a server in plain text: Brasa in development, or Google's emulator.
  public func useEmulator(withHost host: String, port: Int) {
    trapping { try require(!host.isEmpty, "Host must not be empty.") }
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    var values = state.withLock { $0.settings }
    if values.host != FirestoreSettings.defaultHost {
      FirebaseLog.write(
        .warning,
        "FirebaseFirestore",
        "I-FST000001",
        "Overriding previously-set host value: \(values.host)"
      )
    }
    values.host = "\(name):\(port)"
    values.isSSLEnabled = false
    settings = FirestoreSettings(values)
  }

  /// Writes lines of the log down to the finest, or not.
  public static func enableLogging(_ logging: Bool) {
    FirebaseConfiguration.shared.setLoggerLevel(logging ? .debug : .notice)
  }

  private func address(_ values: FirestoreSettings.Values) -> String {
    if values.host == FirestoreSettings.defaultHost, values.isSSLEnabled,
      let address = app.options.address(of: .firestore)
    {
      return address.url
    }
    return "\(values.isSSLEnabled ? "https" : "http")://\(values.host)"
  }

  private func configuration(
    _ values: FirestoreSettings.Values,
    _ turn: CacheTurn?
  ) -> SyncClientConfiguration {
    let version = FirebaseVersion()
    let transport = HTTPTransport(
      url: address(values),
      database: database,
      clientHeaders: [
        ("X-Goog-Api-Client", "gl-swift/ fire/\(version)"),
        ("X-Firebase-GMPID", app.options.googleAppID),
      ]
    )
    let cache = FirestoreSettings(values).cacheSettings
    var configuration = SyncClientConfiguration(
      database: database,
      transport: transport,
      now: { Self.now() },
      openStore: cacheOpener(turn)
    )
    if let credentials = app.credentials {
      configuration.credentials = ClientAppCredentials(credentials: credentials)
    }
    configuration.policy = cache.policy
    configuration.cacheBytes = cache.bytes
    configuration.log = { text in
      FirebaseLog.write(.warning, "FirebaseFirestore", "I-FST000001", text)
    }
    return configuration
  }

  private static func now() -> FirestoreModel.Timestamp {
    FirestoreModel.Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
  }
}

/// The app's signed-in user, in the form that the client asks for.
private struct ClientAppCredentials: ClientCredentials {
  let credentials: any AppCredentials

  var currentUser: String? { credentials.currentUserID }

  func credentials(forcingRefresh: Bool) async throws -> CallCredentials {
    CallCredentials(token: try await credentials.token(forcingRefresh: forcingRefresh))
  }

  func observeUser(_ observer: @escaping @Sendable (String?) -> Void) {
    credentials.observeUser(observer)
  }
}
