import FirestoreModel
import FirestoreSync
import Foundation
import GRDB

/// Puts a new file in the place of a damaged one, with what can still be read of the queued writes.
///
/// Everything else comes from the server again. The damaged file stays beside the new one, under a name of its own.
struct CacheRecovery {
  private let file: URL
  private let database: DatabaseID

  init(_ file: URL, database: DatabaseID) {
    self.file = file
    self.database = database
  }

  /// Moves the damaged file aside and opens a new one.
  func replace() throws(CacheError) -> DurableLocalStore {
    do {
      let remains = readRemains()
      try moveAside()
      let store = try DurableLocalStore.open(file, database: database)
      try write(remains, to: store)
      return store
    } catch let error as CacheError {
      throw error
    } catch {
      throw CacheError(.unusable, "A damaged local cache could not be replaced.", cause: error)
    }
  }

  private func moveAside() throws {
    for suffix in ["", "-wal", "-shm"] {
      let old = URL(fileURLWithPath: file.path + suffix)
      let new = URL(fileURLWithPath: file.path + ".damaged" + suffix)
      guard FileManager.default.fileExists(atPath: old.path) else { continue }
      if FileManager.default.fileExists(atPath: new.path) {
        try FileManager.default.removeItem(at: new)
      }
      try FileManager.default.moveItem(at: old, to: new)
    }
  }

  private typealias QueuedBatch = (user: UserID, batch: MutationBatch)

  /// The readable content of a damaged file.
  private struct Remains {
    /// The file's name and its last batch's number; without them the batches are another file's.
    var name: (text: String, batch: BatchID)?
    /// In their order.
    var batches: [QueuedBatch] = []
  }

  private func readRemains() -> Remains {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    do {
      return try DatabaseQueue(path: file.path, configuration: configuration)
        .writeWithoutTransaction { connection in
          Remains(name: readName(connection), batches: try readBatches(connection))
        }
    } catch {
      return Remains()
    }
  }

  private func readName(_ connection: Database) -> (text: String, batch: BatchID)? {
    do {
      let row = try Row.fetchOne(connection, sql: "SELECT name, batch_number FROM totals")
      return row.map { ($0[0], $0[1]) }
    } catch {
      return nil
    }
  }

  private func readBatches(_ connection: Database) throws -> [QueuedBatch] {
    var batches: [QueuedBatch] = []
    let select = try CacheStatement(
      "SELECT b.number, b.content, u.name FROM batches b LEFT JOIN users u ON u.number = b.user "
        + "ORDER BY b.number",
      in: connection
    )
    do {
      try select.forEachRow { row in
        let user = row.isNull(2) ? nil : row.withBytes(2) { String(decoding: $0, as: UTF8.self) }
        let id = BatchID(row.integer(0))
        let batch = try row.withBytes(1) {
          try BatchCodec.decode($0, id: id, database: database)
        }
        batches.append((user, batch))
      }
    } catch {
      // Data behind the damage cannot be read; data before it is kept.
    }
    return batches
  }

  /// Queues the batches again, under their numbers, and computes their effects on the documents.
  private func write(_ remains: Remains, to store: DurableLocalStore) throws {
    try store.transaction(.writeLocally) {
      var globals = try store.globals()
      if let name = remains.name {
        try store.rename(name.text)
        globals.highestBatchID = name.batch
      }
      for (user, batch) in remains.batches {
        try store.append(batch, user: user)
        globals.highestBatchID = max(globals.highestBatchID, batch.id)
      }
      try store.save(globals)
    }
    for user in Set(remains.batches.map(\.user)) {
      try OverlayRepair.run(store, database: database, user: user)
    }
  }
}
