import ExampleTesting
import FirebaseCore
import Foundation
import OrderStatusCore
import RESTClient
import SalesCore
import SalesService
import ServiceHost
import Testing

/// A Brasa in production mode, a sales provider that sends through it, and devices with the app.
@MainActor
final class TestOrders {
  static let project = "order-status"
  let brasa: Brasa
  let folder: Folder
  /// The key with which the provider sends.
  let serverKey: String
  private let service: SalesService
  private var port = 0

  init() async throws {
    folder = try Folder()
    brasa = Brasa(data: folder.file("brasa"))
    try brasa.start()
    let project = ["--project", Self.project]
    try brasa.run(["apps", "create", "linux", "--name", "order-status"] + project)
    let made = try brasa.run(["messages", "keys", "create", "shop"] + project)
    serverKey = String(try #require(made.split(separator: "\n").first { $0.hasPrefix("BRSA") }))
    let address = try #require(URL(string: brasa.url))
    service = try await SalesService(
      file: folder.file("shop.sqlite"),
      passwords: PasswordHash(rounds: 16),
      notifier: MessageNotifier(url: address, serverKey: serverKey, timeout: .seconds(60))
    )
  }

  func end() {
    brasa.stop()
    folder.remove()
  }

  /// Runs the provider for the length of `body`; the next time on the same port.
  func withProvider(_ body: @MainActor @Sendable (Shop) async throws -> Void) async throws {
    try await withServer(service.router(), port: port) { url in
      await self.keepPort(of: url)
      try await body(Shop(url: url))
    }
  }

  private func keepPort(of url: URL) { port = url.port ?? 0 }

  /// Starts the app of a device: with the state of its last run, if there was one.
  func launch(_ device: String = UUID().uuidString) throws -> RunningApp {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = Self.project
    options.apiKey = Self.project
    options.brasaHost = brasa.url
    options.stateDirectory = folder.file(device)
    let name = "\(device)-\(folder.url.lastPathComponent)"
    let app = try FirebaseApp.configured(name: name, options: options)
    let model = OrderStatusViewModel(
      app,
      provider: try #require(URL(string: "http://127.0.0.1:\(port)")),
      credentials: ProtectedFile(folder.file("\(device).session")),
      device: ProtectedFile(folder.file("\(device).state"))
    )
    return RunningApp(model, app)
  }

  /// Sends what a test wants to a device as the book does: by the legacy form, with the server key.
  func send(_ body: String) async throws -> RawReply {
    try await raw(
      .post,
      try #require(URL(string: brasa.url)),
      "/fcm/send",
      headers: ["Authorization": "key=\(serverKey)"],
      body: body
    )
  }
}

extension TestOrders {
  /// Waits until a device has said that it has a message.
  func waitUntilTaken(_ messageID: String) async throws {
    let show = ["messages", "show", messageID, "--project", Self.project]
    var deliveries = ""
    while !deliveries.contains("acknowledged") {
      deliveries = try brasa.run(show)
      await Task.yield()
    }
  }
}

extension RawReply {
  /// The id that the legacy form of sending answers.
  var messageID: String {
    get throws {
      let results = try #require(object["results"] as? [[String: Any]], "\(text)")
      return try #require(results.first?["message_id"] as? String, "\(text)")
    }
  }
}

/// The provider of a test.
struct Shop: ShopClient {
  let url: URL
}

/// One run of the app on a device, from its start to its end.
@MainActor
final class RunningApp {
  let model: OrderStatusViewModel
  private let app: FirebaseApp
  private let life: Task<Void, Never>

  init(_ model: OrderStatusViewModel, _ app: FirebaseApp) {
    (self.model, self.app) = (model, app)
    life = Task { await model.run() }
  }

  /// Ends the app; its state stays on the device.
  func quit() async {
    life.cancel()
    await life.value
    _ = await app.delete()
  }

  var status: StatusViewModel { model.status }

  var isSignedIn: Bool {
    if case .status = model.screen { true } else { false }
  }

  /// Signs in at the provider, and waits until the provider knows the device; returns its token.
  @discardableResult
  func signIn(_ email: String, _ password: String = "segredo") async throws -> String {
    guard case .signIn(let screen) = model.screen else {
      Issue.record("somebody is signed in")
      return ""
    }
    (screen.email, screen.password) = (email, password)
    await model.signIn()
    #expect(screen.error == nil)
    #expect(await isRegistered())
    return try #require(status.token)
  }

  /// Returns true if the provider knows the device, or does within half a minute.
  func isRegistered() async -> Bool { await eventually { self.status.token != nil } }

  /// Returns true if the lines are those of a message, or are within half a minute.
  func shows(_ messageID: String) async -> Bool {
    await eventually { self.lines?.first == messageID }
  }

  /// Returns true if there are lines, or are within half a minute.
  func showsLines() async -> Bool { await eventually { self.lines != nil } }

  /// The five lines as a person reads them; nil where there are none.
  var lines: [String]? {
    status.update.map { [$0.messageID, $0.reason, "\($0.orderID)", $0.status, $0.email] }
  }
}
