import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import KeyValueRocksDB
import KeyValueStore
import Synchronization

@testable import Realtime

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A hub on a store, stepped by the test: nothing happens between two steps.
final class HubFixture {
  static let id = DatabaseID(project: "demo")

  let engine: any KeyValueEngine
  let databases: Databases
  let hub: ListenHub
  let feed: CommitFeed
  let time: ManualTime
  private let jobs = HeldJobs()

  init(
    engine: any KeyValueEngine = MemoryEngine(),
    feedBytes: Int = 64 << 20,
    feedAccount: LedgerAccount? = nil,
    configure: (inout RealtimeConfiguration) -> Void = { _ in },
    store: (inout StoreConfiguration) -> Void = { _ in }
  ) throws {
    let feed = CommitFeed(maximumBytes: feedBytes, account: feedAccount)
    self.feed = feed
    time = ManualTime()
    var stored = StoreConfiguration()
    stored.autoCreateDatabases = true
    stored.requireIndexes = false
    stored.maintainsItself = false
    stored.commitObserver = feed
    store(&stored)
    self.engine = engine
    databases = try Databases(engine: engine, configuration: stored)
    var configuration = RealtimeConfiguration(clock: time.clock)
    configuration.runsItself = false
    configure(&configuration)
    hub = try ListenHub(
      databases: databases,
      feed: feed,
      configuration: configuration,
      submit: { [jobs] job in
        if !jobs.hold(job) { job() }
        return true
      }
    )
  }

  /// Keeps what engine threads would do from now on.
  func holdJobs() { jobs.begin() }

  /// Does what was kept, and everything later at once.
  func releaseJobs() { for job in jobs.end() { job() } }

  func client(
    database: DatabaseID = HubFixture.id,
    authority: any ListenJudge = OpenAuthority(),
    account: LedgerAccount? = nil
  ) -> TestClient {
    TestClient(
      hub: hub,
      database: database,
      authority: FixtureAuthority(databases: databases, judge: authority),
      account: account
    )
  }

  /// Commits and returns the version.
  @discardableResult
  func commit(_ writes: Write..., in id: DatabaseID = HubFixture.id) async throws -> CommitVersion {
    try await commit(writes, in: id)
  }

  @discardableResult
  func commit(_ writes: [Write], in id: DatabaseID = HubFixture.id) async throws -> CommitVersion {
    let database = try databases.database(id)
    return try await withCheckedThrowingContinuation { continuation in
      database.commit(CommitProposal(writes: writes)) {
        continuation.resume(with: $0.map(\.version))
      }
    }
  }

  /// Lets the hub do everything that it has to do.
  func settle() { while hub.step() {} }

  /// Moves the clock and lets the hub do what is due.
  func pass(_ seconds: Int64) {
    time.advance(seconds * 1_000_000)
    hub.lookAtClock()
    settle()
  }

  func close() throws {
    hub.stop()
    databases.close()
    try engine.close()
  }
}

/// The work of engine threads, while a test holds it.
private final class HeldJobs: Sendable {
  private let jobs = Mutex<[@Sendable () -> Void]?>(nil)

  func begin() { jobs.withLock { $0 = [] } }

  /// Keeps a job; false where it is to be done at once.
  func hold(_ job: @escaping @Sendable () -> Void) -> Bool {
    jobs.withLock { jobs in
      guard jobs != nil else { return false }
      jobs?.append(job)
      return true
    }
  }

  func end() -> [@Sendable () -> Void] {
    jobs.withLock { jobs in
      defer { jobs = nil }
      return jobs ?? []
    }
  }
}

/// A clock that goes when the test says so.
final class ManualTime: Sendable {
  private let now: Atomic<Int64>

  init(startingAt start: Int64 = 1_000_000_000) { now = Atomic(start) }

  var clock: MicrosecondClock { MicrosecondClock { self.now.load(ordering: .relaxed) } }

  func advance(_ microseconds: Int64) { now.wrappingAdd(microseconds, ordering: .relaxed) }
}

/// Decides who may listen to what.
protocol ListenJudge: AnyObject, Sendable {
  /// True if it decides on the hub's thread; otherwise an engine thread has to ask it.
  var answersFromMemory: Bool { get }

  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision

  func checkCredentials() throws(ServiceError)
}

extension ListenJudge {
  var answersFromMemory: Bool { true }
}

/// A judge's decisions on the databases of a fixture.
final class FixtureAuthority: ListenAuthority {
  private let databases: Databases
  private let judge: any ListenJudge

  init(databases: Databases, judge: any ListenJudge) {
    self.databases = databases
    self.judge = judge
  }

  func database(_ id: DatabaseID) throws -> Database { try databases.database(id) }

  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision {
    try judge.decide(subject, in: database, at: version)
  }

  func decideInMemory(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision? {
    guard judge.answersFromMemory else { return nil }
    return try judge.decide(subject, in: database, at: version)
  }

  func checkCredentials() throws(ServiceError) { try judge.checkCredentials() }
}

/// Lets everybody listen to everything.
final class OpenAuthority: ListenJudge {
  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision { .unconditional }

  func checkCredentials() throws(ServiceError) {}
}

/// A directory that goes away with the object.
final class Scratch {
  let path: String

  init() {
    var template = Array("/tmp/brasa-realtime-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("no scratch directory") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    let remove = "rm -rf '\(path)'"
    _ = system(remove)
  }
}
