import FirestoreModel
import FirestoreSync

// When documents were used, bundles, and the numbers of the whole store.

extension DurableLocalStore {
  /// Stores the use under which each document was last used.
  package func touch(_ paths: some Collection<ResourcePath>, sequenceNumber: Int64) throws {
    let insert = try statement(
      "INSERT OR REPLACE INTO uses (collection, id, number) VALUES (?, ?, ?)"
    )
    for path in paths { try insert.bind(try key(ofNew: path)).bind(sequenceNumber).run() }
  }

  /// The cached documents up to that use, oldest first; those never touched have use 0.
  package func leastRecentlyUsed(upTo sequenceNumber: Int64) throws -> [ResourcePath] {
    let select = try statement(
      "SELECT d.collection, d.id, coalesce(u.number, 0) AS used FROM documents d "
        + "LEFT JOIN uses u ON u.collection = d.collection AND u.id = d.id "
        + "WHERE used <= ? ORDER BY used"
    )
    var result: [ResourcePath] = []
    try select.bind(sequenceNumber).forEachRow { result.append(try path($0, 0, 1)) }
    return result
  }

  /// The uses of all targets, and of documents that no target matches; in no order.
  package func sequenceNumbers() throws -> [Int64] {
    let select = try statement(
      "SELECT sequence_number FROM targets UNION ALL SELECT number FROM uses u "
        + "WHERE NOT EXISTS (SELECT 1 FROM target_documents t "
        + "WHERE t.collection = u.collection AND t.id = u.id)"
    )
    var result: [Int64] = []
    try select.forEachRow { result.append($0.integer(0)) }
    return result
  }

  /// The record of a loaded bundle; nil where none of that id was loaded.
  package func bundle(_ id: String) throws -> BundleRecord? {
    let select = try statement("SELECT create_time, version FROM bundles WHERE id = ?")
    return try select.bind(id).firstRow { row in
      BundleRecord(
        id: id,
        createTime: CommitVersion(microseconds: row.integer(0)),
        version: Int(row.integer(1))
      )
    }
  }

  /// Inserts a bundle's record, or replaces the earlier one of its id.
  package func save(_ bundle: BundleRecord) throws {
    let insert = try statement(
      "INSERT OR REPLACE INTO bundles (id, create_time, version) VALUES (?, ?, ?)"
    )
    try insert.bind(bundle.id).bind(bundle.createTime.microseconds).bind(bundle.version).run()
  }

  /// The query of that name; nil where no bundle brought one.
  package func namedQuery(_ name: String) throws -> NamedQuery? {
    let select = try statement("SELECT content FROM named_queries WHERE name = ?")
    return try select.bind(name).firstRow { row in
      try row.withBytes(0) { try TargetCodec.decode($0, name: name) }
    }
  }

  /// Inserts a query, or replaces the earlier one of its name.
  package func save(_ query: NamedQuery) throws {
    let insert = try statement(
      "INSERT OR REPLACE INTO named_queries (name, content) VALUES (?, ?)"
    )
    try insert.bind(query.name).bind(TargetCodec.encode(query)).run()
  }

  /// The numbers of the file's only row of totals; throws `CacheError.damaged` where it is missing.
  package func globals() throws -> StoreGlobals {
    let select = try statement(
      "SELECT snapshot_version, target_number, sequence_number, batch_number FROM totals"
    )
    let found = try select.firstRow { row in
      var globals = StoreGlobals()
      globals.snapshotVersion = CommitVersion(microseconds: row.integer(0))
      globals.highestTargetID = TargetID(truncatingIfNeeded: row.integer(1))
      globals.highestSequenceNumber = row.integer(2)
      globals.highestBatchID = BatchID(row.integer(3))
      return globals
    }
    guard let found else { throw CacheError.damaged("the store's totals") }
    return found
  }

  /// Stores all numbers at once; the name and the bytes of documents stay.
  package func save(_ globals: StoreGlobals) throws {
    let update = try statement(
      "UPDATE totals SET snapshot_version = ?, target_number = ?, sequence_number = ?, "
        + "batch_number = ?"
    )
    try update.bind(globals.snapshotVersion.microseconds).bind(Int64(globals.highestTargetID))
      .bind(globals.highestSequenceNumber).bind(globals.highestBatchID).run()
  }

  /// Takes over the name of a file in whose place this one is.
  func rename(_ newName: String) throws {
    try statement("UPDATE totals SET name = ?").bind(newName).run()
    name = newName
  }
}
