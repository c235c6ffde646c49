import FirestoreModel

/// The results of one query as its listeners see them, and the data to change them.
///
/// A change is two steps: `changes(for:)` computes it and may find that the query has to be run again;
/// `apply` makes it so.
struct View {
  /// A change that is not made yet.
  struct Changes {
    fileprivate var documents: DocumentSet
    fileprivate var changes = ViewChangeSet()
    fileprivate var mutated: Set<ResourcePath>
    fileprivate var withheld: [ResourcePath: CommitVersion]
    /// True if a full limit lost a document, so that others may have to come in.
    fileprivate(set) var needsRefill = false
  }

  /// A change of what the view shows without the server's confirmation.
  struct LimboChanges {
    var added: [ResourcePath] = []
    var removed: [ResourcePath] = []
  }

  let query: ListenQuery
  private var documents: DocumentSet
  /// The documents that the server says match.
  private(set) var synced: Set<ResourcePath>
  private(set) var limbo: Set<ResourcePath> = []
  /// Documents with writes that watch has not delivered.
  private var mutated: Set<ResourcePath> = []
  /// Documents shown with local writes that the server has applied since, at these versions.
  ///
  /// Watch delivers them, unless another client has changed them before it did.
  private var withheld: [ResourcePath: CommitVersion] = [:]
  private var isCurrent = false
  /// Nil before the first snapshot.
  private var isFromCache: Bool?

  /// An empty view; `synced` are the documents that the target matched when it was last listened to.
  init(_ query: ListenQuery, synced: Set<ResourcePath>) {
    self.query = query
    self.synced = synced
    documents = DocumentSet(query)
  }

  /// True if the server had confirmed the last snapshot.
  var isSynced: Bool { isFromCache == false }

  // MARK: Computing changes

  private var unchanged: Changes {
    Changes(documents: documents, mutated: mutated, withheld: withheld)
  }

  /// Returns the changes that new states of documents cause, on top of an earlier change that needs
  /// a refill.
  ///
  /// `acknowledged` are states in which the server has just applied local writes: their content
  /// stays visible until watch delivers it.
  func changes(
    for states: Documents,
    after previous: Changes? = nil,
    acknowledged: Bool = false
  ) -> Changes {
    var result = previous ?? unchanged
    result.needsRefill = false
    let old = result.documents
    let edge = fullLimitEdge(old)
    var removed: [ResourcePath] = []
    var inserted: [CachedDocument] = []
    for (path, state) in states {
      let before = old[path]
      let after = query.matches(state) ? state : nil
      let awaitsWatch =
        awaitsWatch(before, after)
        && (acknowledged || withheld[path] == after?.version || isSame(before, after))
      result.withheld[path] = awaitsWatch ? after?.version : nil
      guard !awaitsWatch, let kind = kind(before, after) else { continue }
      result.changes.track(kind, after ?? before ?? state)
      if let edge, let before {
        result.needsRefill = result.needsRefill || isLost(before, after, edge, old)
      }
      if let after {
        inserted.append(after)
        if isPending(after) { result.mutated.insert(path) } else { result.mutated.remove(path) }
      } else {
        removed.append(path)
        result.mutated.remove(path)
      }
    }
    result.documents.apply(removing: removed, inserting: inserted)
    trim(&result)
    return result
  }

  /// The document next to the limit's end; nil if the limit is not reached.
  private func fullLimitEdge(_ documents: DocumentSet) -> CachedDocument? {
    guard let limit = query.limit, documents.count == limit else { return nil }
    return query.limitType == .first ? documents.last : documents.first
  }

  /// Returns true if a document left a full limit or moved past its edge.
  private func isLost(
    _ before: CachedDocument,
    _ after: CachedDocument?,
    _ edge: CachedDocument,
    _ documents: DocumentSet
  ) -> Bool {
    guard let after else { return true }
    if before.hasSameContent(as: after) { return false }
    let order = documents.compare(after, edge)
    return query.limitType == .first ? order == .descending : order == .ascending
  }

