import FirestoreModel
import KeyValueStore
import Synchronization

/// One life of a database: what its readers, transactions and commits share.
///
/// Clearing or deleting the database retires the object; a new life is a new object. Any thread may
/// call. The rest is in extensions: `Document/` reads, `Commit/` writes, `Transaction/`, `Query/`,
/// `List/`, `Index/`.
package final class Database: Sendable {
  /// The project's and the database's ids; a later life has the same.
  package let id: DatabaseID
  /// The number of this life in the store's keys.
  package let incarnation: Incarnation
  /// The time at which the database was created; together with the incarnation no other life of any
  /// database, in another store either, has it.
  package let createTime: CommitVersion
  /// The version at which the store was restored from a backup; zero where it never was.
  ///
  /// Clients that come with an earlier one may have seen commits that the store has not.
  package let restoreVersion: CommitVersion
  /// The store that holds this and other databases.
  package let engine: any KeyValueEngine
  /// The settings that all databases of the store share.
  package let configuration: StoreConfiguration
  /// The index definitions and their states.
  package let indexes: IndexCatalog
  /// The queries' uses of the indexes.
  let uses: IndexUses

  let writer: CommitWriter
  let locks: DocumentLocks
  let transactions: TransactionTable
  let directory: CollectionDirectory
  let historyBudget: HistoryBudget
  /// The odds that asking memory first pays off, by kind of request.
  let odds = (gets: MemoryOdds(), queries: MemoryOdds(), commits: MemoryOdds())
  /// The time of the next look for documents whose time to live is over, by the clock of waiting.
  let expiryDue = Atomic<Int64>(0)
  /// True while the copy that makes this database may not have ended.
  let isCopying = Atomic(true)
  /// False once it is known that no copy or restore fills this database.
  let mayBeFilled = Atomic(true)
  private let retired = Atomic(false)
  private let recovery: Atomic<Bool>
  private let floor: Atomic<Int64>

  init(id: DatabaseID, incarnation: Incarnation, store: StoreServices) throws {
    self.id = id
    self.incarnation = incarnation
    engine = store.engine
    configuration = store.configuration
    writer = store.writer
    locks = DocumentLocks(
      clock: configuration.clock,
      timeout: configuration.lockTimeout,
      followUp: store.followUp
    )
    transactions = TransactionTable(configuration: configuration, locks: locks)
    uses = IndexUses(clock: configuration.wallClock)
    directory = CollectionDirectory(incarnation: incarnation)
    historyBudget = HistoryBudget(incarnation: incarnation)
    let floor: CommitVersion
    let recoversPast: Bool
    (createTime, indexes, floor, recoversPast, restoreVersion) = try engine.read { reader in
      (
        try DatabaseCatalog.createTime(of: id, in: reader) ?? .zero,
        try IndexCatalog(incarnation: incarnation, databaseID: id, reader: reader),
        try HistoryFloor.read(incarnation, in: reader),
        try DatabaseCatalog.recoversPast(id, in: reader),
        try DatabaseCatalog.restoreVersion(in: reader)
      )
    }
    recovery = Atomic(recoversPast)
    self.floor = Atomic(floor.microseconds)
  }

  /// True if the database was cleared or deleted since this object was made.
  package var isRetired: Bool { retired.load(ordering: .sequentiallyConsistent) }

  /// True where history is kept for a week.
  package var recoversPast: Bool { recovery.load(ordering: .relaxed) }

  /// The age of the oldest readable version, in microseconds.
  package var retention: Int64 { configuration.retention(recoversPast: recoversPast) }

  /// Called when the catalog says so.
  func setRecoversPast(_ recoversPast: Bool) { recovery.store(recoversPast, ordering: .relaxed) }

  /// Called in the body of the group that retires the incarnation.
  func retire() { retired.store(true, ordering: .sequentiallyConsistent) }

  /// Below this version history may be gone.
  package var historyFloor: CommitVersion {
    CommitVersion(microseconds: floor.load(ordering: .sequentiallyConsistent))
  }

  /// Called before history below the version is removed.
  func raiseHistoryFloor(to version: CommitVersion) {
    floor.max(version.microseconds, ordering: .sequentiallyConsistent)
  }

  /// Drops the possible changes of a failed group from memory.
  func forgetGroup() {
    directory.forget()
    historyBudget.forget()
  }
}

/// The services that all databases of one store share.
struct StoreServices: Sendable {
  let engine: any KeyValueEngine
  let configuration: StoreConfiguration
  let writer: CommitWriter
  let followUp: FollowUpQueue
}
