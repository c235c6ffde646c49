import FirebaseCore
import FirebaseInstallations
import FirebaseRemoteConfig
import Foundation
import SDKTestSupport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A project of its own on the tests' server, and an app in it on a device of Brazil.
struct RemoteConfigFixture {
  let project = "t-\(UUID().uuidString.lowercased())"
  let app: FirebaseApp
  let config: RemoteConfig
  let store = MemoryStateStore()
  let clock = MovedClock()
  private let identity = MemoryStateStore()
  private let server: String

  init(country: String? = "BR") throws {
    server = try BrasaServer.shared.get().url
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.brasaHost = server
    app = try FirebaseApp.configured(name: project, options: options)
    config = Self.config(of: app, store, clock, country: country)
  }

  /// The app's parameters as another run of the program has them.
  func restarted() -> RemoteConfig { Self.config(of: app, store, clock, country: "BR") }

  /// The app's parameters where the product for events knows something of the user.
  func config(knowing user: AppUserProperties) -> RemoteConfig {
    Self.config(of: app, MemoryStateStore(), clock, country: "BR", user: user)
  }

  /// The app's parameters with the product for events, in each call as another run of one installation has them.
  func config(
    logging logEvent: @escaping @Sendable (String, [String: String]) -> Void
  ) -> RemoteConfig {
    Self.config(of: app, store, clock, country: "BR", identity: identity, logEvent: logEvent)
  }

  private static func config(
    of app: FirebaseApp,
    _ store: MemoryStateStore,
    _ clock: MovedClock,
    country: String?,
    user: AppUserProperties = AppUserProperties(),
    identity: MemoryStateStore = MemoryStateStore(),
    logEvent: (@Sendable (String, [String: String]) -> Void)? = nil
  ) -> RemoteConfig {
    let config = RemoteConfig(
      app: app,
      store: store,
      installations: Installations(app: app, store: identity),
      device: ConfigDevice(
        country: country,
        language: "pt-BR",
        timeZone: "America/Sao_Paulo",
        platformVersion: "1.0.0",
        appVersion: "2.1",
        appBuild: "7"
      ),
      userProperties: { user },
      logEvent: logEvent,
      now: clock.now,
      sleep: Self.noWait
    )
    config.callbackQueue = DispatchQueue(label: "callbacks")
    return config
  }

  @Sendable
  private static func noWait(_ seconds: TimeInterval) async throws {
    try Task.checkCancellation()
    await Task.yield()
  }

  /// Publishes a template as an administrator.
  func publish(_ template: String) async throws {
    guard let url = URL(string: "\(server)/v1/projects/\(project)/remoteConfig") else {
      throw URLError(.badURL)
    }
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    request.httpBody = Data(template.utf8)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer owner", forHTTPHeaderField: "Authorization")
    request.setValue("*", forHTTPHeaderField: "If-Match")
    let (_, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
  }

  /// Publishes the product's flag: false in Brazil.
  func publishFlag(inBrazil value: String = "false", others: String = "true") async throws {
    try await publish(
      """
      {"conditions": [{"name": "Brazil", "expression": "device.country in ['BR']"}],
       "parameters": {"delete_list_view": {"defaultValue": {"value": "\(others)"},
                      "conditionalValues": {"Brazil": {"value": "\(value)"}}}}}
      """
    )
  }
}

/// Events that were logged, as texts.
final class EventNames: Sendable {
  private let names = Mutex<[String]>([])

  var all: [String] { names.withLock { $0 } }

  @Sendable
  func add(_ name: String, _ parameters: [String: String]) {
    let values = ["experiment_id", "variant_id"].map { parameters[$0] ?? "" }
    names.withLock { $0.append(([name] + values).joined(separator: " ")) }
  }
}

/// State in memory.
final class MemoryStateStore: StateStore {
  private let state = Mutex<Data?>(nil)

  var data: Data? { state.withLock { $0 } }

  func read() throws -> Data? { data }

  func update(_ change: (Data?) throws -> Data?) throws {
    try state.withLock { $0 = try change($0) }
  }
}

/// The machine's clock and what tests added to it.
final class MovedClock: Sendable {
  private let offset = Mutex(0.0)

  var now: @Sendable () -> Date {
    { [self] in Date(timeIntervalSinceNow: offset.withLock { $0 }) }
  }

  func advance(by seconds: Double) { offset.withLock { $0 += seconds } }
}
