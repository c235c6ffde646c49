import FirestoreModel

// Views: one for each query that is listened to, however many listeners it has.

extension SyncEngine {
  /// Begins a view with the cache's results.
  func addView(_ query: ListenQuery) throws {
    let data = try cache.allocate(query.target)
    let (documents, remoteKeys): (Documents, Set<ResourcePath>)
    do {
      (documents, remoteKeys) = try cache.execute(query, usePreviousResults: true)
    } catch {
      if queriesByTarget[data.id] == nil { cache.release(target: data.id) }
      throw error
    }
    var view = View(query, synced: remoteKeys)
    let others = queriesByTarget[data.id] ?? []
    let isCurrent =
      onlineState != .offline && others.contains { queries[$0]?.view.isSynced == true }
    let target = TargetChange(resumeToken: data.resumeToken, isCurrent: isCurrent)
    let (snapshot, changes) = view.apply(view.changes(for: documents), target: target)
    queries[query] = ActiveQuery(
      view: view,
      targetID: data.id,
      snapshot: snapshot?.withoutChanges()
    )
    queryOrder.append(query)
    queriesByTarget[data.id] = others + [query]
    track(changes, of: data.id)
    if let snapshot { cache.notify([pins(of: snapshot, data.id)]) }
  }

  /// Ends a view whose last listener has gone.
  func removeView(_ query: ListenQuery) {
    guard let active = queries[query] else { return }
    let others = (queriesByTarget[active.targetID] ?? []).filter { $0 != query }
    if others.isEmpty {
      cache.release(target: active.targetID)
      unwatch(active.targetID)
      removeTarget(active.targetID, failure: nil)
    } else {
      queries[query] = nil
      unfilled.remove(query)
      queryOrder.removeAll { $0 == query }
      queriesByTarget[active.targetID] = others
      updateWatch(of: active.targetID)
    }
  }

  /// Forgets a target, its views and their limbo documents.
  func removeTarget(_ id: TargetID, failure: FirestoreFailure?) {
    for query in queriesByTarget.removeValue(forKey: id) ?? [] {
      if let failure { fail(query, failure) }
      queries[query] = nil
      unfilled.remove(query)
      queryOrder.removeAll { $0 == query }
    }
    for path in limbo.removeReferences(by: id) { endLimbo(of: path) }
  }

  /// Updates the views with changed documents and reports the differences; `acknowledged` if the
  /// server has just applied local writes to them.
  func update(_ documents: Documents, _ event: RemoteEvent? = nil, acknowledged: Bool = false) {
    var snapshots: [ViewSnapshot] = []
    var pinned: [ViewPins] = []
    var didFail = false
    for query in queryOrder {
      guard var active = queries[query] else { continue }
      var changes = active.view.changes(for: documents, acknowledged: acknowledged)
      if changes.needsRefill || unfilled.contains(query) {
        do {
          let found = try cache.execute(query, usePreviousResults: false)
          changes = active.view.changes(
            for: found.documents,
            after: changes,
            acknowledged: acknowledged
          )
          unfilled.remove(query)
        } catch {
          didFail = true
          unfilled.insert(query)
        }
      }
      let (snapshot, limboChanges) = active.view.apply(
        changes,
        target: event?.targetChanges[active.targetID],
        version: event?.version ?? .zero,
        isIncomplete: event?.mismatches[active.targetID] != nil || unfilled.contains(query)
      )
      queries[query] = active
      track(limboChanges, of: active.targetID)
      guard let snapshot else { continue }
      snapshots.append(snapshot)
      pinned.append(pins(of: snapshot, active.targetID))
    }
    tell(snapshots)
    if !pinned.isEmpty { cache.notify(pinned) }
    if didFail { waitForStore { [unowned self] in try self.refill() } }
  }

  /// Runs the queries again that the store failed to run when their limits lost documents.
  private func refill() throws {
    for query in unfilled { _ = try cache.execute(query, usePreviousResults: false) }
    update([:])
  }

  private func pins(of snapshot: ViewSnapshot, _ id: TargetID) -> ViewPins {
    var pins = ViewPins(target: id, isFromCache: snapshot.isFromCache)
    for change in snapshot.changes {
      switch change.kind {
      case .added: pins.added.insert(change.document.path)
      case .removed: pins.removed.insert(change.document.path)
      case .modified, .metadata: break
      }
    }
    return pins
  }

  /// The number of the target that a listened query shares with its mirror.
  package func targetID(of query: ListenQuery) -> TargetID? { queries[query]?.targetID }

  /// The documents that the client has for a target.
  func remoteKeys(of id: TargetID) -> Set<ResourcePath> {
    if let limboKey = limbo.receivedDocument(of: id) { return [limboKey] }
    guard let queries = queriesByTarget[id], let first = queries.first else { return [] }
    var keys = self.queries[first]?.view.synced ?? []
    for query in queries.dropFirst() { keys.formUnion(self.queries[query]?.view.synced ?? []) }
    return keys
  }
}
