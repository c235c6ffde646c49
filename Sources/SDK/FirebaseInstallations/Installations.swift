import FirebaseCore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A token by which the installation proves itself to the project's services.
public final class InstallationsAuthTokenResult: NSObject, Sendable {
  /// The token.
  public let authToken: String
  /// The time at which it expires.
  public let expirationDate: Date

  init(_ registration: InstallationState.Registration) {
    authToken = registration.authToken
    expirationDate = registration.expirationDate
  }
}

extension Notification.Name {
  /// Posted when an installation has another id.
  public static let InstallationIDDidChange = Notification.Name(
    "FIRInstallationIDDidChangeNotification"
  )
}

/// The member of such a notification that has the app's name.
public let InstallationIDDidChangeAppNameKey = "FIRInstallationIDDidChangeNotification"

/// This installation of an app: its id, which lasts until it is deleted, and its tokens.
///
/// The id is made here, without the server, which learns of it with the first token. May be used from any
/// thread; callbacks come on the main queue.
public final class Installations: NSObject, FirebaseComponent, Sendable {
  private let appName: String
  private let store: any StateStore
  private let backend: InstallationsBackend
  private let now: @Sendable () -> Date
  private let tokens = TokenExchange()

  /// The time before its end at which a token is renewed, in seconds.
  private static let margin: TimeInterval = 3_600

  /// The installation of an app, with a store and a clock.
  package init(
    app: FirebaseApp,
    store: any StateStore,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    appName = app.name
    self.store = store
    self.now = now
    backend = InstallationsBackend(client: .shared, options: app.options, now: now)
  }

  /// The installation of the default app; traps before it is configured.
  public static func installations() -> Installations {
    guard let app = FirebaseApp.app() else {
      fatalError("The default app is not configured. Call FirebaseApp.configure() first.")
    }
    return installations(app: app)
  }

  /// The installation of an app.
  public static func installations(app: FirebaseApp) -> Installations {
    app.component("FirebaseInstallations") {
      let store = app.stateStore(
        named: "firebase_installation",
        keychain: "com.firebase.FIRInstallations.installations"
      )
      return Installations(app: app, store: store)
    }
  }

  /// Nothing continues by itself.
  package func appWasDeleted() {}

  /// The installation's id: 22 characters.
  public func installationID() async throws -> String { try currentID() }

  /// The installation's id, without a wait: it is made here.
  package func currentID() throws -> String { try current().id }

  /// A token that is valid for an hour at least, from memory where there is one.
  public func authToken() async throws -> InstallationsAuthTokenResult {
    try await authTokenForcingRefresh(false)
  }

  /// A token; a new one where `forceRefresh` says so.
  public func authTokenForcingRefresh(
    _ forceRefresh: Bool
  ) async throws -> InstallationsAuthTokenResult {
    try await tokens.run { [self] in
      let state = try current()
      if !forceRefresh, let known = state.registration,
        known.expirationDate.timeIntervalSince(now()) > Self.margin
      {
        return InstallationsAuthTokenResult(known)
      }
      let renewed = try await renewed(state)
      try keep(renewed, insteadOf: state)
      guard let registration = renewed.registration else {
        throw InstallationsErrorCode.error(.unknown, "The server returned no token.")
      }
      return InstallationsAuthTokenResult(registration)
    }
  }

  private func renewed(_ state: InstallationState) async throws -> InstallationState {
    guard let known = state.registration else { return try await register(state) }
    do {
      return try await backend.refresh(state, known.refreshToken)
    } catch is InstallationsBackend.Unknown {
      // The server has forgotten it: this is another installation from now on.
      return try await register(.new())
    }
  }

  private func register(_ state: InstallationState) async throws -> InstallationState {
    do {
      return try await backend.register(state)
    } catch is InstallationsBackend.Unknown {
      throw InstallationsErrorCode.error(
        .invalidConfiguration,
        "The server does not know the project."
      )
    }
  }

  /// Forgets the installation, here and on the server; the next use begins another one.
  public func delete() async throws {
    try await tokens.run { [self] in
      guard let state = InstallationState.decoded(try read()) else { return }
      if let known = state.registration {
        try await backend.delete(state, known.refreshToken)
      }
      try update { _ in nil }
    }
    announce()
  }

  // MARK: The store

  /// The installation that is kept, made where there is none.
  private func current() throws -> InstallationState {
    if let known = InstallationState.decoded(try read()) { return known }
    var made: InstallationState?
    try update { data in
      let state = InstallationState.decoded(data) ?? .new()
      made = state
      return try state.encoded()
    }
    guard let made else {
      throw InstallationsErrorCode.error(.keychain, "The installation could not be saved.")
    }
    return made
  }

  /// Stores a state, unless another process has started another installation in the meantime.
  private func keep(_ state: InstallationState, insteadOf old: InstallationState) throws {
    try update { data in
      guard InstallationState.decoded(data)?.id == old.id else { return data }
      return try state.encoded()
    }
    if state.id != old.id { announce() }
  }

  private func read() throws -> Data? {
    do { return try store.read() } catch { throw Self.storeFailure(error) }
  }

  private func update(_ change: (Data?) throws -> Data?) throws {
    do { try store.update(change) } catch { throw Self.storeFailure(error) }
  }

  private static func storeFailure(_ error: any Error) -> NSError {
    InstallationsErrorCode.error(
      .keychain,
      "The installation's state can't be read or written: \(error)"
    )
  }

  private func announce() {
    NotificationCenter.default.post(
      name: .InstallationIDDidChange,
      object: nil,
      userInfo: [InstallationIDDidChangeAppNameKey: appName]
    )
  }
}

/// Allows one exchange with the server at a time; later callers wait for their turn.
private actor TokenExchange {
  private var last: Task<Void, Never>?

  func run<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let before = last
    let task = Task {
      await before?.value
      return try await work()
    }
    last = Task { _ = await task.result }
    return try await task.value
  }
}