  private func kind(_ before: CachedDocument?, _ after: CachedDocument?) -> ViewChange.Kind? {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _?): return .added
    case (_?, nil): return .removed
    case (let before?, let after?):
      if before.hasSameContent(as: after) {
        return mutated.contains(before.path) == isPending(after) ? nil : .metadata
      }
      return .modified
    }
  }

  /// Returns true if the server has applied the visible state and watch has not delivered it.
  private func awaitsWatch(_ before: CachedDocument?, _ after: CachedDocument?) -> Bool {
    before?.hasLocalMutations == true && after?.hasCommittedMutations == true
  }

  private func isSame(_ before: CachedDocument?, _ after: CachedDocument?) -> Bool {
    guard let before, let after else { return false }
    return before.hasSameContent(as: after)
  }

  /// Returns true if the document has writes that watch has not delivered, as far as this view
  /// knows.
  private func isPending(_ document: CachedDocument) -> Bool {
    document.hasLocalMutations
      || (document.hasCommittedMutations && mutated.contains(document.path))
  }

  private func trim(_ result: inout Changes) {
    guard let limit = query.limit, result.documents.count > limit else { return }
    let all = result.documents.documents
    let extra = query.limitType == .first ? all[limit...] : all[..<(all.count - limit)]
    result.documents.apply(removing: extra.map(\.path), inserting: [])
    for document in extra.reversed() {
      result.mutated.remove(document.path)
      result.withheld[document.path] = nil
      result.changes.track(.removed, document)
    }
  }

  // MARK: Making changes

  /// Makes a change and returns the snapshot, if one is to be shown.
  ///
  /// `isIncomplete` is a view that lacks documents: its target's differ from the server's, or its
  /// query could not be run again. It is from the cache, in any state of the target. `version` is
  /// the server's snapshot that the change is part of.
  mutating func apply(
    _ changes: Changes,
    target: TargetChange?,
    version: CommitVersion = .zero,
    isIncomplete: Bool = false,
    resolvesLimbo: Bool = true
  ) -> (snapshot: ViewSnapshot?, limbo: LimboChanges) {
    let old = documents
    documents = changes.documents
    mutated = changes.mutated
    withheld = changes.withheld
    if let target { apply(target) }
    let limboChanges =
      resolvesLimbo && !isIncomplete ? updateLimbo(version) : LimboChanges()
    let isSynced = limbo.isEmpty && isCurrent && !isIncomplete
    let didSyncStateChange = isFromCache != !isSynced
    isFromCache = !isSynced
    guard !changes.changes.isEmpty || didSyncStateChange else { return (nil, limboChanges) }
    let shown = documents.documents
    let snapshot = ViewSnapshot(
      query: query,
      documents: shown,
      changes: changes.changes.ordered(by: query, among: shown),
      isFromCache: !isSynced,
      pending: mutated,
      didSyncStateChange: didSyncStateChange,
      excludesMetadataChanges: false,
      hasCachedResults: target?.resumeToken.isEmpty == false,
      oldDocuments: old.documents
    )
    return (snapshot, limboChanges)
  }

  /// Takes back that the target is current and returns the snapshot that says so.
  mutating func goOffline() -> ViewSnapshot? {
    guard isCurrent else { return nil }
    isCurrent = false
    return apply(
      unchanged,
      target: nil,
      resolvesLimbo: false
    ).snapshot
  }

  /// The view as a new listener's first snapshot.
  func currentSnapshot() -> ViewSnapshot {
    ViewSnapshot(
      query: query,
      documents: documents.documents,
      changes: documents.documents.map { ViewChange(kind: .added, document: $0) },
      isFromCache: isFromCache ?? true,
      pending: mutated,
      didSyncStateChange: true,
      excludesMetadataChanges: false,
      hasCachedResults: false,
      oldDocuments: []
    )
  }

  private mutating func apply(_ change: TargetChange) {
    synced.formUnion(change.added)
    synced.subtract(change.removed)
    isCurrent = change.isCurrent
  }

  private mutating func updateLimbo(_ version: CommitVersion) -> LimboChanges {
    guard isCurrent else { return LimboChanges() }
    let old = limbo
    limbo = []
    for document in documents.documents
    where !synced.contains(document.path) && !awaitsServer(document, version, old) {
      limbo.insert(document.path)
    }
    return LimboChanges(
      added: documents.documents.map(\.path).filter { limbo.contains($0) && !old.contains($0) },
      removed: old.subtracting(limbo).sorted()
    )
  }

  /// Returns true if the server will send the document by itself.
  ///
  /// It will not if a snapshot came that had an acknowledged write and did not deliver it.
  private func awaitsServer(
    _ document: CachedDocument,
    _ version: CommitVersion,
    _ limbo: Set<ResourcePath>
  ) -> Bool {
    guard document.hasLocalMutations else { return false }
    guard let written = withheld[document.path] else { return true }
    return written > version && !limbo.contains(document.path)
  }
}
