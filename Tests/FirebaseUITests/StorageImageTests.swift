import FirebaseCore
import FirebaseUI
import Foundation
import SDKTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Images of a real server by way of the cache, and sign-ins that cannot be finished.
struct StorageImageTests {
  private static func app() async throws -> FirebaseApp {
    let server = try BrasaServer.shared.get()
    let project = "t-\(UUID().uuidString.lowercased())"
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.storageBucket = "\(project).appspot.com"
    options.brasaHost = server.url
    options.stateDirectory = FileManager.default.temporaryDirectory.appendingPathComponent(project)
    let rules = """
      rules_version = '2';
      service firebase.storage { match /b/{bucket}/o { match /open/{rest=**} { allow read, write; } } }
      """
    // Development takes a key for a project's only if there is that project.
    try await send(server.url, "PATCH", "/emulator/v1/projects/\(project)/config", [:])
    let file = ["name": "storage.rules", "content": rules, "resource": "\(project).appspot.com"]
    try await send(server.url, "PUT", "/internal/setRules", ["rules": ["files": [file]]])
    return try FirebaseApp.configured(name: project, options: options)
  }

  private static func send(
    _ server: String,
    _ method: String,
    _ path: String,
    _ body: [String: Any]
  ) async throws {
    var request = URLRequest(url: try #require(URL(string: server + path)))
    request.httpMethod = method
    request.httpBody = try JSONSerialization.data(withJSONObject: body)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer owner", forHTTPHeaderField: "Authorization")
    let (_, response) = try await URLSession.shared.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
  }

  private static func end(_ app: FirebaseApp) async throws {
    _ = await app.delete()
    if let folder = app.options.stateDirectory,
      FileManager.default.fileExists(atPath: folder.path)
    {
      try FileManager.default.removeItem(at: folder)
    }
  }

  @Test func `a photo is downloaded once, and shown when its object is gone`() async throws {
    let app = try await Self.app()
    let folder = try #require(app.options.stateDirectory).path
    let photo = Storage.storage(app: app).reference().child("open/1")
    let bytes = Data((0..<2_000).map { UInt8(truncatingIfNeeded: $0) })
    _ = try await photo.putDataAsync(bytes)
    let loader = StorageImageLoader(
      cache: SDImageCache(namespace: "photos", diskCacheDirectory: folder)
    )
    let first = try await loader.imageData(of: photo)
    #expect(first.data == bytes && first.type == .none)
    try await photo.delete()
    let second = try await loader.imageData(of: photo)
    #expect(second.data == bytes && second.type == .memory)
    let relaunched = StorageImageLoader(
      cache: SDImageCache(namespace: "photos", diskCacheDirectory: folder)
    )
    let third = try await relaunched.imageData(of: photo)
    #expect(third.data == bytes && third.type == .disk)
    try await Self.end(app)
  }

  @Test func `what cannot be loaded is an error and not kept`() async throws {
    let app = try await Self.app()
    let folder = try #require(app.options.stateDirectory).path
    let loader = StorageImageLoader(
      cache: SDImageCache(namespace: "photos", diskCacheDirectory: folder)
    )
    let photo = Storage.storage(app: app).reference().child("open/1")
    #expect(await Self.failure(of: loader, photo) == .objectNotFound)
    _ = try await photo.putDataAsync(Data([1, 2, 3]))
    loader.defaultMaxImageSize = 2
    #expect(await Self.failure(of: loader, photo) == .downloadSizeExceeded)
    loader.defaultMaxImageSize = 3
    #expect(try await loader.imageData(of: photo).data == Data([1, 2, 3]))
    try await Self.end(app)
  }

  private static func failure(
    of loader: StorageImageLoader,
    _ photo: StorageReference
  ) async -> StorageErrorCode? {
    do {
      _ = try await loader.imageData(of: photo)
      return nil
    } catch {
      return StorageErrorCode(rawValue: (error as NSError).code)
    }
  }

  @Test func `an answer without a sign-in is refused, and so is a provider that is not set up`()
    async throws
  {
    let app = try await Self.app()
    let authUI = try #require(FUIAuth(uiWith: Auth.auth(app: app)))
    let back = try #require(URL(string: "http://localhost/back?code=1&state=2"))
    await #expect(throws: FUIAuthErrorCode.noSignInUnderWay) {
      try await authUI.finishSignIn(with: back)
    }
    let code = await Self.beginning(authUI, back)
    #expect(code == .operationNotAllowed)
    #expect(Auth.auth(app: app).currentUser == nil)
    try await Self.end(app)
  }

  private static func beginning(_ authUI: FUIAuth, _ back: URL) async -> AuthErrorCode? {
    do {
      _ = try await authUI.beginSignIn(with: FUIGoogleAuth(), continueURL: back)
      return nil
    } catch {
      return AuthErrorCode(rawValue: (error as NSError).code)
    }
  }
}
