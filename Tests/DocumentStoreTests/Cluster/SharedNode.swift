import FirestoreModel
import Foundation
import KeyValuePostgres
import PostgresTestSupport

@testable import DocumentStore

/// One of several stores over engines that share a PostgreSQL schema, as nodes of a cluster have them.
final class SharedNode: Sendable {
  let engine: PostgresEngine
  let store: Databases
  let published = PublishedLog()

  static let id = DatabaseID(project: "demo")

  /// A name for a schema of a test's own.
  static func schema() -> String {
    "t_" + UUID().uuidString.lowercased().replacing("-", with: "")
  }

  /// A node on the tests' server, or on another way to it.
  init(_ schema: String, at address: String? = nil) throws {
    var shared = PostgresConfiguration(
      address: try address ?? PostgresServer.shared.get().address
    )
    shared.schema = schema
    shared.sharing = .shared
    shared.patience = .seconds(600)
    shared.groupIdleMilliseconds = 60_000
    shared.unloggedFirstBytes = Databases.unobservedFirstBytes
    engine = try PostgresEngine(shared)
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.maintainsItself = false
    configuration.commitObserver = published
    store = try Databases(engine: engine, configuration: configuration)
  }

  /// Returns when memory is current, as before each request of a node.
  func becomeCurrent() async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      engine.whenCurrent { continuation.resume(with: $0) }
    }
  }

  /// The database, for a request that comes now.
  func database() async throws -> Database {
    try await becomeCurrent()
    return try store.database(Self.id)
  }

  func close() throws {
    store.close()
    try engine.close()
  }
}
