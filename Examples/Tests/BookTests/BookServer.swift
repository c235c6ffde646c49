import ExampleTesting
import Firebase
import Foundation
import RESTClient
import Testing

/// A Brasa of its own in production mode, and the default app of a chapter.
///
/// The project is the book's. A chapter deploys what its text has readers enter at the console.
@MainActor
struct BookServer {
  static let project = "iosbook"
  let brasa: Brasa
  let folder: Folder

  /// Runs a chapter with a new server, as the process's default app.
  static func run(_ chapter: @MainActor @Sendable (BookServer) async throws -> Void) async throws {
    try await withDefaultApp { @MainActor in
      let server = try BookServer()
      let result: Result<Void, any Error>
      do { result = .success(try await chapter(server)) } catch { result = .failure(error) }
      _ = await FirebaseApp.app()?.delete()
      server.brasa.stop()
      server.folder.remove()
      try result.get()
    }
  }

  private init() throws {
    folder = try Folder()
    brasa = Brasa(data: folder.file("brasa"))
    try brasa.start()
    // Section 8.4: the project, and the app in it.
    let app = ["--bundle-id", "br.com.siecola.ios-swiftui-fcm", "--name", "book"]
    try brasa.run(["apps", "create", "ios"] + app + ["--project", Self.project])
  }

  /// The options that the chapter's `GoogleService-Info.plist` would have.
  var options: FirebaseOptions {
    let options = FirebaseOptions(googleAppID: "1:42:linux:b00c", gcmSenderID: "42")
    options.projectID = Self.project
    options.apiKey = Self.project
    options.storageBucket = "\(Self.project).appspot.com"
    options.brasaHost = brasa.url
    options.stateDirectory = folder.file("device")
    return options
  }

  @discardableResult
  func run(_ arguments: String...) async throws -> String {
    try await brasa.output(of: arguments + ["--project", Self.project])
  }

  /// The rules of section 10.4.
  func deployRules() async throws {
    let rules = """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /products/{product} {
            allow create: if request.auth.uid != null;
            allow read, update, delete: if request.auth.uid != null
                && resource.data.userId == request.auth.uid;
          }
        }
      }
      """
    try await run("rules", "deploy", written(rules, "firestore.rules"))
  }

  /// The index of section 10.5.
  func buildIndex() async throws {
    let index = """
      {"indexes": [{"collectionGroup": "products", "queryScope": "COLLECTION", "fields": [
        {"fieldPath": "userId", "order": "ASCENDING"}, {"fieldPath": "name", "order": "ASCENDING"}
      ]}], "fieldOverrides": []}
      """
    try await run("indexes", "apply", written(index, "indexes.json"))
    while try await !run("indexes", "list").contains("READY") { await Task.yield() }
  }

  /// The rules of section 13.2.
  func deployStorageRules() async throws {
    let rules = """
      rules_version = '2';
      service firebase.storage {
        match /b/{bucket}/o {
          match /users/{userId}/{imageId} {
            allow read, write: if request.auth.uid == userId;
          }
        }
      }
      """
    try await run("rules", "deploy", written(rules, "storage.rules"), "--service", "storage")
  }

  /// The names of a person's photos, as the console's page of files lists them.
  func photos(of person: String) async throws -> [String] {
    let prefix = "gs://\(Self.project).appspot.com/users/\(person)/"
    let list = try await brasa.output(of: ["storage", "ls", prefix])
    return list.matches(of: #/users/[^/\s]+/([0-9A-Fa-f-]{36})/#).map { String($0.1) }
  }

  func written(_ text: String, _ name: String) throws -> String {
    let file = folder.file(name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Calls an administrator's API, as the console does.
  func administer(_ method: HTTPMethod, _ path: String, _ body: String) async throws {
    let url = try #require(URL(string: brasa.url))
    let path = "/v2/projects/\(Self.project)/\(path)"
    let reply = try await raw(method, url, path, token: brasa.administrator, body: body)
    #expect(reply.status == 200, "\(reply.text)")
  }

  /// The people that the chapters' accounts of Google stand for.
  func signUp(_ name: String) async throws -> AuthDataResult {
    try await Auth.auth().createUser(withEmail: "\(name)@siecola.com.br", password: name)
  }
}

/// Waits for the completion of one of the book's functions.
@MainActor
func completed(_ body: (@escaping (Bool) -> Void) -> Void) async -> Bool {
  await withCheckedContinuation { continuation in
    body { continuation.resume(returning: $0) }
  }
}
