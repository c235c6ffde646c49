import FirestoreModel
import FirestoreSync

// Indexes of fields and their entries.

extension DurableLocalStore {
  /// The indexes by ascending numbers; throws where one cannot be decoded.
  package func fieldIndexes() throws -> [FieldIndex] {
    var result: [FieldIndex] = []
    try statement("SELECT number, content FROM field_indexes ORDER BY number").forEachRow { row in
      result.append(try row.withBytes(1) { try IndexCodec.decode($0, id: row.integer(0)) })
    }
    return result
  }

  /// Inserts an index or replaces the one with its number; entries stay.
  package func save(_ index: FieldIndex) throws {
    try statement("INSERT OR REPLACE INTO field_indexes (number, content) VALUES (?, ?)")
      .bind(index.id).bind(IndexCodec.encode(index)).run()
  }

  /// Deletes an index with all its entries, whose number decides how long it takes.
  package func removeFieldIndex(_ id: IndexID) throws {
    try statement("DELETE FROM field_indexes WHERE number = ?").bind(id).run()
    try statement("DELETE FROM index_entries WHERE field_index = ?").bind(id).run()
  }

  /// Replaces the document's entries; does nothing for a document whose collection is unknown.
  package func setEntries(_ keys: [[UInt8]], of path: ResourcePath, in index: IndexID) throws {
    guard let document = try key(of: path) else { return }
    try statement(
      "DELETE FROM index_entries INDEXED BY index_entries_by_document "
        + "WHERE field_index = ? AND collection = ? AND id = ?"
    )
    .bind(index).bind(document).run()
    let insert = try statement(
      "INSERT INTO index_entries (field_index, collection, key, id) VALUES (?, ?, ?, ?)"
    )
    for key in keys {
      try insert.bind(index).bind(document.collection).bind(key).bind(document.id).run()
    }
  }

  /// Reads entries one by one while the body runs, which must not change the index.
  package func forEachEntry(
    _ index: IndexID,
    _ collection: ResourcePath,
    _ range: IndexRange,
    isReversed: Bool,
    _ body: (ResourcePath) throws -> Bool
  ) throws {
    guard let number = try number(of: collection) else { return }
    let order = isReversed ? "DESC" : "ASC"
    let select = try statement(
      "SELECT collection, id FROM index_entries WHERE field_index = ? AND collection = ? "
        + "AND key >= ? AND key < ? ORDER BY key \(order), id \(order)"
    )
    try select.bind(index).bind(number).bind(range.lower).bind(range.upper)
      .walkRows { try body(try path($0, 0, 1)) }
  }
}
