import FirestoreModel
import FirestoreSync

// Mutation queues and overlays.

extension DurableLocalStore {
  /// Inserts a batch and a row for each document that it writes; throws for a number that is taken.
  package func append(_ batch: MutationBatch, user: UserID) throws {
    let user = try number(ofNew: user)
    try statement("INSERT INTO batches (user, number, content) VALUES (?, ?, ?)")
      .bind(user).bind(batch.id).bind(BatchCodec.encode(batch)).run()
    let insert = try statement(
      "INSERT INTO batch_documents (collection, id, user, batch) VALUES (?, ?, ?, ?)"
    )
    for path in batch.paths {
      try insert.bind(try key(ofNew: path)).bind(user).bind(batch.id).run()
    }
  }

  /// Deletes a batch with the rows of its documents, if it is there.
  package func removeBatch(_ id: BatchID, user: UserID) throws {
    guard let batch = try batch(id, user: user), let user = try number(of: user) else { return }
    try statement("DELETE FROM batches WHERE user = ? AND number = ?").bind(user).bind(id).run()
    let delete = try statement(
      "DELETE FROM batch_documents WHERE collection = ? AND id = ? AND user = ? AND batch = ?"
    )
    for path in batch.paths {
      guard let key = try key(of: path) else { continue }
      try delete.bind(key).bind(user).bind(id).run()
    }
  }

  /// The batch of that number; nil where the user's queue has none.
  package func batch(_ id: BatchID, user: UserID) throws -> MutationBatch? {
    guard let user = try number(of: user) else { return nil }
    return try statement("SELECT number, content FROM batches WHERE user = ? AND number = ?")
      .bind(user).bind(id).firstRow { try batch($0) }
  }

  /// The first batch with a higher number; nil behind the last.
  package func batch(after id: BatchID, user: UserID) throws -> MutationBatch? {
    guard let user = try number(of: user) else { return nil }
    let select = try statement(
      "SELECT number, content FROM batches WHERE user = ? AND number > ? ORDER BY number LIMIT 1"
    )
    return try select.bind(user).bind(id).firstRow { try batch($0) }
  }

  /// All batches of the user by ascending numbers, decoded at once.
  package func batches(user: UserID) throws -> [MutationBatch] {
    guard let user = try number(of: user) else { return [] }
    var result: [MutationBatch] = []
    try statement("SELECT number, content FROM batches WHERE user = ? ORDER BY number").bind(user)
      .forEachRow { result.append(try batch($0)) }
    return result
  }

  /// The batches that write one of the documents, each once, by ascending numbers.
  package func batches(of paths: Set<ResourcePath>, user: UserID) throws -> [MutationBatch] {
    guard let number = try number(of: user) else { return [] }
    let select = try statement(
      "SELECT batch FROM batch_documents WHERE collection = ? AND id = ? AND user = ?"
    )
    var ids: Set<BatchID> = []
    for path in paths {
      guard let key = try key(of: path) else { continue }
      try select.bind(key).bind(number).forEachRow { ids.insert(BatchID($0.integer(0))) }
    }
    return try ids.sorted().compactMap { try batch($0, user: user) }
  }

  private func batch(_ row: CacheStatement) throws -> MutationBatch {
    let id = BatchID(row.integer(0))
    return try row.withBytes(1) { try BatchCodec.decode($0, id: id, database: database) }
  }

  /// The number of the user's last batch; nil where the queue is empty.
  package func highestBatchID(user: UserID) throws -> BatchID? {
    guard let user = try number(of: user) else { return nil }
    let select = try statement(
      "SELECT number FROM batches WHERE user = ? ORDER BY number DESC LIMIT 1"
    )
    return try select.bind(user).firstRow { BatchID($0.integer(0)) }
  }

  /// The documents that a queued batch of any user writes.
  package func mutated(among paths: Set<ResourcePath>) throws -> Set<ResourcePath> {
    let any = try statement("SELECT 1 FROM batch_documents LIMIT 1")
    if paths.count > 1, try any.firstRow({ _ in true }) == nil { return [] }
    let select = try statement(
      "SELECT 1 FROM batch_documents WHERE collection = ? AND id = ? LIMIT 1"
    )
    return try rows(of: paths, in: select)
  }

  /// Those of the documents for which a statement has a row.
  func rows(of paths: Set<ResourcePath>, in select: CacheStatement) throws -> Set<ResourcePath> {
    try paths.filter { path in
      guard let key = try key(of: path) else { return false }
      return try select.bind(key).firstRow { _ in true } ?? false
    }
  }

  // MARK: Overlays

  /// The overlays of those documents that have one.
  package func overlays(
    _ paths: some Collection<ResourcePath>,
    user: UserID
  ) throws -> [ResourcePath: Overlay] {
    guard let user = try number(of: user) else { return [:] }
    let any = try statement("SELECT 1 FROM overlays WHERE user = ? LIMIT 1")
    if paths.count > 1, try any.bind(user).firstRow({ _ in true }) == nil { return [:] }
    let select = try statement(
      "SELECT content FROM overlays WHERE user = ? AND collection = ? AND id = ?"
    )
    var result: [ResourcePath: Overlay] = [:]
    for path in paths {
      guard let key = try key(of: path) else { continue }
      let found = try select.bind(user).bind(key).firstRow { row in
        try row.withBytes(0) { try OverlayCodec.decode($0) }
      }
      if let found { result[path] = found }
    }
    return result
  }

  /// The overlays of the collection's own documents, without those of subcollections.
  package func overlays(
    in collection: ResourcePath,
    user: UserID
  ) throws -> [ResourcePath: Overlay] {
    guard let user = try number(of: user), let collection = try number(of: collection) else {
      return [:]
    }
    let select = try statement(
      "SELECT content, collection, id FROM overlays WHERE user = ? AND collection = ?"
    )
    var result: [ResourcePath: Overlay] = [:]
    try select.bind(user).bind(collection).forEachRow { row in
      result[try path(row, 1, 2)] = try row.withBytes(0) { try OverlayCodec.decode($0) }
    }
    return result
  }

  /// Inserts the overlays, or replaces the documents' earlier ones.
  package func save(_ overlays: [ResourcePath: Overlay], user: UserID) throws {
    let user = try number(ofNew: user)
    let insert = try statement(
      "INSERT OR REPLACE INTO overlays (user, collection, id, content) VALUES (?, ?, ?, ?)"
    )
    for (path, overlay) in overlays {
      try insert.bind(user).bind(try key(ofNew: path)).bind(OverlayCodec.encode(overlay)).run()
    }
  }

  /// Deletes the documents' overlays; paths without one are ignored.
  package func removeOverlays(_ paths: some Collection<ResourcePath>, user: UserID) throws {
    guard let user = try number(of: user) else { return }
    let delete = try statement(
      "DELETE FROM overlays WHERE user = ? AND collection = ? AND id = ?"
    )
    for path in paths {
      if let key = try key(of: path) { try delete.bind(user).bind(key).run() }
    }
  }
}
