import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync

// Documents as the server knows them.

extension DurableLocalStore {
  private static let columns = "state, version, create_time, read_time, fields"
  private static let committed: Int64 = 8
  /// So many documents are worth a question about their collections first.
  private static let manyPaths = 8

  /// Looks up each document by its key; throws `CacheError.damaged` for a row that cannot be read.
  package func documents(
    _ paths: some Collection<ResourcePath>
  ) throws -> [ResourcePath: CachedDocument] {
    var result: [ResourcePath: CachedDocument] = [:]
    let select = try statement(
      "SELECT \(Self.columns) FROM documents WHERE collection = ? AND id = ?"
    )
    // A first snapshot brings many documents of a collection that has none yet.
    var emptiness: [Int64: Bool] = [:]
    for path in paths {
      guard let key = try key(of: path) else { continue }
      if paths.count >= Self.manyPaths {
        let isEmpty = try emptiness[key.collection] ?? hasNoDocuments(key.collection)
        emptiness[key.collection] = isEmpty
        if isEmpty { continue }
      }
      let found = try select.bind(key).firstRow { try document($0, path, from: 0) }
      if let found { result[path] = found }
    }
    return result
  }

  /// Returns true if nothing is known of any document of a collection.
  private func hasNoDocuments(_ collection: Int64) throws -> Bool {
    let select = try statement("SELECT 1 FROM documents WHERE collection = ? LIMIT 1")
    return try select.bind(collection).firstRow { _ in false } ?? true
  }

  /// Reads the documents of the collection; with a snapshot it uses the index of read times.
  package func documents(
    in collection: ResourcePath,
    readAfter version: CommitVersion
  ) throws -> [CachedDocument] {
    guard let number = try number(of: collection) else { return [] }
    let select: CacheStatement
    if version == .zero {
      select = try statement(
        "SELECT \(Self.columns), collection, id FROM documents WHERE collection = ?"
      )
      .bind(number)
    } else {
      select = try statement(
        "SELECT \(Self.columns), collection, id FROM documents INDEXED BY documents_by_read_time "
          + "WHERE collection = ? AND read_time > ?"
      )
      .bind(number).bind(version.microseconds)
    }
    var result: [CachedDocument] = []
    try select.forEachRow { row in
      result.append(try document(row, try path(row, 5, 6), from: 0))
    }
    return result
  }

  /// Reads at most `limit` documents in the order of their ids.
  package func documents(
    in collection: ResourcePath,
    after path: ResourcePath?,
    limit: Int
  ) throws -> [CachedDocument] {
    guard let number = try number(of: collection) else { return [] }
    let select = try statement(
      "SELECT \(Self.columns), collection, id FROM documents WHERE collection = ? AND id > ? "
        + "ORDER BY id LIMIT ?"
    )
    let last = try path.flatMap { try key(of: $0)?.id } ?? []
    var result: [CachedDocument] = []
    try select.bind(number).bind(last).bind(limit).forEachRow { row in
      result.append(try document(row, try self.path(row, 5, 6), from: 0))
    }
    return result
  }

  /// A row's document; the columns from `first` are those of `columns`.
  func document(
    _ row: CacheStatement,
    _ path: ResourcePath,
    from first: Int32
  ) throws -> CachedDocument {
    let state = row.integer(first)
    let content: CachedDocument.Content
    switch state & ~Self.committed {
    case 1: content = .found(DocumentFields(validated: row.bytes(first + 4)))
    case 2: content = .missing
    case 3: content = .unknown
    default: throw CacheError.damaged("the state of \(path.string)")
    }
    return CachedDocument(
      name: DocumentName(database: database, path: path),
      content: content,
      version: CommitVersion(microseconds: row.integer(first + 1)),
      createTime: CommitVersion(microseconds: row.integer(first + 2)),
      readTime: CommitVersion(microseconds: row.integer(first + 3)),
      mutations: state & Self.committed != 0 ? .committed : .none
    )
  }

  /// Inserts the documents, or replaces the rows that are there.
  package func save(_ documents: [CachedDocument]) throws {
    let insert = try statement(
      "INSERT INTO documents (collection, id, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?) "
        + "ON CONFLICT DO UPDATE SET state = excluded.state, version = excluded.version, "
        + "create_time = excluded.create_time, read_time = excluded.read_time, "
        + "fields = excluded.fields"
    )
    for document in documents {
      let key = try key(ofNew: document.path)
      try insert.bind(key).bind(Self.state(of: document)).bind(document.version.microseconds)
        .bind(document.createTime.microseconds).bind(document.readTime.microseconds)
        .bind(document.fields?.bytes).run()
    }
  }

  private static func state(of document: CachedDocument) -> Int64 {
    let kind: Int64 =
      switch document.content {
      case .found: 1
      case .missing: 2
      case .unseen, .unknown: 3
      }
    return document.hasCommittedMutations ? kind | committed : kind
  }

  /// Deletes the documents with their last uses; unknown paths are ignored.
  package func removeDocuments(_ paths: some Collection<ResourcePath>) throws {
    let delete = try statement("DELETE FROM documents WHERE collection = ? AND id = ?")
    let deleteUse = try statement("DELETE FROM uses WHERE collection = ? AND id = ?")
    for path in paths {
      guard let key = try key(of: path) else { continue }
      try delete.bind(key).run()
      try deleteUse.bind(key).run()
    }
  }

  /// The collections of that id, at every depth; rows of collections are never deleted.
  package func collections(withID id: Text) throws -> [ResourcePath] {
    var result: [ResourcePath] = []
    try statement("SELECT path FROM collections WHERE name = ?").bind(id.string).forEachRow { row in
      guard let path = row.withBytes(0, { ResourcePath(encoded: $0) }) else {
        throw CacheError.damaged("a collection of the id \(id.string)")
      }
      result.append(path)
    }
    return result
  }

  /// The bytes of all documents, as the file's totals have them.
  package func documentBytes() throws -> Int {
    let select = try statement("SELECT document_bytes FROM totals")
    return Int(try select.firstRow { $0.integer(0) } ?? 0)
  }
}
