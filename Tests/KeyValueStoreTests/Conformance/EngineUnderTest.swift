import BaseRuntime
import Foundation
import KeyValuePostgres
import KeyValueRocksDB
import KeyValueStore
import PostgresTestSupport
import Synchronization
import Testing

/// Every engine that has to pass the conformance suite.
enum EngineKind: CaseIterable, CustomTestStringConvertible {
  case memory, rocksDB, postgres

  /// Those that can run here.
  static var allCases: [EngineKind] {
    withMemory + (PostgresServer.isInstalled ? [.postgres] : [])
  }

  /// Those that keep something of what they store in memory.
  static let withMemory: [EngineKind] = [.memory, .rocksDB]

  var testDescription: String {
    switch self {
    case .memory: "memory"
    case .rocksDB: "RocksDB"
    case .postgres: "PostgreSQL"
    }
  }
}

/// One engine's storage over several openings, with a clock set by hand.
final class EngineUnderTest: Sendable {
  let clock: ManualClock
  private let kind: EngineKind
  private let configuration: RocksDBConfiguration
  private let storage = MemoryStorage()
  private let directory = NSTemporaryDirectory() + "brasa-engine-" + UUID().uuidString
  private let schema = "t_" + UUID().uuidString.lowercased().replacing("-", with: "")

  init(
    _ kind: EngineKind,
    now: Int64 = 1_000_000_000,
    configuration: RocksDBConfiguration = .small
  ) {
    self.kind = kind
    self.configuration = configuration
    clock = ManualClock(now)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  func open() throws -> any KeyValueEngine {
    switch kind {
    case .memory: MemoryEngine(storage: storage, clock: clock.clock)
    case .rocksDB:
      try RocksDBEngine(directory: directory, configuration: configuration, clock: clock.clock)
    case .postgres:
      try PostgresEngine(
        .tested(at: PostgresServer.shared.get().address, schema: schema),
        clock: clock.clock
      )
    }
  }

  /// The number of tables in the engine's directory; nil if it has none.
  var tables: Int? {
    get throws {
      guard kind == .rocksDB else { return nil }
      let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      return names.count { $0.hasSuffix(".sst") }
    }
  }

  /// Opens, runs and closes.
  func run<R>(_ body: (any KeyValueEngine) throws -> R) throws -> R {
    let engine = try open()
    let result = try body(engine)
    try engine.close()
    return result
  }
}

extension RocksDBConfiguration {
  /// Small buffers, so that tests meet flushes and several tables.
  static var small: RocksDBConfiguration {
    var configuration = RocksDBConfiguration()
    configuration.blockCacheBytes = 1 << 20
    configuration.writeBufferBytes = 256 << 10
    configuration.blockBytes = 1 << 10
    configuration.groupLimits.leadersLanding = .seconds(60)
    return configuration
  }
}

extension RocksDBConfiguration {
  /// Scores of small tables, of which a dozen readers stay open.
  static var manyTables: RocksDBConfiguration {
    var configuration = RocksDBConfiguration()
    configuration.blockCacheBytes = 1 << 20
    configuration.writeBufferBytes = 64 << 10
    configuration.blockBytes = 16 << 10
    configuration.tableBytes = 64 << 10
    configuration.openFiles = 1
    configuration.compresses = false
    return configuration
  }
}

extension PostgresConfiguration {
  /// A store of a test's own on the run's server.
  ///
  /// Tests that run at the same time share its connections, and
  /// wait for a machine under load.
  static func tested(at address: String, schema: String) -> PostgresConfiguration {
    var configuration = PostgresConfiguration(address: address)
    configuration.schema = schema
    configuration.viewConnections = 12
    configuration.patience = .seconds(600)
    configuration.groupIdleMilliseconds = 60_000
    return configuration
  }
}

/// A clock that moves when told to.
final class ManualClock: Sendable {
  private let time: Mutex<Int64>

  init(_ now: Int64) {
    time = Mutex(now)
  }

  func advance(by microseconds: Int64) {
    time.withLock { $0 += microseconds }
  }

  var clock: MicrosecondClock {
    MicrosecondClock { self.time.withLock { $0 } }
  }
}
