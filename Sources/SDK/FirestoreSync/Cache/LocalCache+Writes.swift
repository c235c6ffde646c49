import FirestoreModel

// The user's mutation queue.

extension LocalCache {
  /// Queues writes and returns the batch and the documents as the user sees them then.
  func write(
    _ writes: [Write],
    localWriteTime: Timestamp
  ) throws -> (batch: MutationBatch, documents: Documents) {
    let (batch, documents) = try transaction(.writeLocally) {
      let paths = Set(writes.map(\.name.path))
      let bases = try store.documents(paths)
      let overlays = try store.overlays(paths, user: user)
      let before = paths.reduce(into: [:]) { views, path in
        views[path] = LocalView(bases[path] ?? unseen(path), overlay: overlays[path])
      }
      let batch = MutationBatch(
        id: try nextBatchID(),
        localWriteTime: localWriteTime,
        baseWrites: MutationBatch.baseWrites(for: writes, over: before.mapValues(\.document)),
        writes: writes
      )
      try store.append(batch, user: user)
      let after = before.mapValues { batch.applied(to: $0) }
      try store.save(after.compactMapValues { $0.overlay(batch: batch.id) }, user: user)
      return (batch, after.mapValues(\.document))
    }
    chain(batch)
    return (batch, documents)
  }

  private func nextBatchID() throws -> BatchID {
    var globals = try store.globals()
    globals.highestBatchID += 1
    try store.save(globals)
    return globals.highestBatchID
  }

  /// Takes a batch from the queue that the server applied and returns its documents.
  func acknowledge(
    _ id: BatchID,
    results: [WriteResult],
    commitVersion: CommitVersion
  ) throws -> Documents {
    try transaction(.acknowledgeBatch) {
      guard let batch = try store.batch(id, user: user) else { return [:] }
      let paths = batch.paths
      let bases = try store.documents(paths)
      var versions: [ResourcePath: CommitVersion] = [:]
      for (index, write) in batch.writes.enumerated() {
        let result = index < results.count ? results[index] : WriteResult(updateTime: nil)
        versions[write.name.path] = result.version(commitVersion)
      }
      try saveDocuments(
        paths.compactMap { path in
          let base = bases[path] ?? unseen(path)
          guard let version = versions[path], base.version < version else { return nil }
          let acknowledged = batch.acknowledged(
            base,
            results: results,
            commitVersion: commitVersion
          )
          return acknowledged.content == .unseen ? nil : acknowledged.read(at: commitVersion)
        }
      )
      return try finish(batch)
    }
  }

  /// Takes a batch from the queue that the server refused and returns its documents.
  func reject(_ id: BatchID) throws -> Documents {
    try transaction(.rejectBatch) {
      guard let batch = try store.batch(id, user: user) else { return [:] }
      return try finish(batch)
    }
  }

  private func finish(_ batch: MutationBatch) throws -> Documents {
    try store.removeBatch(batch.id, user: user)
    unchain(batch)
    try recalculateOverlays(batch.paths)
    try release(batch.paths)
    return try views(of: batch.paths)
  }

  /// The first batch behind that one.
  func batch(after id: BatchID) throws -> MutationBatch? {
    try transaction(.nextBatch) { try store.batch(after: id, user: user) }
  }

  /// The last batch of the queue; nil where it is empty.
  func highestBatchID() throws -> BatchID? {
    try transaction(.pendingWrites) { try store.highestBatchID(user: user) }
  }

  /// Turns to another user's queue and returns all documents that look different then.
  func changeUser(to newUser: UserID) throws -> Documents {
    let old = user
    do {
      return try transaction(.changeUser) {
        let before = try store.batches(user: old)
        let after = try store.batches(user: newUser)
        switchUser(to: newUser)
        let paths = (before + after).reduce(into: Set<ResourcePath>()) { $0.formUnion($1.paths) }
        try recalculateOverlays(paths)
        return try views(of: paths)
      }
    } catch {
      switchUser(to: old)
      throw error
    }
  }
}
