import FirestoreModel
import KeyValueStore

/// The commits of other engines, put together from what they left in the store.
///
/// The change log lists the changed documents, the history holds their state before, and the
/// documents, or the next change's history, hold their state after.
struct OtherCommits {
  private struct Change {
    let database: Database
    let version: CommitVersion
    let ordinal: UInt32
    let record: ChangeRecord
    let key: DocumentKey
  }

  private struct Document: Hashable {
    let incarnation: Incarnation
    let path: ResourcePath
  }

  /// In version order.
  private(set) var published: [PublishedCommit] = []
  /// True if the store still had all of it.
  private(set) var isWhole = true

  /// The commits in open databases that wrote those keys of the change log; the reader shows nothing later.
  init(_ keys: [[UInt8]], of databases: [Database], _ reader: any KeyValueReader) throws {
    let changes = try Self.changes(keys, of: databases, reader)
    guard !changes.isEmpty else { return }
    let olds = try Self.read(
      changes.map { $0.record.kind == .created ? nil : $0.key.historyKey(to: $0.version) },
      reader
    )
    var news = try newest(of: changes, reader)
    var commits: [PublishedCommit.Change] = []
    var last: Change?
    var reversed: [PublishedCommit] = []
    for (change, old) in zip(changes, olds).reversed() {
      if let last, last.version != change.version {
        reversed.append(Self.commit(last, commits))
        commits = []
      }
      let document = Document(incarnation: change.database.incarnation, path: change.record.path)
      let new = news[document] ?? nil
      isWhole = isWhole && Self.fits(change, old: old, new: new)
      commits.append(.init(path: change.record.path, old: old, new: new))
      news[document] = .some(old)
      last = change
    }
    if let last { reversed.append(Self.commit(last, commits)) }
    published = reversed.reversed()
  }

  /// Returns true if the records of a document match the change log; history may have been removed.
  private static func fits(_ change: Change, old: StoredDocument?, new: StoredDocument?) -> Bool {
    switch change.record.kind {
    case .created: new?.updateTime == change.version
    case .updated: old != nil && new?.updateTime == change.version
    case .deleted: old != nil && new == nil
    }
  }

  private static func commit(
    _ change: Change,
    _ reversed: [PublishedCommit.Change]
  ) -> PublishedCommit {
    PublishedCommit(
      database: change.database.id,
      incarnation: change.database.incarnation,
      version: change.version,
      changes: reversed.reversed()
    )
  }

  /// The changes by version and ordinal.
  ///
  /// Records that are not there any more were removed, and are left out.
  private static func changes(
    _ keys: [[UInt8]],
    of databases: [Database],
    _ reader: any KeyValueReader
  ) throws -> [Change] {
    let open = Dictionary(
      databases.map { ($0.incarnation, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let wanted = keys.compactMap { key -> (key: [UInt8], ChangeKey, Database)? in
      guard let database = KeySpace.incarnation(ofKey: key).flatMap({ open[$0] }),
        let change = key.withUnsafeBytes({ ChangeKey(key: $0) })
      else { return nil }
      return (key, change, database)
    }
    let records = try reader.get(wanted.map(\.key))
    let changes = try zip(wanted, records).compactMap { wanted, record -> Change? in
      guard let value = try record.get() else { return nil }
      let record = try value.withUnsafeBytes { try ChangeRecord(value: $0) }
      return Change(
        database: wanted.2,
        version: wanted.1.version,
        ordinal: wanted.1.ordinal,
        record: record,
        key: DocumentKey(record.path, in: wanted.2.incarnation)
      )
    }
    return changes.sorted { ($0.version, $0.ordinal) < ($1.version, $1.ordinal) }
  }

  /// Each changed document as it is now.
  private func newest(
    of changes: [Change],
    _ reader: any KeyValueReader
  ) throws -> [Document: StoredDocument?] {
    var keys: [Document: [UInt8]] = [:]
    for change in changes {
      let document = Document(incarnation: change.database.incarnation, path: change.record.path)
      keys[document] = change.key.bytes
    }
    let documents = Array(keys)
    let records = try Self.read(documents.map(\.value), reader)
    return Dictionary(uniqueKeysWithValues: zip(documents.map(\.key), records))
  }

  private static func read(
    _ keys: [[UInt8]?],
    _ reader: any KeyValueReader
  ) throws -> [StoredDocument?] {
    var values = try reader.get(keys.compactMap { $0 }).makeIterator()
    return try keys.map { key in
      guard key != nil, let value = try values.next()?.get() else { return nil }
      return try StoredDocument(value: value)
    }
  }
}
