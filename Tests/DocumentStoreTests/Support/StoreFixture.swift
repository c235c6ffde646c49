import BaseRuntime
import FirestoreModel
import Foundation
import KeyValueRocksDB
import KeyValueStore
import Synchronization

@testable import DocumentStore

/// The engines that every test of behaviour runs on.
enum TestEngineKind: String, CaseIterable, Sendable {
  case memory
  case rocksDB
}

/// A clock that is moved by hand.
final class ManualClock: Sendable {
  private let microseconds: Mutex<Int64>

  init(_ start: Int64 = 1_800_000_000_000_000) { microseconds = Mutex(start) }

  var clock: MicrosecondClock { MicrosecondClock { self.microseconds.withLock { $0 } } }

  func advance(by amount: Int64) { microseconds.withLock { $0 += amount } }
}

/// The data that a store keeps when it closes: a directory of its own or a piece of memory.
final class TestStorage: Sendable {
  let kind: TestEngineKind
  let clock = ManualClock()
  private let memory = MemoryStorage()
  private let directory: String

  init(_ kind: TestEngineKind) {
    self.kind = kind
    directory = NSTemporaryDirectory() + "brasa-store-" + UUID().uuidString
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  func openEngine() throws -> any KeyValueEngine {
    switch kind {
    case .memory: MemoryEngine(storage: memory, clock: clock.clock)
    case .rocksDB: try RocksDBEngine(directory: directory, clock: clock.clock)
    }
  }
}

/// An open store over an engine of its own, maintained by the test.
final class StoreFixture: Sendable {
  let storage: TestStorage
  let engine: any KeyValueEngine
  let store: Databases
  let published: PublishedLog

  static let id = DatabaseID(project: "demo")

  init(
    _ storage: TestStorage,
    configure: (inout StoreConfiguration) -> Void = { _ in }
  ) throws {
    self.storage = storage
    engine = try storage.openEngine()
    var configuration = StoreConfiguration()
    configuration.clock = storage.clock.clock
    configuration.wallClock = storage.clock.clock
    configuration.autoCreateDatabases = true
    configuration.maintainsItself = false
    let log = PublishedLog()
    configuration.commitObserver = log
    configure(&configuration)
    published = log
    store = try Databases(engine: engine, configuration: configuration)
  }

  convenience init(
    _ kind: TestEngineKind = .memory,
    configure: (inout StoreConfiguration) -> Void = { _ in }
  ) throws {
    try self.init(TestStorage(kind), configure: configure)
  }

  var database: Database {
    get throws { try store.database(Self.id) }
  }

  /// Runs every maintenance step that is due.
  func maintain() throws {
    while try store.performMaintenance() {}
  }

  func close() throws {
    store.close()
    try engine.close()
  }
}

/// The calls of a commit observer.
final class PublishedLog: CommitObserver {
  func missedCommits() { misses.add(1, ordering: .relaxed) }

  /// The number of times that commits were made with unknown changes.
  let misses = Atomic(0)

  private let entries = Mutex<[PublishedCommit]>([])
  private let retirements = Mutex<[Incarnation]>([])

  func groupCommitted(through version: CommitVersion, commits: () -> [PublishedCommit]) {
    let new = commits()
    entries.withLock { $0 += new }
  }

  func databaseRetired(_ id: DatabaseID, incarnation: Incarnation) {
    retirements.withLock { $0.append(incarnation) }
  }

  var retired: [Incarnation] { retirements.withLock { $0 } }

  var all: [PublishedCommit] { entries.withLock { $0 } }
}
