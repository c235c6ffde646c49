// Listeners and their events.

extension SyncEngine {
  func listen(_ id: CallbackID, _ query: ListenQuery, _ options: ListenOptions) {
    let isNew = queries[query] == nil
    if isNew {
      do {
        try addView(query)
      } catch {
        effects.append(
          .listenFailed(
            id,
            FirestoreFailure(.unavailable, "The query could not be set up in the local cache.")
          )
        )
        return
      }
    }
    var listener = QueryListener(id: id, options: options, onlineState: onlineState)
    listenerQueries[id] = query
    let first = queries[query]?.snapshot.flatMap { listener.take($0) }
    queries[query]?.listeners.append(listener)
    if let targetID = queries[query]?.targetID { updateWatch(of: targetID) }
    if let first {
      effects.append(.snapshot(id, first))
      tellInSync()
    }
  }

  func unlisten(_ id: CallbackID) {
    guard let query = listenerQueries.removeValue(forKey: id), var active = queries[query] else {
      return
    }
    active.listeners.removeAll { $0.id == id }
    queries[query] = active
    if active.listeners.isEmpty { removeView(query) } else { updateWatch(of: active.targetID) }
  }

  /// Shows new snapshots to their listeners.
  func tell(_ snapshots: [ViewSnapshot]) {
    var isTold = false
    for snapshot in snapshots {
      guard var active = queries[snapshot.query] else { continue }
      for index in active.listeners.indices {
        if let shown = active.listeners[index].take(snapshot) {
          effects.append(.snapshot(active.listeners[index].id, shown))
          isTold = true
        }
      }
      active.snapshot = snapshot.withoutChanges()
      queries[snapshot.query] = active
    }
    if isTold { tellInSync() }
  }

  /// Ends a query's listeners with an error.
  func fail(_ query: ListenQuery, _ failure: FirestoreFailure) {
    for listener in queries[query]?.listeners ?? [] {
      listenerQueries[listener.id] = nil
      effects.append(.listenFailed(listener.id, failure))
    }
  }

  func tellInSync() {
    for id in inSyncListeners { effects.append(.snapshotsInSync(id)) }
  }

  /// Takes over a new online state: views are no longer current when it is lost.
  func apply(_ change: OnlineStateTracker.Change) {
    if change.startsTimer {
      effects.append(.startTimer(.onlineState, after: OnlineStateTracker.timeout, jitter: false))
    }
    if change.cancelsTimer { effects.append(.cancelTimer(.onlineState)) }
    guard change.state != onlineState else { return }
    onlineState = change.state
    var snapshots: [ViewSnapshot] = []
    if onlineState == .offline {
      for query in queryOrder {
        if let snapshot = queries[query]?.view.goOffline() { snapshots.append(snapshot) }
      }
    }
    tellOnlineState()
    tell(snapshots)
  }

  private func tellOnlineState() {
    var isTold = false
    for query in queryOrder {
      guard var active = queries[query] else { continue }
      for index in active.listeners.indices {
        if let shown = active.listeners[index].take(onlineState) {
          effects.append(.snapshot(active.listeners[index].id, shown))
          isTold = true
        }
      }
      queries[query] = active
    }
    if isTold { tellInSync() }
  }
}
