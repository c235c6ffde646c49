import FirestoreModel

// Documents as the user sees them: what the server said with the user's pending writes on top.

extension LocalCache {
  /// A document as the user sees it; `.unseen` where nothing is known of it.
  func document(_ path: ResourcePath) throws -> CachedDocument {
    try transaction(.readDocument) { try views(of: [path])[path] ?? unseen(path) }
  }

  /// The results of a query in the cache, and what the server's target matches.
  ///
  /// `usePreviousResults` allows to begin with the target's matches at its last snapshot without
  /// documents in limbo; the results are the same either way.
  func execute(
    _ query: ListenQuery,
    usePreviousResults: Bool
  ) throws -> (documents: Documents, remoteKeys: Set<ResourcePath>) {
    try transaction(.executeQuery) {
      var remoteKeys: Set<ResourcePath> = []
      var limboFree = CommitVersion.zero
      if let data = try activeTarget(query.target) ?? store.target(query.target) {
        remoteKeys = try store.keys(ofTarget: data.id)
        limboFree = data.lastLimboFreeVersion
      }
      if let found = try indexedResults(query) { return (found, remoteKeys) }
      if usePreviousResults, let found = try previousResults(query, remoteKeys, limboFree) {
        return (found, remoteKeys)
      }
      return (try scan(query), remoteKeys)
    }
  }

  /// Returns the documents that the target matched and still matches, and those that changed since;
  /// nil if these may not be all.
  private func previousResults(
    _ query: ListenQuery,
    _ remoteKeys: Set<ResourcePath>,
    _ limboFree: CommitVersion
  ) throws -> Documents? {
    guard limboFree > .zero, !query.matchesAll, query.document == nil else { return nil }
    let previous = try views(of: remoteKeys).filter { query.matches($0.value) }
    if query.limit != nil {
      guard previous.count == remoteKeys.count else { return nil }
      let ordered = DocumentSet(query, previous.values)
      let edge = query.limitType == .first ? ordered.last : ordered.first
      if let edge, edge.hasPendingWrites || edge.version > limboFree { return nil }
    }
    var scanned = 0
    return try results(query, readAfter: limboFree, scanned: &scanned)
      .merging(previous) { changed, _ in changed }
  }

  /// The results by looking at every document of the query's collections.
  private func scan(_ query: ListenQuery) throws -> Documents {
    var scanned = 0
    let found = try results(query, readAfter: .zero, scanned: &scanned)
    try considerIndexes(for: query, scanned: scanned, found: found.count)
    return found
  }

  /// The documents that match and were read after a snapshot or have pending writes.
  private func results(
    _ query: ListenQuery,
    readAfter version: CommitVersion,
    scanned: inout Int
  ) throws -> Documents {
    if let path = query.document {
      return try views(of: [path]).filter { query.matches($0.value) }
    }
    var found: Documents = [:]
    for collection in try collections(of: query) {
      let documents = try views(in: collection, readAfter: version)
      scanned += documents.count
      for (path, document) in documents where query.matches(document) {
        found[path] = document
      }
    }
    return found
  }

  func collections(of query: ListenQuery) throws -> [ResourcePath] {
    guard let normalized = query.normalized else { return [] }
    switch normalized.scope {
    case .collection(let id): return [normalized.parent.appending(id)]
    case .collectionGroup(let id):
      return try store.collections(withID: id).filter {
        $0.segments.starts(with: normalized.parent.segments)
      }
    case .children, .descendants: return []
    }
  }

  private func views(
    in collection: ResourcePath,
    readAfter version: CommitVersion
  ) throws -> Documents {
    var documents: Documents = [:]
    for document in try store.documents(in: collection, readAfter: version) {
      documents[document.path] = document
    }
    let overlays = try store.overlays(in: collection, user: user)
    let others = overlays.keys.filter { documents[$0] == nil }
    if !others.isEmpty {
      let bases = try store.documents(others)
      for path in others { documents[path] = bases[path] ?? unseen(path) }
    }
    for (path, overlay) in overlays {
      if let base = documents[path] { documents[path] = overlay.applied(to: base) }
    }
    return documents
  }

  /// Documents as the user sees them; `.unseen` where nothing is known.
  func views(of paths: some Collection<ResourcePath>) throws -> Documents {
    var bases = try store.documents(paths)
    for path in paths where bases[path] == nil { bases[path] = unseen(path) }
    return try views(over: bases)
  }

  /// States of the server as the user sees them.
  func views(over bases: Documents) throws -> Documents {
    var result = bases
    for (path, overlay) in try store.overlays(bases.keys, user: user) {
      if let base = bases[path] { result[path] = overlay.applied(to: base) }
    }
    return result
  }

  /// Recomputes the overlays of documents from the queue.
  func recalculateOverlays(_ paths: Set<ResourcePath>) throws {
    if paths.isEmpty { return }
    let bases = try store.documents(paths)
    var overlays: [ResourcePath: Overlay] = [:]
    for (path, batches) in try queuedBatches(of: paths) {
      var view = LocalView(bases[path] ?? unseen(path))
      let first = batches.lastIndex { $0.replaces(path) } ?? 0
      for batch in batches[first...] { view = batch.applied(to: view) }
      overlays[path] = batches.last.flatMap { view.overlay(batch: $0.id) }
    }
    try store.removeOverlays(paths.filter { overlays[$0] == nil }, user: user)
    try store.save(overlays, user: user)
  }

  func unseen(_ path: ResourcePath) -> CachedDocument {
    CachedDocument(name: DocumentName(database: database, path: path), content: .unseen)
  }
}
