import FirestoreModel

/// Collects the messages of a watch stream into one event for each snapshot.
///
/// It lives as long as a stream. Messages about a target while requests for it are pending belong
/// to an earlier life of the target and are ignored.
struct WatchAggregator {
  /// The questions that an aggregator asks the engine.
  struct Context {
    /// The target's data, if it is listened to.
    let target: (TargetID) -> TargetData?
    /// The documents that the client has for the target.
    let remoteKeys: (TargetID) -> Set<ResourcePath>
    let database: DatabaseID
  }

  /// The server's messages about one target since the last snapshot.
  private struct TargetState {
    var pendingResponses = 0
    var change = TargetChange()
    /// A new target must be reported even without other changes.
    var hasChanges = true

    var isPending: Bool { pendingResponses > 0 }

    mutating func clear() {
      hasChanges = false
      change.added = []
      change.modified = []
      change.removed = []
    }

    mutating func update(_ token: ResumeToken) {
      guard !token.isEmpty else { return }
      hasChanges = true
      change.resumeToken = token
    }

    /// Takes a document that the target matches; `isKnown` is whether the client has it for the target.
    mutating func add(_ path: ResourcePath, isKnown: Bool) {
      if !change.removed.isEmpty { change.removed.remove(path) }
      if isKnown {
        if !change.added.isEmpty { change.added.remove(path) }
        change.modified.insert(path)
      } else {
        if !change.modified.isEmpty { change.modified.remove(path) }
        change.added.insert(path)
      }
      hasChanges = true
    }

    /// Takes a document that the target does not match.
    mutating func remove(_ path: ResourcePath, isKnown: Bool) {
      change.added.remove(path)
      change.modified.remove(path)
      change.removed.remove(path)
      guard isKnown else { return }
      change.removed.insert(path)
      hasChanges = true
    }
  }

  private var states: [TargetID: TargetState] = [:]
  private var documents: [ResourcePath: CachedDocument] = [:]
  /// The targets that each document was named with.
  private var targetsByDocument: [ResourcePath: Set<TargetID>] = [:]
  private var mismatches: [TargetID: TargetData.Purpose] = [:]

  /// Notes that a request for the target was sent.
  mutating func recordRequest(_ id: TargetID) {
    states[id, default: TargetState()].pendingResponses += 1
  }

  /// Forgets a target that the server ended.
  mutating func removeTarget(_ id: TargetID) { states[id] = nil }

  // MARK: Messages

  /// Takes one message of the stream.
  mutating func handle(_ change: WatchChange, _ context: Context) {
    switch change {
    case .target(let state, let ids, let token, _):
      let all = ids.isEmpty ? states.keys.filter { isActive($0, context) } : ids
      for id in all { handle(state, id, token, context) }
    case .document(let path, let document, let targets, let removedTargets):
      for id in targets {
        if let document, document.isFound {
          add(document, to: id, context)
        } else {
          remove(path, document, from: id, context)
        }
      }
      for id in removedTargets { remove(path, document, from: id, context) }
    case .existenceFilter(let id, let count, let filter):
      handleFilter(id, count, filter, context)
    }
  }

  private mutating func handle(
    _ state: WatchChange.TargetState,
    _ id: TargetID,
    _ token: ResumeToken,
    _ context: Context
  ) {
    switch state {
    case .noChange:
      if isActive(id, context) { states[id, default: TargetState()].update(token) }
    case .added:
      recordResponse(id)
      if states[id]?.isPending == false { states[id]?.clear() }
      states[id]?.update(token)
    case .removed:
      recordResponse(id)
      if states[id]?.isPending == false { states[id] = nil }
    case .current:
      guard isActive(id, context) else { return }
      states[id, default: TargetState()].hasChanges = true
      states[id]?.change.isCurrent = true
      states[id]?.update(token)
    case .reset:
      guard isActive(id, context) else { return }
      reset(id, context)
      states[id]?.update(token)
    }
  }

  private mutating func recordResponse(_ id: TargetID) {
    var state = states[id] ?? TargetState()
    state.pendingResponses = max(0, state.pendingResponses - 1)
    states[id] = state
  }

  private func isActive(_ id: TargetID, _ context: Context) -> Bool {
    states[id]?.isPending != true && context.target(id) != nil
  }

  private mutating func add(_ document: CachedDocument, to id: TargetID, _ context: Context) {
    guard isActive(id, context) else { return }
    let path = document.path
    let isKnown = context.remoteKeys(id).contains(path)
    // In place: a copy of what was said before would cost as much as all of it.
    states[id, default: TargetState()].add(path, isKnown: isKnown)
    note(document)
    targetsByDocument[path, default: []].insert(id)
  }

