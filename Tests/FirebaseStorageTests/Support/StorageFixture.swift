import FirebaseAuth
import FirebaseCore
import FirebaseStorage
import Foundation
import SDKTestSupport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A project of its own on the tests' server, an app in it, and its bucket with the rule of one's own folder.
struct StorageFixture {
  /// Everybody has a folder, and may see what is below `open`.
  static let rules = """
    rules_version = '2';
    service firebase.storage {
      match /b/{bucket}/o {
        match /users/{uid}/{imageId} {
          allow read, write: if request.auth != null && request.auth.uid == uid;
        }
        match /open/{rest=**} { allow read, write; }
      }
    }
    """

  let project = "t-\(UUID().uuidString.lowercased())"
  let app: FirebaseApp
  let storage: Storage
  let auth: Auth
  let clock = StorageTestClock()
  let directory: URL
  private let server: String

  var bucket: String { "\(project).appspot.com" }

  /// An app that goes to the server by way of a proxy, if there are faults.
  init(_ proxy: CuttingProxy? = nil, slice: Int64 = 1 << 20) async throws {
    let server = try BrasaServer.shared.get()
    self.server = server.url
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(project)
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.storageBucket = "\(project).appspot.com"
    options.brasaHost = server.url
    options.stateDirectory = directory
    app = try FirebaseApp.configured(name: project, options: options)
    auth = Auth.auth(app: app)
    storage = Storage(
      app: app,
      bucket: "\(project).appspot.com",
      clock: clock.clock,
      sliceBytes: slice
    )
    if let proxy { storage.useEmulator(withHost: "127.0.0.1", port: proxy.port) }
    storage.callbackQueue = DispatchQueue(label: "callbacks")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    // Development takes a key for a project's only if there is that project.
    try await send("PATCH", "/emulator/v1/projects/\(project)/config", [:])
    try await deploy(Self.rules)
  }

  /// Removes what the test left on the disk, and the app.
  func remove() async throws {
    _ = await app.delete()
    try FileManager.default.removeItem(at: directory)
  }

  /// Makes rules the bucket's.
  func deploy(_ rules: String) async throws {
    let file = ["name": "storage.rules", "content": rules, "resource": bucket]
    try await send("PUT", "/internal/setRules", ["rules": ["files": [file]]])
  }

  private func send(_ method: String, _ path: String, _ body: [String: Any]) async throws {
    guard let url = URL(string: server + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = try JSONSerialization.data(withJSONObject: body)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer owner", forHTTPHeaderField: "Authorization")
    let (_, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
  }

  /// Bytes that differ from each other: the same for the same count.
  static func bytes(_ count: Int) -> Data {
    var state: UInt32 = 42
    return Data(
      (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
      }
    )
  }

  /// Returns the response of a URL to a caller without credentials.
  static func read(_ url: URL) async throws -> (Data, status: Int) {
    let (data, response) = try await URLSession.shared.data(from: url)
    return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
  }
}

/// A clock that goes on only where somebody waits, who does not really.
final class StorageTestClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 0))

  /// The time spent waiting.
  var waited: TimeInterval { time.withLock { $0.timeIntervalSince1970 } }

  var clock: StorageClock {
    StorageClock(
      now: { [self] in time.withLock { $0 } },
      sleep: { [self] seconds in
        try Task.checkCancellation()
        time.withLock { $0 += seconds }
        await Task.yield()
      }
    )
  }
}

/// The number of what a call throws as an error of files; nil where it throws nothing or something else.
func storageFailure(
  isolation: isolated (any Actor)? = #isolation,
  _ call: () async throws -> Void
) async -> StorageErrorCode? {
  do {
    try await call()
    return nil
  } catch {
    let error = error as NSError
    return error.domain == StorageErrorDomain ? StorageErrorCode(rawValue: error.code) : nil
  }
}

/// The events that observers of a task received, in order.
final class TaskLog: Sendable {
  private let seen = Mutex<[StorageTaskStatus]>([])

  var statuses: [StorageTaskStatus] { seen.withLock { $0 } }

  /// Notes every status of a task.
  func follow(_ task: StorageObservableTask) {
    for status in [StorageTaskStatus.resume, .progress, .pause, .success, .failure] {
      task.observe(status) { [self] snapshot in seen.withLock { $0.append(snapshot.status) } }
    }
  }
}

extension StorageObservableTask {
  /// Waits until the task is in a status, or has been when it was observed.
  func wait(for status: StorageTaskStatus) async -> StorageTaskSnapshot {
    let isDone = Mutex(false)
    return await withCheckedContinuation { continuation in
      observe(status) { snapshot in
        let isFirst = isDone.withLock { isDone in
          defer { isDone = true }
          return !isDone
        }
        if isFirst { continuation.resume(returning: snapshot) }
      }
    }
  }
}
