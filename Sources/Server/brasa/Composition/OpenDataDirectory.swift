import DocumentStore
import Foundation
import KeyValuePostgres
import KeyValueRocksDB
import KeyValueStore

/// A data directory that this process has open: `store/` holds the database engine's files, where the store is not
/// elsewhere (`StoreMark`), `events/` those of
/// analytics' engine, so that a flood of events fills no log or memtable that documents wait for,
/// `administrator-key.sha256` the digest of the administrator key, `control.sock` is there while a
/// server runs.
final class OpenDataDirectory: Sendable {
  let path: String
  let engine: any ServedEngine
  /// Holds the events of analytics.
  let events: RocksDBEngine
  let databases: Databases
  /// The formats that this opening raised to this program's.
  let upgrades: [StoredFormats.Upgrade]
  /// The files' part of the cache.
  let fileMemoryBytes: Int

  /// Opens the directory, making it if it does not exist.
  ///
  /// Read data is kept in at most `cacheMegabytes` of memory; nil takes a sixteenth of the
  /// machine's, between 64 and 1,024, of which a sixteenth is for events. `openTables` files stay
  /// open, one in eight of them for events. `tableKilobytes` is for tests. A directory whose store
  /// is elsewhere is refused without that store, and one with a store of its own beside another.
  /// With `isClustered` other nodes may have the store, too. `clockSteps` is about the clock of
  /// PostgreSQL's server. `keepsLog` keeps the engines' logs for the backup. `groupObserver` is
  /// notified of every group that became durable.
  init(
    path: String,
    store: StoreLocation,
    isClustered: Bool = false,
    clockSteps: ClockSteps = .followed,
    configuration: StoreConfiguration,
    openTables: Int,
    cacheMegabytes: Int? = nil,
    tableKilobytes: Int? = nil,
    keepsLog: Bool = false,
    groupObserver: (@Sendable (_ keys: Int, _ duration: Duration) -> Void)? = nil
  ) throws {
    self.path = path
    var tuning = Self.storeTuning(tableKilobytes: tableKilobytes)
    tuning.groupObserver = groupObserver
    tuning.keepsLog = keepsLog
    tuning.openFiles = openTables - openTables / 8
    let share = Int(ProcessInfo.processInfo.physicalMemory >> 24)
    let cache = (cacheMegabytes ?? min(max(share, 64), 1_024)) << 20
    // A document takes a fraction of the block that it is in, and is found at once.
    var configuration = configuration
    configuration.documentCacheBytes = cache / 2
    let eventCache = cache / 16
    fileMemoryBytes = cache / 8
    tuning.blockCacheBytes =
      cache - configuration.documentCacheBytes - eventCache - fileMemoryBytes
    let ofEvents = EngineOpening(
      directory: path + "/events",
      Self.eventTuning(cache: eventCache, openTables: openTables / 8, keepsLog: keepsLog)
    )
    do {
      engine = try Self.openStore(
        store,
        isClustered: isClustered,
        clockSteps,
        directory: path,
        tuning,
        beside: ofEvents
      )
    } catch {
      ofEvents.abandon()
      throw error
    }
    do {
      events = try ofEvents.engine()
    } catch {
      try engine.close()
      throw error
    }
    do {
      let stored = try StoredFormats.check(KeyOwnerTable.store.owners, in: engine)
      upgrades = try stored + StoredFormats.check([.events], in: events)
      databases = try Databases(engine: engine, configuration: configuration)
    } catch {
      try events.close()
      try engine.close()
      throw error
    }
  }

  /// Throws where the store whose records a closure reads has a newer list of databases than this program knows; opens nothing.
  static func checkDatabases(_ read: (_ key: [UInt8]) throws -> [UInt8]?) throws {
    try Databases.checkFormat(read)
  }

  /// Opens the store; the other engine opens beside one in the directory once that one is this process's.
  private static func openStore(
    _ location: StoreLocation,
    isClustered: Bool,
    _ clockSteps: ClockSteps,
    directory: String,
    _ tuning: RocksDBConfiguration,
    beside other: EngineOpening
  ) throws -> any ServedEngine {
    let mark = StoreMark(in: directory)
    try mark.check(location)
    switch location {
    case .directory:
      return try RocksDBEngine(directory: directory + "/store", configuration: tuning) {
        other.begin(beside: directory + "/store")
      }
    case .postgres(let address):
      var configuration = PostgresConfiguration(address: address)
      configuration.groupObserver = tuning.groupObserver
      configuration.clockSteps = clockSteps
      if case .held = clockSteps {
        configuration.openingCheck = {
          try ClockWatch.check($0, of: "database server", lastWrite: $1)
        }
      }
      if isClustered {
        configuration.sharing = .shared
        configuration.unloggedFirstBytes = Databases.unobservedFirstBytes
        let path = URL(fileURLWithPath: directory).standardizedFileURL.path
        configuration.nodeName = "\(ProcessInfo.processInfo.hostName):\(path)"
      }
      let engine = try PostgresEngine(configuration)
      try mark.write(configuration)
      return engine
    }
  }

  private static func storeTuning(tableKilobytes: Int?) -> RocksDBConfiguration {
    var tuning = RocksDBConfiguration()
    if let tableKilobytes {
      tuning.tableBytes = tableKilobytes << 10
      tuning.writeBufferBytes = tableKilobytes << 10
    }
    return tuning
  }

  /// Few keys are looked up among events, most is written and read in order.
  private static func eventTuning(
    cache: Int,
    openTables: Int,
    keepsLog: Bool
  ) -> RocksDBConfiguration {
    var tuning = RocksDBConfiguration()
    tuning.keepsLog = keepsLog
    tuning.blockCacheBytes = cache
    tuning.openFiles = openTables
    tuning.writeBufferBytes = 8 << 20
    tuning.blockBytes = 16 << 10
    tuning.backgroundJobs = 1
    return tuning
  }

  /// Does the work of only one process among those that have the store open, if that is this one;
  /// nil if it is not.
  func lead<R>(_ body: () throws -> R) rethrows -> R? {
    guard let shared = engine as? PostgresEngine else { return try body() }
    return try shared.lead(body)
  }

  /// The engine of a store that other nodes may have too; nil of any other.
  var sharedEngine: PostgresEngine? {
    guard engine.isShared else { return nil }
    return engine as? PostgresEngine
  }

  /// Ends all waiting for a database server that is away: what waits fails, so that the store can be closed.
  func stopWaiting() { (engine as? PostgresEngine)?.stopWaiting() }

  /// Ends the store's work and closes the files.
  func close() throws {
    databases.close()
    let closed = Result { try events.close() }
    try engine.close()
    try closed.get()
  }
}
