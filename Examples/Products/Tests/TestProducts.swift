import ExampleTesting
import FirebaseCore
import FirebaseFirestore
import FirebaseStorage
import FirebaseUI
import Foundation
import ProductsCore
import ProductsProvider
import Testing

/// A Brasa of its own with what the app deploys, in production mode over TLS, and installations of the app.
@MainActor
struct TestProducts {
  static let project = "products"
  let brasa: Brasa
  let folder: Folder

  /// The provider's certificate, whose authority the server trusts; the server's own too, where the app trusts it.
  static let certificates = Result {
    if let trusted = Brasa.trustedCertificates { return trusted }
    let folder = try Folder()
    try Brasa.makeCertificates(in: folder.url)
    return folder.url
  }

  /// - Parameter own: The folder of the server's certificate in place of the one that the app trusts.
  init(certificates own: URL? = nil) async throws {
    let certificates = try Self.certificates.get()
    folder = try Folder()
    brasa = Brasa(
      data: folder.file("brasa"),
      environment: [
        "BRASA_OUTBOUND_PRIVATE": "true",
        "BRASA_OUTBOUND_CA": certificates.appending(path: "authority.pem").path,
      ],
      certificates: own ?? Brasa.trustedCertificates
    )
    try brasa.start()
    try deploy()
    try await waitForIndexes()
  }

  /// Indexes are built in the background; a query that comes before is refused.
  private func waitForIndexes() async throws {
    let list = ["indexes", "list", "--project", Self.project]
    try await until { try brasa.run(list).contains("READY") }
  }

  private func file(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: name).path
  }

  /// Deploys the documents' rules: the app's, or a file of the test's.
  func deployRules(_ other: URL? = nil) throws {
    let rules = other?.path ?? file("firestore.rules")
    try brasa.run(["rules", "deploy", rules, "--project", Self.project])
  }

  /// Deploys the photos' rules: the app's, or a file of the test's.
  func deployStorageRules(_ other: URL? = nil) throws {
    let rules = other?.path ?? file("storage.rules")
    let service = ["--service", "storage", "--project", Self.project]
    try brasa.run(["rules", "deploy", rules] + service)
  }

  private func deploy() throws {
    let project = ["--project", Self.project]
    try deployRules()
    try deployStorageRules()
    try brasa.run(["indexes", "apply", file("firestore.indexes.json")] + project)
    try brasa.run(["config", "publish", file("remoteconfig.template.json")] + project)
  }

  func end() {
    brasa.stop()
    folder.remove()
  }

  /// Starts the app of a device: with the state of its last run, if there was one.
  func launch(
    _ device: String = UUID().uuidString,
    fetchInterval: TimeInterval = 60,
    clock: any Clock<Duration> = ContinuousClock()
  ) throws -> RunningApp {
    let app = try FirebaseApp.configured(
      name: "\(device)-\(folder.url.lastPathComponent)",
      options: options(device)
    )
    let services = try ProductServices(
      app,
      providers: {
        [
          FUIOAuth(
            authUI: $0,
            providerID: "oidc.trial",
            buttonLabelText: "Trial",
            shortName: "Trial"
          )
        ]
      },
      fetchInterval: fetchInterval,
      uploadPatience: 1,
      clock: clock
    )
    return RunningApp(ProductsViewModel(services))
  }

  func options(_ device: String) -> FirebaseOptions {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = Self.project
    options.apiKey = Self.project
    options.storageBucket = "\(Self.project).appspot.com"
    options.brasaHost = brasa.url
    options.stateDirectory = folder.file(device)
    return options
  }

  /// The photos of a person, as the server's administrator sees them.
  func photos(of person: String) async throws -> [String] {
    let prefix = "gs://\(Self.project).appspot.com/users/\(person)/"
    let list = try await brasa.output(of: ["storage", "ls", prefix])
    return list.matches(of: #/users/[^/\s]+/([0-9A-F-]{36})/#).map { String($0.1) }.sorted()
  }
}

/// One run of the app on a device, from its start to its end.
@MainActor
final class RunningApp {
  let model: ProductsViewModel
  private let life: Task<Void, Never>

  init(_ model: ProductsViewModel) {
    self.model = model
    life = Task { await model.run() }
  }

  /// Ends the app; its state stays on the device.
  func quit() async {
    life.cancel()
    await life.value
    _ = await model.app.delete()
  }

  var database: Firestore { Firestore.firestore(app: model.app) }
  var storage: Storage { Storage.storage(app: model.app) }

  /// The open list; nil where nobody is signed in.
  var list: ProductListViewModel? {
    if case .list(let list) = model.screen { return list }
    return nil
  }

  /// The login; nil where somebody is signed in.
  var signIn: SignInViewModel? {
    if case .signIn(let signIn) = model.screen { return signIn }
    return nil
  }

  /// Makes an account, and waits for its list.
  func signUp(_ name: String) async throws -> ProductListViewModel {
    try await until { self.signIn != nil }
    let signIn = try #require(signIn)
    signIn.email = "\(name)@example.com"
    await signIn.createAccount(password: "correct horse")
    #expect(signIn.error == nil)
    return try await shownList()
  }

  /// Signs in as somebody who has an account, and waits for the list.
  func logIn(_ name: String) async throws -> ProductListViewModel {
    try await until { self.signIn != nil }
    let signIn = try #require(signIn)
    signIn.email = "\(name)@example.com"
    await signIn.signIn(password: "correct horse")
    #expect(signIn.error == nil)
    return try await shownList()
  }

  /// Waits for the list and its first snapshot.
  func shownList() async throws -> ProductListViewModel {
    try await until { self.list?.products != nil || self.list?.stopped != nil }
    let list = try #require(list)
    #expect(list.error == nil && list.stopped == nil)
    return list
  }
}

extension ProductListViewModel {
  /// Stores a new product by the form.
  func add(_ name: String, code: String, price: String = "1.5", photo: Data? = nil) async throws {
    beginProduct()
    let form = try #require(form)
    (form.draft.name, form.draft.code, form.draft.price) = (name, code, price)
    if let photo { form.choose(photo) }
    await saveForm()
  }

  var names: [String]? { products?.map(\.name) }

  func id(of name: String) throws -> String {
    try #require(products?.first { $0.name == name }?.id)
  }

  func imageId(of name: String) -> String? {
    products?.first { $0.name == name }?.imageId
  }
}

/// Bytes that begin as a JPEG picture does.
func picture(_ byte: UInt8, count: Int = 5_000) -> Data {
  Data([0xff, 0xd8, 0xff]) + Data(repeating: byte, count: count)
}

/// Waits until a condition holds; throws where it does not within half a minute.
@MainActor
func until(
  _ condition: @MainActor () async throws -> Bool,
  at location: SourceLocation = #_sourceLocation
) async throws {
  let deadline = ContinuousClock.now + .seconds(30)
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw TimedOut(location: location) }
    await Task.yield()
  }
}

private struct TimedOut: Error {
  let location: SourceLocation
}
