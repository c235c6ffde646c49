import Foundation
import Locking

/// An app: a name, the options of its project, and what the products keep for it.
///
/// Apps are configured once, at start, and found by name afterwards. May be used from any thread.
public final class FirebaseApp: NSObject, Sendable {
  /// The name that the app was configured with.
  public let name: String
  /// The app's own options; editing them traps, their copies are free.
  public let options: FirebaseOptions

  /// The components that products keep for the app, by key.
  private let components = Lock<[String: any FirebaseComponent]>([:])

  private static let registry = Lock<[String: FirebaseApp]>([:])

  private init(name: String, options: FirebaseOptions) {
    self.name = name
    self.options = options
  }

  /// The name of the app that calls without a name mean.
  package static let defaultName = "__FIRAPP_DEFAULT"

  /// Configures the default app from its file or, where there is none, from the environment.
  ///
  /// `GoogleService-Info.plist` goes first, then `firebase-config.json`, both beside the program, then
  /// `BRASA_PROJECT` and `BRASA_HOST`. Traps where nothing of that is there or it is wrong;
  /// ``configured(name:options:)`` throws instead.
  public static func configure() {
    trapping { () throws(FirebaseAppError) in try configured() }
  }

  /// Configures the default app.
  public static func configure(options: FirebaseOptions) {
    trapping { () throws(FirebaseAppError) in try configured(options: options) }
  }

  /// Configures an app of the given name: letters, digits, `-` and `_`.
  public static func configure(name: String, options: FirebaseOptions) {
    trapping { () throws(FirebaseAppError) in try configured(name: name, options: options) }
  }

  /// Configures an app and returns it, or throws where ``configure()`` and its variants trap.
  ///
  /// Without a name it is the default app, without options they are found as by ``configure()``.
  @discardableResult
  public static func configured(
    name: String? = nil,
    options: FirebaseOptions? = nil
  ) throws(FirebaseAppError) -> FirebaseApp {
    if let name { try checkName(name) }
    let options = if let options { options } else { try FirebaseOptions.found() }
    try options.check()
    let app = FirebaseApp(name: name ?? defaultName, options: options.locked())
    let isNew = registry.withLock { apps in
      guard apps[app.name] == nil else { return false }
      apps[app.name] = app
      return true
    }
    guard isNew else { throw .alreadyConfigured(app.name) }
    FirebaseLog.write(.debug, "FirebaseCore", "I-COR000001", "Configuring app \(app.name).")
    if let text = app.options.bundleMismatch(with: Bundle.main.bundleIdentifier) {
      FirebaseLog.write(.error, "FirebaseCore", "I-COR000008", text)
    }
    if app.name == defaultName { StartingProducts.start(with: app) }
    return app
  }

  /// The default app; nil before it is configured.
  public static func app() -> FirebaseApp? {
    let app = app(name: defaultName)
    if app == nil {
      FirebaseLog.write(
        .error,
        "FirebaseCore",
        "I-COR000003",
        "The default Firebase app has not yet been configured. Add `FirebaseApp.configure()` to the "
          + "start of the program."
      )
    }
    return app
  }

  /// The app of a name; nil where none is configured.
  public static func app(name: String) -> FirebaseApp? {
    registry.withLock { $0[name] }
  }

  /// All apps by name; nil where there is none.
  public static var allApps: [String: FirebaseApp]? {
    registry.withLock { $0.isEmpty ? nil : $0 }
  }

  /// Removes the app and ends what its products do; false where it was removed before.
  ///
  /// The completion comes on the main queue.
  public func delete(_ completion: @escaping (Bool) -> Void) {
    let (callback, wasThere) = (AppCallback(completion), remove())
    DispatchQueue.main.async { callback.call(wasThere) }
  }

  /// Removes the app and ends what its products do; false where it was removed before.
  public func delete() async -> Bool { remove() }

  private func remove() -> Bool {
    let wasThere = Self.registry.withLock { apps in
      guard apps[name] === self else { return false }
      apps[name] = nil
      return true
    }
    let ended = components.withLock { components in
      defer { components = [:] }
      return components
    }
    for component in ended.values { component.appWasDeleted() }
    return wasThere
  }

  /// A product's object for this app, made on first use.
  ///
  /// `make` must not ask for components of the same app.
  package func component<Component: FirebaseComponent>(
    _ key: String,
    make: () -> Component
  ) -> Component {
    components.withLock { components in
      if let known = components[key] as? Component { return known }
      let made = make()
      components[key] = made
      return made
    }
  }

  /// Forgets a product's object, if it is that one; the next call makes another.
  package func removeComponent(_ key: String, _ component: some FirebaseComponent) {
    components.withLock { components in
      if components[key] === component { components[key] = nil }
    }
  }

  /// True if data may be collected: the value set in code, else the one in Info.plist, else true.
  public var isDataCollectionDefaultEnabled: Bool {
    get {
      let stored = UserDefaults.standard.object(forKey: collectionKey) as? Bool
      let bundled =
        Bundle.main.object(forInfoDictionaryKey: "FirebaseDataCollectionDefaultEnabled") as? Bool
      return stored ?? bundled ?? true
    }
    set { UserDefaults.standard.set(newValue, forKey: collectionKey) }
  }

  private var collectionKey: String { "/google/firebase/global_data_collection_enabled:\(name)" }

  private static func checkName(_ name: String) throws(FirebaseAppError) {
    let isValid = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isValid, !name.isEmpty else { throw .invalidName(name) }
  }

  private static func trapping(_ configure: () throws(FirebaseAppError) -> FirebaseApp) {
    do throws(FirebaseAppError) {
      _ = try configure()
    } catch {
      fatalError(error.message)
    }
  }
}
