import AccessTestSupport
import DocumentStore
import FirestoreModel
import KeyValueStore
import Logging
import SecurityRules

@testable import Access

/// Access control over a store in memory that makes databases on first use.
struct AccessFixture {
  let databases: Databases
  let rules: RulesetStore
  let access: AccessControl

  init(
    _ mode: AccessControl.Mode,
    verifier: (any TokenVerifier)? = nil,
    overwriting: RulesMethod = .create,
    accountCheckInterval: Duration = .seconds(60),
    log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  ) throws {
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    databases = try Databases(engine: MemoryEngine(), configuration: configuration)
    rules = try RulesetStore(engine: databases.engine, log: log)
    access = AccessControl(
      mode: mode,
      databases: databases,
      rules: rules,
      verifier: verifier,
      overwriting: overwriting,
      accountCheckInterval: accountCheckInterval,
      log: log
    )
  }

  func close() { databases.close() }

  /// The databases that there are.
  func existing() throws -> [DatabaseID] { try databases.listDatabases().map(\.id) }
}
