import FirestoreModel
import FirestoreSync

// Targets, and the documents that they match at the server.

extension DurableLocalStore {
  /// The target's data, found by its identity; nil where the file has none.
  package func target(_ target: Target) throws -> TargetData? {
    let select = try statement(
      "SELECT number, sequence_number, content FROM targets WHERE identity = ?"
    )
    return try select.bind(TargetCodec.identity(of: target)).firstRow { try targetData($0) }
  }

  /// All targets in no order; throws where one cannot be decoded.
  package func targets() throws -> [TargetData] {
    var result: [TargetData] = []
    try statement("SELECT number, sequence_number, content FROM targets").forEachRow { row in
      result.append(try targetData(row))
    }
    return result
  }

  private func targetData(_ row: CacheStatement) throws -> TargetData {
    try row.withBytes(2) { content in
      try TargetCodec.decode(
        content,
        id: TargetID(truncatingIfNeeded: row.integer(0)),
        sequenceNumber: row.integer(1)
      )
    }
  }

  /// Inserts a target, or replaces the one with its number or its identity.
  package func save(_ target: TargetData) throws {
    let insert = try statement(
      "INSERT OR REPLACE INTO targets (number, identity, sequence_number, content) "
        + "VALUES (?, ?, ?, ?)"
    )
    try insert.bind(Int64(target.id)).bind(TargetCodec.identity(of: target.target))
      .bind(target.sequenceNumber).bind(TargetCodec.encode(target)).run()
  }

  /// Deletes a target with its keys, if it is there.
  package func removeTarget(_ id: TargetID) throws {
    try statement("DELETE FROM targets WHERE number = ?").bind(Int64(id)).run()
    try statement("DELETE FROM target_documents WHERE target = ?").bind(Int64(id)).run()
  }

  /// The documents that the server matched with the target; empty for an unknown number.
  package func keys(ofTarget id: TargetID) throws -> Set<ResourcePath> {
    var result: Set<ResourcePath> = []
    try statement("SELECT collection, id FROM target_documents WHERE target = ?").bind(Int64(id))
      .forEachRow { result.insert(try path($0, 0, 1)) }
    return result
  }

  /// Adds documents to the target's keys; those that are there already are ignored.
  package func addKeys(_ paths: some Collection<ResourcePath>, toTarget id: TargetID) throws {
    let insert = try statement(
      "INSERT OR IGNORE INTO target_documents (target, collection, id) VALUES (?, ?, ?)"
    )
    for path in paths { try insert.bind(Int64(id)).bind(try key(ofNew: path)).run() }
  }

  /// Removes documents from the target's keys; those that are not there are ignored.
  package func removeKeys(
    _ paths: some Collection<ResourcePath>,
    fromTarget id: TargetID
  ) throws {
    let delete = try statement(
      "DELETE FROM target_documents WHERE target = ? AND collection = ? AND id = ?"
    )
    for path in paths {
      if let key = try key(of: path) { try delete.bind(Int64(id)).bind(key).run() }
    }
  }

  /// The documents that at least one target matches.
  package func matched(among paths: Set<ResourcePath>) throws -> Set<ResourcePath> {
    let select = try statement(
      "SELECT 1 FROM target_documents INDEXED BY target_documents_by_document "
        + "WHERE collection = ? AND id = ? LIMIT 1"
    )
    return try rows(of: paths, in: select)
  }
}
