import KeyValueStore
import Synchronization

/// What nobody waits for, one bounded step at a time.
///
/// One thread at a time takes a step.
struct Maintenance: Sendable {
  private let eraser: IncarnationEraser
  private let sweep: HistorySweep
  private let answers: AnswerSweep

  init(engine: any KeyValueEngine, configuration: StoreConfiguration) {
    eraser = IncarnationEraser(engine: engine)
    sweep = HistorySweep(configuration: configuration)
    answers = AnswerSweep(configuration: configuration)
  }

  /// Ends late waits and transactions, sweeps some history and kept answers, builds some of an index, deletes some
  /// documents of a bulk deletion, erases some of what was retired.
  ///
  /// Answers whether there is more to do at once.
  func step(_ databases: [Database]) throws -> Bool {
    expire(databases)
    var hasMore = false
    for database in databases where !database.isRetired {
      if try sweep.step(database) { hasMore = true }
      if try answers.step(database) { hasMore = true }
      if try database.performIndexMaintenance() { hasMore = true }
      if try database.performBulkDeletion() { hasMore = true }
    }
    if try eraser.step() { hasMore = true }
    return hasMore
  }

  /// Ends waits and transactions whose time has come; touches memory only.
  func expire(_ databases: [Database]) {
    for database in databases {
      database.locks.expire()
      database.transactions.expire()
    }
  }
}
