import FirebaseAuth
import FirebaseFirestore
import Foundation
import SDKTestSupport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A project of its own on the tests' server, and clients of its database.
struct LiveFixture {
  let project = "f-\(UUID().uuidString.lowercased())"
  let server: BrasaServer
  let app: FirebaseApp
  let firestore: Firestore

  init() throws {
    server = try BrasaServer.shared.get()
    app = try Self.app(project, server)
    firestore = Self.firestore(of: app)
  }

  /// Another client of the same database.
  func otherClient() throws -> Firestore { Self.firestore(of: try Self.app(project, server)) }

  private static func app(_ project: String, _ server: BrasaServer) throws -> FirebaseApp {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = project
    options.apiKey = project
    options.brasaHost = server.url
    options.stateDirectory = FileManager.default.temporaryDirectory
      .appendingPathComponent("sdk-\(UUID().uuidString)")
    return try FirebaseApp.configured(name: "app-\(UUID().uuidString)", options: options)
  }

  static func firestore(of app: FirebaseApp, database: String = "(default)") -> Firestore {
    let firestore = Firestore.firestore(app: app, database: database)
    let settings = firestore.settings
    settings.dispatchQueue = DispatchQueue(label: "callbacks")
    firestore.settings = settings
    return firestore
  }
}

/// The values that callbacks received, in order.
final class Recorder<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var reader: CheckedContinuation<Value, Never>?
  }

  private let state = Mutex(State())

  func record(_ value: Value) {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      if state.reader == nil { state.values.append(value) }
      return state.reader
    }
    reader?.resume(returning: value)
  }

  /// The first value that nobody took; waits for one.
  func next() async -> Value {
    await withCheckedContinuation { continuation in
      let ready: Value? = state.withLock { state in
        guard state.values.isEmpty else { return state.values.removeFirst() }
        state.reader = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// The first value that passes; those before it are dropped.
  func first(where passes: @Sendable (Value) -> Bool) async -> Value {
    while true {
      let value = await next()
      if passes(value) { return value }
    }
  }

  /// The values that were received and not taken.
  var rest: [Value] { state.withLock { $0.values } }
}

/// A listener's snapshot of a query's results.
struct Told: Sendable, Equatable, CustomStringConvertible {
  var ids: [String]
  var changes: [String] = []
  var isFromCache = false
  var hasPendingWrites = false

  init(_ snapshot: QuerySnapshot) {
    ids = snapshot.documents.map(\.documentID)
    changes = snapshot.documentChanges.map { "\($0.type) \($0.document.documentID)" }
    isFromCache = snapshot.metadata.isFromCache
    hasPendingWrites = snapshot.metadata.hasPendingWrites
  }

  var description: String {
    "\(ids) \(changes)\(isFromCache ? " cache" : "")\(hasPendingWrites ? " pending" : "")"
  }
}

/// The code of Firestore's error that a call throws; nil where it throws nothing or something else.
func firestoreFailure(
  isolation: isolated (any Actor)? = #isolation,
  _ call: () async throws -> Void
) async -> (code: FirestoreErrorCode.Code, message: String)? {
  do {
    try await call()
    return nil
  } catch {
    let error = error as NSError
    guard error.domain == FirestoreErrorDomain else { return nil }
    return (FirestoreErrorCode.Code(rawValue: error.code) ?? .OK, error.localizedDescription)
  }
}
