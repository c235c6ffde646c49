import BaseStatus
import BaseText
import Dispatch
import Foundation
import DocumentCodec
import FirestoreModel
import KeyValueRocksDB
import KeyValueStore
import Synchronization
import Testing

@testable import DocumentStore

/// A store with one database, and beside it what every one of its versions should hold.
final class QueryFixture {
  let store: Databases
  let database: Database
  let id = DatabaseID(project: "demo")
  private(set) var history: [(version: CommitVersion, documents: [ResourcePath: MapValue])] = []
  private let directory: TemporaryDirectory?

  private let missing = Observed()

  final class Observed: Sendable {
    private let entries = Mutex<[String]>([])
    func withLock<R: Sendable>(_ body: (inout sending [String]) -> sending R) -> R {
      entries.withLock(body)
    }
  }

  enum Engine: String, CaseIterable, Sendable {
    case memory
    case rocksDB
  }

  init(_ engine: Engine = .memory, requireIndexes: Bool = false) throws {
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.requireIndexes = requireIndexes
    configuration.maintainsItself = false
    configuration.missingIndexObserver = { [missing] entry in missing.withLock { $0.append(entry) }
    }
    switch engine {
    case .memory:
      directory = nil
      store = try Databases(engine: MemoryEngine(), configuration: configuration)
    case .rocksDB:
      let directory = try TemporaryDirectory()
      self.directory = directory
      let rocks = try RocksDBEngine(directory: directory.path)
      store = try Databases(engine: rocks, configuration: configuration)
    }
    database = try store.database(id)
    history = [(.zero, [:])]
  }

  /// A store on memory that another fixture may have written.
  init(storage: MemoryStorage, configuration: StoreConfiguration) throws {
    directory = nil
    store = try Databases(
      engine: MemoryEngine(storage: storage),
      configuration: configuration
    )
    database = try store.database(id)
    history = [(.zero, [:])]
  }

  deinit {
    store.close()
    try? store.engine.close()
  }

  /// The messages of the log, in order.
  var missingIndexes: [String] { missing.withLock { $0 } }

  /// The documents at the newest version.
  var documents: [ResourcePath: MapValue] { history.last?.documents ?? [:] }

  /// Returns the documents at a version.
  func documents(at version: CommitVersion) -> [ResourcePath: MapValue] {
    history.last { $0.version <= version }?.documents ?? [:]
  }

  /// Sets documents, or deletes them where the fields are nil, in one commit.
  @discardableResult
  func write(_ changes: [(ResourcePath, MapValue?)]) throws -> CommitVersion {
    let writes = try changes.map { path, fields in
      let name = DocumentName(database: id, path: path)
      guard let fields else { return Write(name: name, operation: .delete) }
      let encoded = try DocumentCodec.validate(DocumentFields(encoding: fields).bytes, name: name)
      return Write(name: name, operation: .update(encoded, mask: nil))
    }
    let outcome = try commit(CommitProposal(writes: writes))
    var documents = self.documents
    for (path, fields) in changes { documents[path] = fields }
    history.append((outcome.version, documents))
    return outcome.version
  }

  /// Commits and waits.
  func commit(_ request: CommitProposal) throws -> CommitOutcome {
    let box = Mutex<Result<CommitOutcome, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    database.commit(request) { result in
      box.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    guard let result = box.withLock({ $0 }) else {
      throw ServiceError(.internalError, "no answer")
    }
    return try result.get()
  }

  /// All documents of a query in one pull after the other; if memory alone can tell them, it must
  /// tell the same.
  func run(
    _ query: Query,
    at version: CommitVersion? = nil,
    chunk: () -> Int = { 1_000 },
    between: () throws -> Void = {}
  ) throws -> (records: [DocumentRecord], readTime: CommitVersion, cursor: QueryCursor) {
    let cursor = try database.query(query, consistency: version.map { .at($0) } ?? .latest)
    var records: [DocumentRecord] = []
    let observed = missing.withLock { $0.count }
    let atOnce = try database.query(query, consistency: version.map { .at($0) } ?? .latest)
      .firstInMemory()
    missing.withLock { $0.removeLast($0.count - observed) }
    while true {
      let part = try cursor.next(maxDocuments: chunk())
      records += part.documents
      if part.isDone, let atOnce {
        #expect(atOnce.isDone)
        #expect(atOnce.documents == records)
      }
      if part.isDone { return (records, part.readTime, cursor) }
      try between()
    }
  }
}

/// A directory that goes away with its owner.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/brasa-query-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw KeyValueError(.inputOutput, "no temporary directory")
    }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A path from text, `c/x/d`.
func path(_ text: String) -> ResourcePath {
  ResourcePath(text.split(separator: "/").map { Text(String($0)) })
}

/// Fields from a list.
func fields(_ entries: KeyValuePairs<String, Value>) -> MapValue {
  MapValue(entries.map { MapValue.Entry(key: Text($0.key), value: $0.value) })
}

extension Value {
  static func text(_ text: String) -> Value { .string(Text(text)) }
}
