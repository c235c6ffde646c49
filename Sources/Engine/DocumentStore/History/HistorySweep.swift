import FirestoreModel
import KeyValueStore

/// Removes history that is older than the retention or more than the allowed bytes.
///
/// The commit log drives it. For each commit that is too old, the change log names the documents.
/// Their history records for that commit are removed, with the index history in the change records,
/// the change records and finally the commit's record. A step removes the data of a bounded number
/// of records, oldest first, in one group; the next step finds the rest of a commit.
struct HistorySweep: Sendable {
  private let configuration: StoreConfiguration

  /// The number of change records that a step processes.
  private static let stepSize = 500

  init(configuration: StoreConfiguration) { self.configuration = configuration }

  /// One step in one database; answers whether there is more to do.
  func step(_ database: Database) throws -> Bool {
    guard let work = try database.engine.read({ try nextWork(in: database, $0) }) else {
      return false
    }
    // Readers check the floor after they have opened their view: after this they either hold the
    // data to be removed or are refused.
    database.raiseHistoryFloor(to: work.floor)
    try database.engine.write(.background) { group in
      guard !database.isRetired else { return }
      for key in work.keys { try group.delete(key) }
      for collection in work.collections { try database.directory.sweep(collection, in: group) }
      try HistoryFloor.write(database.historyFloor, database.incarnation, in: group)
    }
    return true
  }

  /// The work of one step: the records that it removes.
  private struct Work {
    var keys: [[UInt8]] = []
    var collections: Set<ResourcePath> = []
    /// The newest commit of which something goes: reads below it are refused from now on.
    var floor: CommitVersion = .zero
    var changes = 0
  }

  private func nextWork(
    in database: Database,
    _ snapshot: any KeyValueSnapshot
  ) throws -> Work? {
    guard let limit = try limit(in: database, snapshot) else { return nil }
    var work = Work()
    let range = KeyRange(prefix: KeySpace.commit.prefix(database.incarnation))
    let cursor = try snapshot.cursor(over: range, reversed: false)
    while work.changes < Self.stepSize, try cursor.next() {
      guard let version = CommitKey.version(ofKey: cursor.key) else { continue }
      let record = try cursor.value(as: .commit, in: snapshot)
      guard limit.isPast(version, record) else { break }
      work.floor = version
      let isWhole = try add(record, version, database, snapshot, to: &work)
      if isWhole { work.keys.append([UInt8](cursor.key)) }
    }
    return work.floor == .zero ? nil : work
  }

  /// Adds the records of a commit; false when the step is full before its end.
  private func add(
    _ record: CommitRecord,
    _ version: CommitVersion,
    _ database: Database,
    _ reader: any KeyValueReader,
    to work: inout Work
  ) throws -> Bool {
    for id in record.collectionIDs {
      var prefix = ChangeKey.prefix(id, in: database.incarnation)
      prefix.append(version)
      let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
      while try cursor.next() {
        guard work.changes < Self.stepSize else { return false }
        let change = try cursor.value(as: .change, in: reader)
        let document = DocumentKey(change.path, in: database.incarnation)
        if change.kind != .created { work.keys.append(document.historyKey(to: version)) }
        work.keys += change.endedEntries
        work.keys.append([UInt8](cursor.key))
        work.collections.insert(change.path.parent)
        work.changes += 1
      }
    }
    return true
  }

  /// The limit behind which commits are too old.
  private struct Limit {
    let version: CommitVersion
    let bytes: Int64

    /// The history that a commit wrote is needed by reads below its version.
    func isPast(_ version: CommitVersion, _ record: CommitRecord) -> Bool {
      version <= self.version || record.historyBytes < bytes
    }
  }

  /// Nil when the oldest commit is young enough.
  private func limit(
    in database: Database,
    _ snapshot: any KeyValueSnapshot
  ) throws -> Limit? {
    let incarnation = database.incarnation
    guard let first = try HistoryBudget.record(in: snapshot, incarnation, last: false),
      let last = try HistoryBudget.record(in: snapshot, incarnation, last: true)
    else { return nil }
    // Asking the engine for a read time may cost an fsync, which a sweep is not worth.
    let wall = configuration.wallClock.now()
    let now = try snapshot.cachedReadTime() ?? max(last.version.microseconds, wall)
    // A requested week is kept, at any cost.
    let bytes = database.recoversPast ? .max : configuration.historyBytes
    let limit = Limit(
      version: CommitVersion(microseconds: now - database.retention),
      bytes: last.bytes - bytes
    )
    guard first.version <= limit.version || first.bytes < limit.bytes else { return nil }
    return limit
  }
}
