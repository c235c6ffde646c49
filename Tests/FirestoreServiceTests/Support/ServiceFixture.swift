import AccessTestSupport
import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire
import KeyValueStore
import Logging
import Realtime

@testable import Access
@testable import FirestoreService

/// A service on a store in memory, spoken to as REST and gRPC speak to it.
final class ServiceFixture: Sendable {
  let databases: Databases
  let service: FirestoreService
  let threads: EngineThreads
  private let listeners: ListenHub?

  static let documents = "projects/p/databases/(default)/documents"
  static let root = "/v1/" + documents

  init(
    _ mode: AccessControl.Mode = .development,
    verifier: (any TokenVerifier)? = nil,
    rules source: String? = nil,
    in database: DatabaseID = DatabaseID(project: "p"),
    threads count: Int = 2,
    engine: any KeyValueEngine = MemoryEngine(),
    cachedBytes: Int? = nil,
    transactions: Int? = nil,
    longestPipeline: Duration = .seconds(60),
    log: Logger = ServiceFixture.silence,
    observer: (any CommitObserver)? = nil,
    listening feed: CommitFeed? = nil
  ) throws {
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.requireIndexes = false
    // A transaction is not over because hundreds of other tests run between two of its calls.
    configuration.transactionIdleTimeout = .max
    configuration.transactionTotalTimeout = .max
    // The store's own work in the background would count among the reads of a test's engine.
    configuration.maintainsItself = false
    if let cachedBytes { configuration.documentCacheBytes = cachedBytes }
    if let transactions { configuration.maximumTransactions = transactions }
    configuration.commitObserver = observer ?? feed
    threads = EngineThreads(count: count)
    databases = try Databases(engine: engine, configuration: configuration)
    listeners = try feed.map { [databases, threads] feed in
      // Nothing happens because time passes.
      var listening = RealtimeConfiguration(clock: MicrosecondClock { 0 })
      listening.tick = 3_600_000_000
      return try ListenHub(databases: databases, feed: feed, configuration: listening) {
        threads.submit($0)
      }
    }
    let rules = try RulesetStore(engine: databases.engine, log: log)
    service = FirestoreService(
      rules: rules,
      access: AccessControl(
        mode: mode,
        databases: databases,
        rules: rules,
        verifier: verifier,
        log: log
      ),
      threads: threads,
      listeners: listeners,
      longestPipeline: longestPipeline,
      log: log
    )
    if let source { try deploy(source, in: database) }
  }

  /// A log that nobody reads.
  static var silence: Logger {
    var log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    log.logLevel = .notice
    return log
  }

  func close() {
    listeners?.stop()
    threads.stop()
    databases.close()
  }

  /// Puts rules in force; the source is what is in `match /databases/{database}/documents`.
  func deploy(_ source: String, in database: DatabaseID = DatabaseID(project: "p")) throws {
    try service.rules.deploy(statements: source, in: database)
  }

  static func context(
    authorization: String? = nil,
    isSecure: Bool = true,
    isLocal: Bool = false,
    network: String = "",
    deadline: ContinuousClock.Instant? = nil,
    cancellation: Cancellation = Cancellation(),
    memory: CallerMemory? = nil,
    account: LedgerAccount? = nil
  ) -> CallContext {
    CallContext(
      requestID: "test",
      authorization: authorization,
      isSecure: isSecure,
      isLocal: isLocal,
      network: network,
      deadline: deadline,
      cancellation: cancellation,
      memory: memory,
      account: account
    )
  }

  /// The answer's JSON; a streaming method's messages one after the other.
  func call(
    _ method: String,
    _ path: String,
    _ body: String = "",
    root: String = ServiceFixture.root,
    context: CallContext = ServiceFixture.context()
  ) async throws -> [String] {
    let parts = path.split(separator: "?", maxSplits: 1)
    let call = try RESTTranscoder().call(
      method: method,
      path: root + parts[0],
      query: parts.count > 1 ? String(parts[1]) : nil,
      body: Array(body.utf8)
    )
    guard let call else { throw ServiceError(.notFound, "no route \(path)") }
    return try await perform(call.method, call.request, context).map {
      String(decoding: try RESTTranscoder().json(of: call.method, response: $0), as: UTF8.self)
    }
  }

  /// The answer's messages.
  func perform(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext
  ) async throws -> [[UInt8]] {
    method.shape == .unary
      ? [try await unary(method, request, context)]
      : try await messages(method, request, context)
  }

  func unary(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext
  ) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      service.unary(method, request: request, context: context) { continuation.resume(with: $0) }
    }
  }

  func messages(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext,
    maxBytes: Int = 1 << 16
  ) async throws -> [[UInt8]] {
    let stream = try await withCheckedThrowingContinuation { continuation in
      service.stream(method, request: request, context: context) { continuation.resume(with: $0) }
    }
    var all: [[UInt8]] = []
    while true {
      let part = try await withCheckedThrowingContinuation { continuation in
        stream.next(maxBytes: maxBytes) { continuation.resume(with: $0) }
      }
      if part.isEmpty { return all }
      all += part
    }
  }

  /// A time that a database can be read at, and that lies in the past.
  func readTime(of database: DatabaseID) throws -> Timestamp {
    try databases.database(database).readTime().timestamp
  }

  func administer(
    _ method: String,
    _ path: String,
    _ body: String = "",
    context: CallContext = ServiceFixture.context()
  ) async throws -> String? {
    let request = AdminRequest.rest(
      method: method,
      path: path,
      query: nil,
      body: Array(body.utf8)
    )
    let answer = try await withCheckedThrowingContinuation { continuation in
      service.administer(request, context: context) { continuation.resume(with: $0) }
    }
    return answer.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Everything that a database holds, one document a line.
  func contents(of database: DatabaseID = DatabaseID(project: "p")) throws -> [String] {
    let cursor = try databases.database(database).query(Query(scope: .descendants))
    return try cursor.next(maxDocuments: 10_000).documents.map {
      "\($0.name.path.string) \($0.updateTime.microseconds) \($0.fields.bytes)"
    }
  }
}
