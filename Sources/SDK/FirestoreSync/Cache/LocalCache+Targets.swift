import FirestoreModel

// Targets, and what the server says of their documents.

extension LocalCache {
  /// Target data older than this is saved although no document changed: five minutes.
  private static let savedAge: Int64 = 5 * 60 * 1_000_000

  /// The last snapshot of the server that is in the cache.
  func lastSnapshotVersion() throws -> CommitVersion {
    try transaction(.lastSnapshotVersion) { try store.globals().snapshotVersion }
  }

  /// The data of a target that is listened to.
  func activeTarget(_ target: Target) -> TargetData? {
    active.values.first { $0.target == target }
  }

  /// The number of a target, the same as before where the cache still knows it; it counts as listened to.
  func allocate(_ target: Target) throws -> TargetData {
    let data = try transaction(.allocateTarget) {
      if var known = try store.target(target) {
        known.purpose = .listen
        return known
      }
      var globals = try store.globals()
      globals.highestTargetID += 2
      globals.highestSequenceNumber = sequenceNumber
      try store.save(globals)
      let data = TargetData(
        target: target,
        id: globals.highestTargetID,
        sequenceNumber: sequenceNumber
      )
      try store.save(data)
      return data
    }
    if let present = active[data.id], present.snapshotVersion >= data.snapshotVersion {
      return present
    }
    set(data)
    savedVersions[data.id] = data.snapshotVersion
    return data
  }

  /// Ends listening to a target.
  ///
  /// If documents are collected by use, target and keys stay, so that the next listener resumes. A
  /// store that fails loses only the newest token.
  func release(target id: TargetID) {
    guard var data = active[id] else { return }
    do {
      try transaction(.releaseTarget) {
        try release(pinned(by: id))
        switch policy {
        case .eager:
          try release(try store.keys(ofTarget: id))
          try store.removeTarget(id)
          _ = unpinAll(by: id)
        case .leastRecentlyUsed:
          data.sequenceNumber = numberOfUse()
          try store.save(data)
        }
      }
    } catch {
      // The target stays in the store as it was last saved.
    }
    _ = unpinAll(by: id)
    deactivate(id)
  }

  /// Notes which documents a view shows now, and whether it is free of limbo.
  func notify(_ changes: [ViewPins]) {
    var confirmed: [TargetData] = []
    for change in changes {
      pin(change.added, by: change.target)
      unpin(change.removed, by: change.target)
      if !change.isFromCache, var data = active[change.target] {
        let isFirst = data.lastLimboFreeVersion == .zero
        data.lastLimboFreeVersion = data.snapshotVersion
        set(data)
        if isFirst, policy == .leastRecentlyUsed { confirmed.append(data) }
      }
    }
    if confirmed.isEmpty, changes.allSatisfy({ $0.added.isEmpty && $0.removed.isEmpty }) { return }
    do {
      try transaction(.notifyViewChanges) {
        // Later ones are saved with the next token: without any, the next start would look at the whole collection.
        for data in confirmed { try store.save(data) }
        for change in changes {
          try useShown(change.added)
          try release(change.removed)
        }
      }
    } catch {
      // Only the order in which documents are collected is lost.
    }
  }

  /// Takes over what the server said and returns the changed documents as the user sees them.
  func apply(_ event: RemoteEvent) throws -> Documents {
    let (documents, targets) = try transaction(.applyRemoteEvent) {
      let targets = try applyTargets(event)
      let documents = try applyDocuments(event.documents, readTime: event.version)
      try release(event.resolvedLimbo)
      if event.version > .zero {
        var globals = try store.globals()
        globals.snapshotVersion = max(globals.snapshotVersion, event.version)
        globals.highestSequenceNumber = sequenceNumber
        try store.save(globals)
      }
      return (documents, targets)
    }
    for (data, isSaved) in targets {
      set(data)
      if isSaved { savedVersions[data.id] = data.snapshotVersion }
    }
    return documents
  }

  private func applyTargets(_ event: RemoteEvent) throws -> [(data: TargetData, isSaved: Bool)] {
    var result: [(data: TargetData, isSaved: Bool)] = []
    for (id, change) in event.targetChanges {
      guard let old = active[id] else { continue }
      try store.removeKeys(change.removed, fromTarget: id)
      try store.addKeys(change.added, toTarget: id)
      try release(change.removed)
      try useAdded(change.added)
      var data = old
      data.sequenceNumber = sequenceNumber
      if event.mismatches[id] != nil {
        data = data.resuming(from: [], at: .zero)
        data.lastLimboFreeVersion = .zero
      } else if !change.resumeToken.isEmpty {
        data = data.resuming(from: change.resumeToken, at: event.version)
      }
      let isSaved = shouldSave(data, over: old, change)
      if isSaved { try store.save(data) }
      result.append((data, isSaved))
    }
    return result
  }

  private func shouldSave(_ data: TargetData, over old: TargetData, _ change: TargetChange) -> Bool
  {
    if old.resumeToken.isEmpty || data.resumeToken.isEmpty || change.hasDocumentChanges {
      return true
    }
    let saved = savedVersions[data.id] ?? .zero
    return data.snapshotVersion.microseconds - saved.microseconds >= Self.savedAge
  }

  /// Stores data that is newer than the cache's state.
  func applyDocuments(_ documents: Documents, readTime: CommitVersion) throws -> Documents {
    if documents.isEmpty { return [:] }
    let known = try store.documents(documents.keys)
    var saved: [CachedDocument] = []
    var removed: [ResourcePath] = []
    var appeared: Set<ResourcePath> = []
    var changed: Documents = [:]
    changed.reserveCapacity(documents.count)
    for (path, document) in documents {
      let old = known[path]
      if document.version == .zero, document.content == .missing {
        removed.append(path)
        changed[path] = unseen(path)
      } else if document.isNewer(than: old) {
        let state = document.read(at: readTime > .zero ? readTime : document.readTime)
        saved.append(state)
        changed[path] = state
      } else {
        continue
      }
      if document.isFound != (old?.isFound ?? false) { appeared.insert(path) }
    }
    try saveDocuments(saved)
    try removeDocuments(removed)
    let overlays = try store.overlays(appeared, user: user)
    let mutated = try store.mutated(among: appeared)
    try recalculateOverlays(
      appeared.filter { mutated.contains($0) && overlays[$0].map { $0.mask != nil } != false }
    )
    return try views(over: changed)
  }
}

extension CachedDocument {
  /// Returns true if the state replaces the cache's.
  fileprivate func isNewer(than old: CachedDocument?) -> Bool {
    guard let old else { return true }
    return version > old.version || (version == old.version && old.hasPendingWrites)
  }
}

/// The documents that a view began to show since its last snapshot, and those that it stopped
/// showing.
struct ViewPins: Sendable {
  let target: TargetID
  let isFromCache: Bool
  var added: Set<ResourcePath> = []
  var removed: Set<ResourcePath> = []
}
