import BaseRuntime
import BaseStatus
import FirestoreModel
import KeyValueStore
import Synchronization

/// The document databases in one key-value store.
///
/// It owns a thread for work after a wait, and another for maintenance unless `maintainsItself` is
/// off. Any thread may call. `close()` ends it.
package final class Databases: Sendable {
  /// The store, which the caller closes after `close()`.
  package let engine: any KeyValueEngine
  /// The settings that all databases of the store share.
  package let configuration: StoreConfiguration

  let writer: CommitWriter
  private let followUp = FollowUpQueue()
  let catalog: DatabaseCatalog
  private let maintenance: Maintenance
  /// True once the copies that an earlier process left were opened.
  private let hasOpenedCopies = Atomic(false)
  private let ticks = BlockingQueue<Void>()
  private let open = Mutex(OpenDatabases())
  private let threads = Mutex<[StoreThread]>([])

  /// Microseconds between looks for time-outs.
  private static let tick = 50_000
  /// Microseconds between steps while there is more to do at once.
  private static let busyTick = 1_000
  /// Ticks from one look for sweeps and erasing to the next.
  private static let rest = 20

  /// Opens the store over an engine, which stays its caller's to close.
  ///
  /// Refuses a newer format.
  package init(engine: any KeyValueEngine, configuration: StoreConfiguration) throws {
    let engine = DamageObservingEngine(engine) { configuration.damageObserver?($0) }
    var configuration = configuration
    configuration.node = engine.nodeNumber
    self.engine = engine
    self.configuration = configuration
    writer = CommitWriter(engine: engine, configuration: configuration)
    catalog = try DatabaseCatalog(engine: engine)
    maintenance = Maintenance(engine: engine, configuration: configuration)
    let followUp = followUp
    threads.withLock { $0.append(StoreThread { followUp.serve() }) }
    try engine.observeOthers(in: Self.observedRanges) { [weak self] in
      try self?.othersWrote($0, $1)
    }
    if configuration.maintainsItself { startMaintenance() }
  }

  /// The database of that id; made on first use where the configuration says so.
  package func database(_ id: DatabaseID) throws -> Database {
    if let known = openDatabase(id) { return known }
    if createsOnUse(id) { _ = try catalog.create(id) }
    guard let database = try existingDatabase(id) else { throw ServiceError.unknownDatabase(id) }
    return database
  }

  /// The database of that id; nil where there is none, which is not made.
  package func existingDatabase(_ id: DatabaseID) throws -> Database? {
    while true {
      let (known, endings) = open.withLock { ($0.databases[id], $0.endings) }
      if let known { return known }
      guard let incarnation = try catalog.incarnation(of: id) else { return nil }
      if let opened = try opened(id, incarnation, endings: endings) { return opened }
    }
  }

  /// The database of that id where it is open already; never touches the disk.
  package func openDatabase(_ id: DatabaseID) -> Database? { open.withLock { $0.databases[id] } }

  private func createsOnUse(_ id: DatabaseID) -> Bool {
    configuration.autoCreateDatabases
      || (configuration.autoCreateDefaultDatabases && id.isDefault)
  }

  /// Makes a database; refuses an id that is taken or malformed.
  package func createDatabase(_ id: DatabaseID) throws -> Database {
    try id.checkCreatable()
    guard try catalog.create(id).isNew else {
      throw ServiceError(.alreadyExists, "Database already exists: \(id.path)")
    }
    return try database(id)
  }

  /// Protects a database from deletion, or ends that; NOT_FOUND where there is none.
  package func protect(_ id: DatabaseID, _ isProtected: Bool) throws {
    try catalog.protect(id, isProtected)
  }

  /// Keeps a database's history for a week, so that it can be read at any time of it, or for the usual time again.
  ///
  /// History that is gone already does not come back. NOT_FOUND where there is no such database.
  package func recoverPast(_ id: DatabaseID, _ recoversPast: Bool) throws {
    let database = try database(id)
    try catalog.recoverPast(id, recoversPast) { database.setRecoversPast(recoversPast) }
  }

  /// Deletes a database with everything in it; its keys are erased in the background.
  ///
  /// FAILED_PRECONDITION for a protected one.
  package func deleteDatabase(_ id: DatabaseID) throws {
    try catalog.delete(id) {
      retire(id)
    } retired: { incarnation in
      ended(id, incarnation)
    } kept: { incarnation in
      kept(id, incarnation)
    }
  }

  /// Empties a database but for its index definitions, at once and as a whole; its keys are erased
  /// in the background.
  package func clear(_ id: DatabaseID) throws {
    _ = try database(id)
    try catalog.clear(id) {
      retire(id)
    } retired: { incarnation in
      ended(id, incarnation)
    } kept: { incarnation in
      kept(id, incarnation)
    }
  }

  /// A version that holds everything that was durable when this was called, and of whose commits
  /// the commit observer has heard all.
  package func publishedReadTime() throws -> CommitVersion {
    do {
      let time = CommitVersion(microseconds: try engine.read { try $0.readTime() })
      writer.awaitPublication()
      return time
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// Opens every existing database, so that its maintenance is done even without users here.
  package func openAll() throws {
    for listing in try catalog.list(configuration) { _ = try existingDatabase(listing.id) }
  }

  /// Records that the store was restored from a backup: clients may have commits in memory that it
  /// lacks.
  ///
  /// Before any database is open.
  package func noteRestore() throws { try catalog.noteRestore() }

  /// All databases by id.
  package func listDatabases() throws -> [DatabaseListing] { try catalog.list(configuration) }

  /// One step of all background work: time-outs, sweeps, erasing.
  ///
  /// Answers whether there is more to do at once. One thread at a time may call.
  @discardableResult
  package func performMaintenance() throws -> Bool {
    var failure: (any Error)?
    if !hasOpenedCopies.load(ordering: .relaxed) {
      do {
        try openUnfinishedCopies()
        hasOpenedCopies.store(true, ordering: .relaxed)
      } catch {
        failure = error
      }
    }
    let hasMore = try maintenance.step(openDatabases, find: existingDatabase)
    if let failure { throw failure }
    return hasMore
  }

  /// Answers what was handed in, then ends the store's threads.
  ///
  /// No call may follow.
  package func close() {
    for database in openDatabases { database.locks.close() }
    writer.close()
    ticks.close()
    let threads = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    followUp.close()
    for thread in threads { thread.join() }
  }

  /// Notifies the observer of others' commits.
  func tellObserver(_ body: (any CommitObserver) throws -> Void) rethrows {
    if let observer = configuration.commitObserver { try body(observer) }
  }

  var openDatabases: [Database] { open.withLock { Array($0.databases.values) } }

  /// Opens an incarnation; nil where a database has ended since that count, maybe this one.
  private func opened(
    _ id: DatabaseID,
    _ incarnation: Incarnation,
    endings: UInt64
  ) throws -> Database? {
    let services = StoreServices(
      engine: engine,
      configuration: configuration,
      writer: writer,
      followUp: followUp
    )
    let database = try Database(id: id, incarnation: incarnation, store: services)
    return open.withLock { open in
      guard open.endings == endings else { return nil }
      if let known = open.databases[id] { return known }
      open.databases[id] = database
      return database
    }
  }

  /// Called in the body of the write that ends the incarnation: later commits are refused.
  private func retire(_ id: DatabaseID) {
    let database = open.withLock { open in
      open.endings += 1
      return open.databases.removeValue(forKey: id)
    }
    database?.retire()
  }

  /// Notes that another engine has changed the catalog of databases or their definitions: an
  /// opening in progress restarts.
  func noteDefinitionsChanged() { open.withLock { $0.endings += 1 } }

  /// Retires the incarnation when that write is durable: a caller that opened it before holds a
  /// database that has ended.
  func ended(_ id: DatabaseID, _ incarnation: Incarnation) {
    let database = open.withLock { open -> Database? in
      open.endings += 1
      guard open.databases[id]?.incarnation == incarnation else { return nil }
      return open.databases.removeValue(forKey: id)
    }
    database?.retire()
    configuration.commitObserver?.databaseRetired(id, incarnation: incarnation)
  }

  /// Notifies listeners of a retired incarnation when that write failed behind its body: they
  /// restart.
  private func kept(_ id: DatabaseID, _ incarnation: Incarnation) {
    configuration.commitObserver?.databaseRetired(id, incarnation: incarnation)
  }

  private func startMaintenance() {
    let thread = StoreThread { [ticks, weak self] in
      var pause = 0
      while ticks.take(waiting: pause == 0 ? Self.busyTick : Self.tick) != nil {
        guard let self else { return }
        pause = maintain(pause: pause)
      }
    }
    threads.withLock { $0.append(thread) }
  }

  /// Answers for how many ticks the store may rest from all but time-outs.
  private func maintain(pause: Int) -> Int {
    guard pause == 0, !configuration.leavesSweepsToCaller else {
      maintenance.expire(openDatabases)
      return max(pause - 1, configuration.leavesSweepsToCaller ? Self.rest : 0)
    }
    do {
      return try performMaintenance() ? 0 : Self.rest
    } catch {
      configuration.backgroundErrorObserver?(error)
      return Self.rest
    }
  }
}

/// The databases that are open, and how often one has ended.
private struct OpenDatabases {
  var databases: [DatabaseID: Database] = [:]
  /// Counted in the write that ends a database, and again when that is durable.
  var endings: UInt64 = 0
}
