import Foundation
import GRDB

/// The changes that this device still has to send to the server, in an SQLite file.
///
/// Two kinds of entries, in the order in which they were made: a receipt to post, and the id of
/// one to delete. An entry stays until the server has confirmed it; one that the server refuses
/// stays too, with the refusal's text, and is passed over until the person asks again.
///
///     entry(number INTEGER PRIMARY KEY AUTOINCREMENT, receipt TEXT, date REAL, latitude REAL,
///           longitude REAL, refusal TEXT)          date NULL: delete the receipt
///     photo(receipt TEXT PRIMARY KEY, jpeg BLOB)   the photo of the moment of registering
///
/// Each change is one transaction, synced to the disk before the call returns (WAL, synchronous =
/// FULL), so a kill at any moment loses nothing that was acknowledged. One process at a time.
package struct Outbox: Sendable {
  package struct Entry: Sendable, Equatable {
    package enum Work: Sendable, Equatable {
      case post(Receipt)
      case delete(UUID)
    }

    package let number: Int64
    package let work: Work
    package let refusal: String?

    package var receiptID: UUID {
      switch work {
      case .post(let receipt): receipt.id
      case .delete(let id): id
      }
    }
  }

  private let database: DatabaseQueue
  private let afterCommit: @Sendable () throws -> Void

  /// - Parameter afterCommit: Called when a change is durable; a test stops the client there.
  package init(file: URL, afterCommit: @escaping @Sendable () throws -> Void = {}) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    database = try DatabaseQueue(path: file.path, configuration: configuration)
    self.afterCommit = afterCommit
    try Self.migrations.migrate(database)
  }

  private static var migrations: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { database in
      try database.execute(
        sql: """
          CREATE TABLE entry (
            number INTEGER PRIMARY KEY AUTOINCREMENT, receipt TEXT NOT NULL, date REAL,
            latitude REAL, longitude REAL, refusal TEXT);
          CREATE TABLE photo (receipt TEXT PRIMARY KEY, jpeg BLOB NOT NULL);
          """
      )
    }
    return migrator
  }

  /// Keeps a receipt, and the photo taken with it, until the server has the receipt.
  package func add(_ receipt: Receipt, photo: Data?) throws {
    try change { database in
      try database.execute(
        sql: "INSERT INTO entry (receipt, date, latitude, longitude) VALUES (?, ?, ?, ?)",
        arguments: [
          receipt.id.uuidString, receipt.date.timeIntervalSince1970, receipt.place.latitude,
          receipt.place.longitude,
        ]
      )
      if let photo {
        try database.execute(
          sql: "INSERT OR REPLACE INTO photo (receipt, jpeg) VALUES (?, ?)",
          arguments: [receipt.id.uuidString, photo]
        )
      }
    }
  }

  /// Notes that a receipt is to be deleted, whether the server has it yet or not.
  ///
  /// A post of it that waits is dropped only if it was refused: one in flight may still arrive,
  /// and the deletion behind it then removes it.
  package func addDeletion(of receipt: UUID) throws {
    try change { database in
      try database.execute(
        sql: "DELETE FROM entry WHERE receipt = ? AND refusal IS NOT NULL",
        arguments: [receipt.uuidString]
      )
      try database.execute(
        sql: "INSERT INTO entry (receipt) VALUES (?)",
        arguments: [receipt.uuidString]
      )
      try database.execute(
        sql: "DELETE FROM photo WHERE receipt = ?",
        arguments: [receipt.uuidString]
      )
    }
  }

  /// Everything that waits, oldest first.
  package func entries() throws -> [Entry] {
    try database.read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM entry ORDER BY number").map(Self.entry)
    }
  }

  /// The oldest entry after `number` that the server has not refused.
  package func next(after number: Int64) throws -> Entry? {
    try database.read { database in
      try Row.fetchOne(
        database,
        sql: "SELECT * FROM entry WHERE number > ? AND refusal IS NULL ORDER BY number LIMIT 1",
        arguments: [number]
      ).map(Self.entry)
    }
  }

  /// The server has confirmed the entry.
  ///
  /// A confirmed deletion also ends the posts before it: one that was refused must not be tried
  /// again and bring the receipt back.
  package func remove(_ entry: Entry) throws {
    try change { database in
      switch entry.work {
      case .post:
        try database.execute(
          sql: "DELETE FROM entry WHERE number = ?",
          arguments: [entry.number]
        )
      case .delete(let receipt):
        try database.execute(
          sql: "DELETE FROM entry WHERE receipt = ? AND number <= ?",
          arguments: [receipt.uuidString, entry.number]
        )
      }
    }
  }

  /// The server will not have it as it is.
  package func refuse(_ entry: Entry, because text: String) throws {
    try change { database in
      try database.execute(
        sql: "UPDATE entry SET refusal = ? WHERE number = ?",
        arguments: [text, entry.number]
      )
    }
  }

  /// Lets refused entries be tried again.
  package func forgetRefusals() throws {
    try change { database in
      try database.execute(sql: "UPDATE entry SET refusal = NULL WHERE refusal IS NOT NULL")
    }
  }

  package func photo(of receipt: UUID) throws -> Data? {
    try database.read { database in
      try Data.fetchOne(
        database,
        sql: "SELECT jpeg FROM photo WHERE receipt = ?",
        arguments: [receipt.uuidString]
      )
    }
  }

  private func change(_ body: (Database) throws -> Void) throws {
    try database.write(body)
    try afterCommit()
  }

  private static func entry(_ row: Row) throws -> Entry {
    let text: String = row["receipt"]
    guard let id = UUID(uuidString: text) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "entry.receipt is not a UUID")
    }
    let date: Double? = row["date"]
    let work: Entry.Work =
      if let date {
        .post(
          Receipt(
            id: id,
            date: Date(timeIntervalSince1970: date),
            place: Place(latitude: row["latitude"], longitude: row["longitude"])
          )
        )
      } else {
        .delete(id)
      }
    return Entry(number: row["number"], work: work, refusal: row["refusal"])
  }
}
