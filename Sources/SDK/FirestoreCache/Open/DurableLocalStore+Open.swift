import FirestoreModel
import FirestoreSync
import Foundation
import GRDB

extension DurableLocalStore {
  /// The result of opening a cache.
  package struct Opened {
    /// The store of the file or of its replacement; one in memory where neither can be used.
    package let store: any LocalStore
    /// The reason why the store differs from the file, for the log; nil if all is well.
    package let problem: CacheError?
  }

  /// Opens a cache's file, or a replacement if that is not possible.
  ///
  /// A damaged file is moved aside: a new one takes over the readable part of the queued writes. A
  /// file that another process has open, that a newer version wrote or that cannot be written is
  /// left alone: the store is in memory then, and its data lives as long as the process. A file in
  /// use is waited for, for the given number of seconds: its process may be about to end.
  package static func openOrReplace(
    _ file: URL,
    database: DatabaseID,
    waiting seconds: Double = 0
  ) -> Opened {
    do {
      let store = try open(file, database: database, waiting: seconds)
      return Opened(store: store, problem: nil)
    } catch  where error.code == .damaged {
      do {
        let store = try CacheRecovery(file, database: database).replace()
        return Opened(store: store, problem: error)
      } catch let other {
        return Opened(store: MemoryLocalStore(), problem: other)
      }
    } catch {
      return Opened(store: MemoryLocalStore(), problem: error)
    }
  }

  /// Opens a cache's file, made if there is none; its folder is made too.
  package static func open(
    _ file: URL,
    database: DatabaseID,
    waiting seconds: Double = 0
  ) throws(CacheError) -> DurableLocalStore {
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      let queue = try DatabaseQueue(path: file.path, configuration: configuration(seconds))
      let name = try queue.writeWithoutTransaction { try prepare($0) }
      return DurableLocalStore(queue, name: name, database: database)
    } catch {
      throw CacheError(opening: file, error)
    }
  }

  /// Removes a cache's file and the leftovers of damage beside it; throws if it is in use for
  /// longer than those seconds.
  package static func remove(_ file: URL, waiting seconds: Double = 0) throws(CacheError) {
    do {
      let lock = try lock(file, waiting: seconds)
      // The file itself is last: while it is there, its lock keeps others out.
      for suffix in [".damaged", ".damaged-wal", ".damaged-shm", "-wal", "-shm", ""] {
        let part = file.path + suffix
        if FileManager.default.fileExists(atPath: part) {
          try FileManager.default.removeItem(atPath: part)
        }
      }
      try lock?.close()
    } catch {
      throw CacheError(opening: file, error)
    }
  }

  /// Takes a file's lock, to remove it; nil where there is no file that others could use.
  private static func lock(_ file: URL, waiting seconds: Double) throws -> DatabaseQueue? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      let queue = try DatabaseQueue(path: file.path, configuration: configuration(seconds))
      // Without a log, closing removes no file that has replaced this one.
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      return queue
    } catch {
      guard CacheError(opening: file, error).code == .damaged else { throw error }
      return nil
    }
  }

  private static func configuration(_ seconds: Double) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = seconds > 0 ? .timeout(seconds) : .immediateError
    configuration.foreignKeysEnabled = false
    configuration.label = "firestore.cache"
    configuration.prepareDatabase { connection in
      // The lock is taken with the first read and kept.
      try connection.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      try connection.execute(sql: "PRAGMA page_size = \(CacheSchema.pageSize)")
      let mode = try String.fetchOne(connection, sql: "PRAGMA journal_mode = WAL")
      guard mode == "wal" else {
        throw CacheError(.unusable, "The local cache's file has no write-ahead log.")
      }
      try connection.execute(
        sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY"
      )
      // Without a pause in which `settle` is called, a transaction has to write the log into the file.
      try connection.execute(sql: "PRAGMA wal_autocheckpoint = \(CacheSchema.longestLog)")
    }
    return configuration
  }

  /// Makes the tables of a new file and checks the version of an old one; returns the file's name.
  private static func prepare(_ connection: Database) throws -> String {
    let version = try Int.fetchOne(connection, sql: "PRAGMA user_version") ?? 0
    switch version {
    case CacheSchema.version: break
    case 1: try run(CacheSchema.indexTables, connection)
    case 0:
      let tables = try Int.fetchOne(connection, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
      guard tables == 0 else { throw CacheError.damaged("the format's version") }
      try run(CacheSchema.tables + CacheSchema.indexTables, connection)
    case let newer:
      throw CacheError(
        .newerVersion,
        "The local cache has version \(newer), which this version of the library does not support."
      )
    }
    guard let name = try String.fetchOne(connection, sql: "SELECT name FROM totals") else {
      throw CacheError.damaged("the store's totals")
    }
    return name
  }

  /// Runs statements as one transaction.
  private static func run(_ sql: String, _ connection: Database) throws {
    try connection.inTransaction(.immediate) {
      try connection.execute(sql: sql)
      return .commit
    }
  }
}

extension CacheError {
  /// Makes the error for a file that could not be opened.
  fileprivate init(opening file: URL, _ error: any Error) {
    if let error = error as? CacheError {
      self = error
      return
    }
    let path = file.path
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_BUSY?, .SQLITE_LOCKED?:
      self.init(.inUse, "The local cache \(path) is in use by another process.", cause: error)
    case .SQLITE_CORRUPT?, .SQLITE_NOTADB?:
      self.init(.damaged, "The local cache \(path) is damaged.", cause: error)
    case .SQLITE_ERROR? where "\(error)".contains("no such table"):
      self.init(.damaged, "The local cache \(path) lacks a table.", cause: error)
    default:
      self.init(.unusable, "The local cache \(path) cannot be used.", cause: error)
    }
  }
}
