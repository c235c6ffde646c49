import FirestoreModel
import KeyValueStore
import Synchronization

/// The document databases in one key-value store.
///
/// It owns two threads, the writer's and the one for what goes on after a wait, and a third for
/// maintenance unless `maintainsItself` is off. Any thread may call. `close()` ends it.
package final class Databases: Sendable {
  package let engine: any KeyValueEngine
  package let configuration: StoreConfiguration

  private let writer: CommitWriter
  private let followUp = FollowUpQueue()
  private let catalog: DatabaseCatalog
  private let maintenance: Maintenance
  private let ticks = BlockingQueue<Void>()
  private let open = Mutex<[DatabaseID: Database]>([:])
  /// Held while a database begins or ends, so that nobody opens what is about to end.
  private let lifecycle = Mutex(())
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
    self.engine = engine
    self.configuration = configuration
    writer = CommitWriter(engine: engine, configuration: configuration)
    catalog = try DatabaseCatalog(engine: engine)
    maintenance = Maintenance(engine: engine, configuration: configuration)
    let (writer, followUp) = (writer, followUp)
    threads.withLock {
      $0.append(StoreThread { writer.serve() })
      $0.append(StoreThread { followUp.serve() })
    }
    if configuration.maintainsItself { startMaintenance() }
  }

  /// The database of that id; made on first use where the configuration says so.
  package func database(_ id: DatabaseID) throws -> Database {
    if let known = open.withLock({ $0[id] }) { return known }
    return try lifecycle.withLock { _ in
      if let known = open.withLock({ $0[id] }) { return known }
      if createsOnUse(id) { _ = try catalog.create(id) }
      guard let incarnation = try catalog.incarnation(of: id) else {
        throw FirestoreError.unknownDatabase(id)
      }
      return try opened(id, incarnation)
    }
  }

  /// The database of that id; nil where there is none, which is not made.
  package func existingDatabase(_ id: DatabaseID) throws -> Database? {
    if let known = open.withLock({ $0[id] }) { return known }
    return try lifecycle.withLock { _ in
      if let known = open.withLock({ $0[id] }) { return known }
      return try catalog.incarnation(of: id).map { try opened(id, $0) }
    }
  }

  /// The database of that id where it is open already; never touches the disk.
  package func openDatabase(_ id: DatabaseID) -> Database? { open.withLock { $0[id] } }

  private func createsOnUse(_ id: DatabaseID) -> Bool {
    configuration.autoCreateDatabases
      || (configuration.autoCreateDefaultDatabases && id.isDefault)
  }

  /// Makes a database; refuses an id that is taken or malformed.
  package func createDatabase(_ id: DatabaseID) throws -> Database {
    try id.checkCreatable()
    return try lifecycle.withLock { _ in
      let (incarnation, isNew) = try catalog.create(id)
      guard isNew else {
        throw FirestoreError(.alreadyExists, "Database already exists: \(id.path)")
      }
      return try opened(id, incarnation)
    }
  }

  /// Deletes a database with everything in it; its keys are erased in the background.
  package func deleteDatabase(_ id: DatabaseID) throws {
    try lifecycle.withLock { _ in
      let ended = try catalog.delete(id) { retire(id) }
      configuration.commitObserver?.databaseRetired(id, incarnation: ended)
    }
  }

  /// Empties a database but for its index definitions, at once and as a whole; its keys are erased
  /// in the background.
  package func clear(_ id: DatabaseID) throws {
    _ = try database(id)
    try lifecycle.withLock { _ in
      let ended = try catalog.clear(id) { retire(id) }
      configuration.commitObserver?.databaseRetired(id, incarnation: ended)
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
      throw FirestoreError.storage(error)
    }
  }

  /// All databases by id.
  package func listDatabases() throws -> [DatabaseListing] { try catalog.list() }

  /// One step of everything that nobody waits for: time-outs, sweeps, erasing.
  ///
  /// Answers whether there is more to do at once.
  @discardableResult
  package func performMaintenance() throws -> Bool {
    try maintenance.step(Array(open.withLock { $0.values }))
  }

  /// Answers what was handed in, then ends the store's threads.
  ///
  /// No call may follow.
  package func close() {
    for database in open.withLock({ Array($0.values) }) { database.locks.close() }
    writer.close()
    ticks.close()
    let threads = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    threads.first?.join()
    followUp.close()
    for thread in threads.dropFirst() { thread.join() }
  }

  private func opened(_ id: DatabaseID, _ incarnation: Incarnation) throws -> Database {
    let services = StoreServices(
      engine: engine,
      configuration: configuration,
      writer: writer,
      followUp: followUp
    )
    let database = try Database(id: id, incarnation: incarnation, store: services)
    open.withLock { $0[id] = database }
    return database
  }

  /// Called in the body of the group that ends the incarnation.
  private func retire(_ id: DatabaseID) {
    open.withLock { $0.removeValue(forKey: id) }?.retire()
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
    guard pause == 0 else {
      maintenance.expire(Array(open.withLock { $0.values }))
      return pause - 1
    }
    do {
      return try performMaintenance() ? 0 : Self.rest
    } catch {
      configuration.backgroundErrorObserver?(error)
      return Self.rest
    }
  }
}
