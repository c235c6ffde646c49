import BaseStatus
import FirestoreModel
import Synchronization

/// Reads that all look at one version: of one call, or as part of a transaction.
///
/// The version is that of the consistency, or is fixed by the first view; a transaction's first
/// view fixes it for the whole transaction. Any thread may call, one at a time.
package final class ConsistentRead: Sendable {
  /// The new transaction of the consistency; clients receive it.
  package let newTransaction: TransactionID?
  private let database: Database
  let transaction: Transaction?
  /// The database from which documents are read.
  var databaseID: DatabaseID { database.id }
  private let version: Mutex<CommitVersion?>
  private let check: WorkCheck?

  init(
    _ database: Database,
    version: CommitVersion?,
    transaction: Transaction?,
    isNew: Bool,
    check: WorkCheck? = nil
  ) {
    self.check = check
    self.database = database
    self.transaction = transaction
    self.version = Mutex(version)
    newTransaction = isNew ? transaction?.id : nil
  }

  /// True if the reads must be recorded.
  package var isTracking: Bool { transaction.map { !$0.isReadOnly } ?? false }

  /// Lends a view at the version; views end with the call and may be opened again and again.
  ///
  /// Throws at once if no caller waits for the result any more.
  package func view<R>(_ body: (ReadView) throws -> R) throws -> R {
    try check?()
    try transaction?.beginCall(database)
    defer { transaction?.endCall(now: database.configuration.clock.now()) }
    while true {
      if let fixed = transaction?.version ?? version.withLock({ $0 }) {
        return try database.read(.at(fixed), check: check, body)
      }
      // Another first read of the transaction may fix a version that this view does not hold.
      let result = try database.read(.now, check: check) { view -> R? in
        guard fix(view.version) == view.version else { return nil }
        return try body(view)
      }
      if let result { return result }
    }
  }

  /// Lends the first view if memory alone can answer its reads in this many steps.
  ///
  /// Otherwise, or with a transaction, nil, and nothing is fixed. For threads that must not block.
  package func viewInMemory<R>(steps: Int, _ body: (ReadView) throws -> R) throws -> R? {
    let odds = database.odds.queries
    guard transaction == nil, version.withLock({ $0 }) == nil, odds.shouldTry() else { return nil }
    let answer = try database.readInMemory(steps: steps) { view in
      let result = try body(view)
      _ = fix(view.version)
      return result
    }
    odds.note(success: answer != nil)
    return answer
  }

  /// Notes something that was read at the version, for the transaction's commit to check.
  package func record(_ read: TrackedRead) throws {
    guard let transaction, !transaction.isReadOnly else { return }
    let limit = database.configuration.maximumTransactionReads
    guard case .document(let path, let version) = read else {
      try transaction.note(read, limit: limit)
      return
    }
    let key = DocumentKey(path, in: database.incarnation)
    try transaction.note(key, version, limit: limit)
    if transaction.isPessimistic {
      database.locks.note([key], by: transaction.owner)
      if !transaction.isOpen { database.locks.release(transaction.owner) }
    }
  }

  private func fix(_ candidate: CommitVersion) -> CommitVersion {
    if let transaction { return transaction.fixVersion(candidate) }
    return version.withLock { version in
      let fixed = version ?? candidate
      version = fixed
      return fixed
    }
  }
}

extension Transaction {
  /// A call begins; throws when the transaction takes none any more.
  func beginCall(_ database: Database) throws(ServiceError) {
    guard beginCall(now: database.configuration.clock.now()) else { throw .transactionOver }
  }
}
