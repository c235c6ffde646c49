import CodableGuideCore
import ExampleTesting
import FirebaseCore
import FirebaseFirestore
import Foundation
import Testing

/// A Brasa of its own with the guide's rules and sample data, in production mode, and apps of people who use it.
@MainActor
struct TestGuide {
  static let project = "codable-guide"
  let brasa: Brasa
  private let folder: Folder
  private static let example = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  init() async throws {
    folder = try Folder()
    brasa = Brasa(data: folder.file("brasa"))
    try brasa.start()
    try brasa.run(["import", Self.example.appending(path: "Data").path, "--project", Self.project])
    try deployRules()
    let reply = try await raw(
      .patch,
      try #require(URL(string: brasa.url)),
      "/v2/projects/\(Self.project)/config?updateMask=signIn.anonymous.enabled",
      token: brasa.administrator,
      body: #"{"signIn":{"anonymous":{"enabled":true}}}"#
    )
    #expect(reply.status == 200)
  }

  /// Deploys the rules of the guide.
  func deployRules() throws {
    try deployRules(Self.example.appending(path: "firestore.rules"))
  }

  /// Deploys rules that let nobody do anything, and so end every listener.
  func closeRules() throws {
    try deployRules(folder.closedRules())
  }

  private func deployRules(_ file: URL) throws {
    try brasa.run(["rules", "deploy", file.path, "--project", Self.project])
  }

  func end() {
    brasa.stop()
    folder.remove()
  }

  /// A new installation of the app.
  func app(_ name: String = UUID().uuidString) throws -> FirebaseApp {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = Self.project
    options.apiKey = Self.project
    options.brasaHost = brasa.url
    options.stateDirectory = folder.file(name)
    return try FirebaseApp.configured(name: name, options: options)
  }

  /// The app of a new person after its start.
  func guide() async throws -> GuideViewModel {
    let guide = GuideViewModel(try app())
    await guide.start()
    return guide
  }

  /// A document's fields as they are stored, read with the rights of the guide's person.
  func document(_ path: String, as guide: GuideViewModel) async throws -> [String: Any] {
    let database = database(of: guide)
    try await database.waitForPendingWrites()
    return try await database.document(path).getDocument(source: .server).data() ?? [:]
  }

  /// Waits until the server has all that the guide wrote.
  func settle(_ guide: GuideViewModel) async throws {
    try await database(of: guide).waitForPendingWrites()
  }

  func database(of guide: GuideViewModel) -> Firestore {
    Firestore.firestore(app: guide.app)
  }

  /// Firestore's code of what a call throws; nil where it succeeds.
  func refusal(_ body: @MainActor () async throws -> Void) async -> FirestoreErrorCode.Code? {
    do {
      try await body()
      return nil
    } catch {
      return FirestoreErrorCode.Code(rawValue: (error as NSError).code)
    }
  }
}

/// Waits until a condition holds; throws where it does not within half a minute.
@MainActor
func until(
  _ condition: @MainActor () -> Bool,
  at location: SourceLocation = #_sourceLocation
) async throws {
  guard await eventually(condition) else { throw TimedOut(location: location) }
}

private struct TimedOut: Error {
  let location: SourceLocation
}
