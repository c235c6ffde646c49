import FirestoreModel
import KeyValueStore
import Synchronization

/// The store's background work, one bounded step at a time.
///
/// One thread at a time takes a step.
struct Maintenance: Sendable {
  private let eraser: IncarnationEraser
  private let sweep: HistorySweep
  private let answers: AnswerSweep
  private let configuration: StoreConfiguration

  /// Microseconds between two looks for documents whose time to live is over, where the last one found no more.
  private static let expiryPause: Int64 = 10_000_000

  init(engine: any KeyValueEngine, configuration: StoreConfiguration) {
    self.configuration = configuration
    eraser = IncarnationEraser(engine: engine)
    sweep = HistorySweep(configuration: configuration)
    answers = AnswerSweep(configuration: configuration)
  }

  /// Does one step of maintenance: ends late waits and transactions, sweeps some history and kept
  /// answers, and builds part of an index.
  ///
  /// It deletes some documents of a bulk deletion and some with an expired time to live, copies
  /// part of a database, and erases part of the retired data.
  ///
  /// Answers whether there is more to do at once. A failure keeps neither other databases nor other work waiting; the first one
  /// is thrown when all had their step.
  func step(
    _ databases: [Database],
    find: (DatabaseID) throws -> Database?
  ) throws -> Bool {
    expire(databases)
    var hasMore = false
    var failure: (any Error)?
    func attempt(_ work: () throws -> Bool) {
      do {
        if try work() { hasMore = true }
      } catch {
        failure = failure ?? error
      }
    }
    for database in databases where !database.isRetired {
      attempt { try sweep.step(database) }
      attempt { try answers.step(database) }
      attempt { try database.performIndexMaintenance() }
      attempt { try database.performBulkDeletion() }
      attempt { try deleteExpired(in: database) }
      attempt { try database.performCopy(find) }
    }
    attempt { try eraser.step() }
    if let failure { throw failure }
    return hasMore
  }

  private func deleteExpired(in database: Database) throws -> Bool {
    let now = configuration.clock.now()
    guard database.expiryDue.load(ordering: .relaxed) <= now else { return false }
    if try Expiry(database: database).step(now: configuration.wallClock.now()) { return true }
    database.expiryDue.store(now + Self.expiryPause, ordering: .relaxed)
    return false
  }

  /// Ends waits and transactions whose time has come; touches memory only.
  func expire(_ databases: [Database]) {
    for database in databases {
      database.locks.expire()
      database.transactions.expire()
    }
  }
}