  /// Keeps the newest state of a document from any target; one without a version was decided here.
  private mutating func note(_ document: CachedDocument) {
    if let present = documents[document.path], document.version > .zero,
      present.version > document.version
    {
      return
    }
    documents[document.path] = document
  }

  private mutating func remove(
    _ path: ResourcePath,
    _ document: CachedDocument?,
    from id: TargetID,
    _ context: Context
  ) {
    guard isActive(id, context) else { return }
    let isKnown = context.remoteKeys(id).contains(path)
    states[id, default: TargetState()].remove(path, isKnown: isKnown)
    targetsByDocument[path, default: []].insert(id)
    if let document { note(document) }
  }

  private mutating func reset(_ id: TargetID, _ context: Context) {
    states[id] = TargetState()
    for path in context.remoteKeys(id) { remove(path, nil, from: id, context) }
  }

  // MARK: Existence filters

  private mutating func handleFilter(
    _ id: TargetID,
    _ count: Int,
    _ filter: BloomFilter?,
    _ context: Context
  ) {
    guard isActive(id, context), let data = context.target(id) else { return }
    if let path = data.target.document {
      guard count == 0 else { return }
      remove(path, missing(path, .zero, context), from: id, context)
      return
    }
    guard self.count(of: id, context) != count else { return }
    if let filter, !filter.isEmpty {
      removeWhatIsNot(in: filter, id, context)
      if self.count(of: id, context) == count { return }
      reset(id, context)
      mismatches[id] = .existenceFilterMismatchBloom
    } else {
      reset(id, context)
      mismatches[id] = .existenceFilterMismatch
    }
  }

  private mutating func removeWhatIsNot(
    in filter: BloomFilter,
    _ id: TargetID,
    _ context: Context
  ) {
    // A document of the last message exists, even if the filter counts it as unchanged.
    let told = states[id]?.change.modified ?? []
    for path in context.remoteKeys(id) where !told.contains(path) {
      let name = DocumentName(database: context.database, path: path)
      if !filter.mightContain(name) { remove(path, nil, from: id, context) }
    }
  }

  private func count(of id: TargetID, _ context: Context) -> Int {
    let change = states[id]?.change
    return context.remoteKeys(id).count + (change?.added.count ?? 0)
      - (change?.removed.count ?? 0)
  }

  private func missing(
    _ path: ResourcePath,
    _ version: CommitVersion,
    _ context: Context
  ) -> CachedDocument {
    CachedDocument(
      name: DocumentName(database: context.database, path: path),
      content: .missing,
      version: version
    )
  }

  // MARK: Snapshots

  /// Everything since the last snapshot; the next event begins empty.
  mutating func event(at version: CommitVersion, _ context: Context) -> RemoteEvent {
    var event = RemoteEvent(version: version)
    for id in states.keys.sorted() where isActive(id, context) {
      guard let data = context.target(id) else { continue }
      synthesizeDelete(id, data, version, context)
      guard let state = states[id], state.hasChanges else { continue }
      event.targetChanges[id] = state.change
      states[id]?.clear()
    }
    let named = targetsByDocument.values.reduce(into: Set<TargetID>()) { $0.formUnion($1) }
    let queries = named.filter { isQuery($0, context) }
    for (path, ids) in targetsByDocument where ids.isDisjoint(with: queries) {
      event.resolvedLimbo.insert(path)
    }
    event.documents = documents.mapValues { $0.read(at: version) }
    event.mismatches = mismatches
    documents = [:]
    targetsByDocument = [:]
    mismatches = [:]
    return event
  }

  private func isQuery(_ id: TargetID, _ context: Context) -> Bool {
    isActive(id, context) && context.target(id)?.purpose != .limboResolution
  }

  /// A document's current target that did not report the document: it does not exist.
  private mutating func synthesizeDelete(
    _ id: TargetID,
    _ data: TargetData,
    _ version: CommitVersion,
    _ context: Context
  ) {
    guard let path = data.target.document, let change = states[id]?.change, change.isCurrent,
      !change.added.contains(path), !change.modified.contains(path),
      !context.remoteKeys(id).contains(path)
    else { return }
    let isTold = documents[path] != nil && targetsByDocument[path]?.contains(id) == true
    guard !isTold else { return }
    remove(path, missing(path, version, context), from: id, context)
  }
}
