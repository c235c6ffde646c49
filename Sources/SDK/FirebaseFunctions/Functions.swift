import FirebaseCore
import Foundation
import Locking

/// The functions of an app's project in one region.
///
/// May be used from any thread; callbacks come on the main queue.
public final class Functions: NSObject, FirebaseComponent, Sendable {
  /// The region of functions that name none.
  static let defaultRegion = "us-central1"

  private let app: FirebaseApp
  private let region: String
  private let customDomain: String?
  private let emulator = Lock<ServiceAddress?>(nil)

  private init(app: FirebaseApp, region: String, customDomain: String?) {
    self.app = app
    self.region = region
    self.customDomain = customDomain
  }

  /// The default app's functions in `us-central1`; traps before the app is configured.
  public static func functions() -> Functions { functions(app: defaultApp) }

  /// An app's functions in `us-central1`.
  public static func functions(app: FirebaseApp) -> Functions {
    functions(app: app, region: defaultRegion)
  }

  /// The default app's functions in a region.
  public static func functions(region: String) -> Functions {
    functions(app: defaultApp, region: region)
  }

  /// The default app's functions behind an address such as `https://api.example.com`.
  public static func functions(customDomain: String) -> Functions {
    functions(app: defaultApp, customDomain: customDomain)
  }

  /// An app's functions in a region.
  public static func functions(app: FirebaseApp, region: String) -> Functions {
    app.component("FirebaseFunctions \(region)") {
      Functions(app: app, region: region, customDomain: nil)
    }
  }

  /// An app's functions behind an address such as `https://api.example.com`.
  public static func functions(app: FirebaseApp, customDomain: String) -> Functions {
    app.component("FirebaseFunctions \(customDomain)") {
      Functions(app: app, region: defaultRegion, customDomain: customDomain)
    }
  }

  private static var defaultApp: FirebaseApp {
    guard let app = FirebaseApp.app() else {
      fatalError(
        "The default FirebaseApp instance must be configured before the default Functions instance can be "
          + "initialized. Call FirebaseApp.configure() first."
      )
    }
    return app
  }

  /// Nothing is kept for an app.
  package func appWasDeleted() {}

  /// Calls another server, in plain text.
  public func useEmulator(withHost host: String, port: Int) {
    precondition(!host.isEmpty, "Cannot connect to an empty host.")
    let name = host.trimmingCharacters(in: ["[", "]"])
    emulator.withLock { $0 = ServiceAddress(host: name, port: port, isSecure: false) }
  }

  /// The origin of the emulator; nil without one.
  public var emulatorOrigin: String? { emulator.withLock { $0?.url } }

  // MARK: Callables

  /// The callable function of a name.
  public func httpsCallable(_ name: String) -> HTTPSCallable {
    HTTPSCallable(call: CallableRequest(app: app, url: url(of: name)))
  }

  /// The callable function at a URL.
  public func httpsCallable(_ url: URL) -> HTTPSCallable {
    HTTPSCallable(call: CallableRequest(app: app, url: url))
  }

  /// The callable function of a name, with values of types of your own.
  public func httpsCallable<Request: Encodable, Response: Decodable>(
    _ name: String,
    requestAs _: Request.Type = Request.self,
    responseAs _: Response.Type = Response.self,
    encoder: FirebaseDataEncoder = FirebaseDataEncoder(),
    decoder: FirebaseDataDecoder = FirebaseDataDecoder()
  ) -> Callable<Request, Response> {
    Callable(callable: httpsCallable(name), encoder: encoder, decoder: decoder)
  }

  /// The callable function at a URL, with values of types of your own.
  public func httpsCallable<Request: Encodable, Response: Decodable>(
    _ url: URL,
    requestAs _: Request.Type = Request.self,
    responseAs _: Response.Type = Response.self,
    encoder: FirebaseDataEncoder = FirebaseDataEncoder(),
    decoder: FirebaseDataDecoder = FirebaseDataDecoder()
  ) -> Callable<Request, Response> {
    Callable(callable: httpsCallable(url), encoder: encoder, decoder: decoder)
  }

  /// The URL of a function: at the emulator, the custom domain, Brasa, or Google, in this order.
  func url(of name: String) -> URL {
    let project = app.options.projectID ?? ""
    let path = "\(project)/\(region)/\(name)"
    let text: String
    if let emulator = emulatorOrigin {
      text = "\(emulator)/\(path)"
    } else if let customDomain {
      text = customDomain.hasSuffix("/") ? customDomain + name : "\(customDomain)/\(name)"
    } else if let server = app.options.address(of: .functions) {
      text = "\(server.url)/\(path)"
    } else {
      text = "https://\(region)-\(project).cloudfunctions.net/\(name)"
    }
    guard let url = URL(string: text) else {
      preconditionFailure("\(name) is not a valid function name.")
    }
    return url
  }
}
