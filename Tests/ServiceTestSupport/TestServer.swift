import Access
import AccessTestSupport
import BaseRuntime
import DocumentStore
import KeyValueStore
import ServiceModule
import Synchronization

/// The parts of the program that a service's module needs, over an engine in memory: the module's routes are called
/// without a network, as the gateway calls them.
package final class TestServer: Sendable {
  /// The key of `TestCaller.key`.
  package static let administratorKey = "the-administrator-key"

  /// The service's own engine; documents and rules lie in `databases`.
  package let engine: MemoryEngine
  /// The store of the documents.
  package let databases: Databases
  /// The rules in force.
  package let rules: RulesetStore
  /// Decides on callers, as production does or as development does.
  package let access: AccessControl
  /// The threads on which services block.
  package let threads = EngineThreads(count: 2)
  /// The log.
  package let notes = Notes()
  private let time = TestTime()

  private init(isDevelopment: Bool) throws {
    engine = MemoryEngine(storage: MemoryStorage(), clock: time.clock)
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.requireIndexes = false
    databases = try Databases(engine: MemoryEngine(), configuration: configuration)
    rules = try RulesetStore(
      engine: databases.engine,
      countsCoverage: isDevelopment,
      log: notes.logger
    )
    access = AccessControl(
      mode: isDevelopment
        ? .development : .production(key: AdministratorKey(Self.administratorKey)),
      databases: databases,
      rules: rules,
      verifier: TestVerifier(),
      administrators: TestAdministrators(),
      clock: RequestClock { TestTokens.now * 1_000_000 },
      log: notes.logger
    )
  }

  /// The clock that `advance` moves.
  package var clock: MicrosecondClock { time.clock }

  /// Moves the clock on.
  package func advance(seconds: Int64) { time.advance(seconds: seconds) }

  /// Makes a service's module over a new server and runs a test with its routes.
  package static func run(
    isDevelopment: Bool = false,
    _ module: (TestServer) throws -> ServiceModule,
    test: (TestRoutes, TestServer) async throws -> Void
  ) async throws {
    try await runAll(isDevelopment: isDevelopment, { [try module($0)] }, test: test)
  }

  /// The same with several modules beside each other.
  package static func runAll(
    isDevelopment: Bool = false,
    _ modules: (TestServer) throws -> [ServiceModule],
    test: (TestRoutes, TestServer) async throws -> Void
  ) async throws {
    let server = try TestServer(isDevelopment: isDevelopment)
    defer {
      server.threads.stop()
      server.databases.close()
    }
    try await test(try TestRoutes(modules(server)), server)
  }
}

/// The time that a test says.
private final class TestTime: Sendable {
  private let time = Mutex(TestTokens.now * 1_000_000)

  var clock: MicrosecondClock { MicrosecondClock { [self] in time.withLock { $0 } } }

  func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000_000 } }
}
