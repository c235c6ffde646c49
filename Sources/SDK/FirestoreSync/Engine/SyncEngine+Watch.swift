import FirestoreModel

// The watch stream: which targets are listened to and what the server says of them.

extension SyncEngine {
  // MARK: Targets

  /// Listens to a target at the server while a listener of one of its queries wants the server.
  func updateWatch(of id: TargetID) {
    let isWanted = (queriesByTarget[id] ?? []).contains { query in
      queries[query]?.listeners.contains { $0.options.source == .server } == true
    }
    if !isWanted {
      unwatch(id)
    } else if listenTargets[id] == nil, let data = cache.active[id] {
      watch(data)
    }
  }

  func watch(_ data: TargetData) {
    guard listenTargets[data.id] == nil else { return }
    listenTargets[data.id] = data
    if shouldStartWatch {
      startWatch()
    } else if watch.isOpen {
      sendListen(data)
    }
  }

  func unwatch(_ id: TargetID) {
    guard listenTargets.removeValue(forKey: id) != nil else { return }
    if watch.isOpen { sendUnlisten(id) }
    guard listenTargets.isEmpty else { return }
    if watch.isOpen {
      startIdleTimer(\.watch)
    } else if canUseNetwork {
      apply(onlineTracker.set(.unknown))
    }
  }

  private func sendListen(_ data: TargetData) {
    stopIdleTimer(\.watch)
    aggregator?.recordRequest(data.id)
    var request = data
    if !data.resumeToken.isEmpty || data.snapshotVersion > .zero {
      request.expectedCount = remoteKeys(of: data.id).count
    }
    effects.append(.listen(watch.id, request))
  }

  private func sendUnlisten(_ id: TargetID) {
    stopIdleTimer(\.watch)
    aggregator?.recordRequest(id)
    effects.append(.unlisten(watch.id, id))
  }

  // MARK: The stream's life

  var shouldStartWatch: Bool { canUseNetwork && !watch.isStarted && !listenTargets.isEmpty }

  func startWatch() {
    aggregator = WatchAggregator()
    start(\.watch)
    apply(onlineTracker.streamStarted())
  }

  func watchOpened() {
    guard watch.state == .opening else { return }
    opened(\.watch)
    for id in listenTargets.keys.sorted() {
      if let data = listenTargets[id] { sendListen(data) }
    }
  }

  func watchClosed(_ failure: FirestoreFailure?) {
    guard watch.isConnected else { return }
    closed(\.watch, failure)
    aggregator = nil
    if shouldStartWatch {
      apply(onlineTracker.streamFailed())
      startWatch()
    } else {
      apply(onlineTracker.set(.unknown))
    }
  }

  func watchIdled() {
    watch.isIdleTimerRunning = false
    guard watch.isOpen, listenTargets.isEmpty else { return }
    stop(\.watch)
    aggregator = nil
    apply(onlineTracker.set(.unknown))
  }

  // MARK: Messages

  func watchChanged(_ change: WatchChange) {
    guard watch.isOpen else { return }
    watch.backoff.reset()
    apply(onlineTracker.set(.online))
    if case .target(.removed(let failure?), let ids, _, _) = change {
      recovering { [unowned self] in try self.reject(ids, failure) }
      return
    }
    aggregator?.handle(change, aggregatorContext)
    if case .target(_, let ids, _, let readTime?) = change, ids.isEmpty, readTime > .zero {
      recovering { [unowned self] in try self.raiseSnapshot(at: readTime) }
    }
  }

  /// Runs what a message of the stream demands; a store that fails closes the stream, and the server will say
  /// the same again.
  private func recovering(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      waitForStore { [unowned self] in _ = try self.cache.lastSnapshotVersion() }
    }
  }

  private var aggregatorContext: WatchAggregator.Context {
    WatchAggregator.Context(
      target: { [unowned self] in self.listenTargets[$0] },
      remoteKeys: { [unowned self] in self.remoteKeys(of: $0) },
      database: configuration.database
    )
  }

  private func raiseSnapshot(at version: CommitVersion) throws {
    guard version >= (try cache.lastSnapshotVersion()),
      let event = aggregator?.event(at: version, aggregatorContext)
    else { return }
    let known = listenTargets
    for (id, change) in event.targetChanges where !change.resumeToken.isEmpty {
      listenTargets[id] = listenTargets[id]?.resuming(from: change.resumeToken, at: version)
    }
    for id in event.mismatches.keys.sorted() {
      if let purpose = event.mismatches[id] { listenAnew(id, purpose) }
    }
    do { try apply(event) } catch {
      // The data of the tokens was not stored.
      for (id, data) in known where listenTargets[id] != nil { listenTargets[id] = data }
      throw error
    }
  }

  /// Asks for all of a target's documents, whose number differs from the server's.
  private func listenAnew(_ id: TargetID, _ purpose: TargetData.Purpose) {
    guard let data = listenTargets[id] else { return }
    listenTargets[id] = data.resuming(from: [], at: .zero)
    sendUnlisten(id)
    var request = TargetData(target: data.target, id: id, purpose: purpose)
    request.sequenceNumber = data.sequenceNumber
    sendListen(request)
  }

  private func reject(_ ids: [TargetID], _ failure: FirestoreFailure) throws {
    for id in ids {
      guard let data = listenTargets.removeValue(forKey: id) else { continue }
      do {
        if let active = limbo.activeByTarget[id] {
          try rejectLimbo(id, active.path)
        } else {
          cache.release(target: id)
          removeTarget(id, failure: failure)
        }
      } catch {
        listenTargets[id] = data
        throw error
      }
      aggregator?.removeTarget(id)
    }
  }

  /// Takes over what the server, or the client in its place, said of targets and documents.
  func apply(_ event: RemoteEvent) throws {
    let documents = try cache.apply(event)
    for (id, change) in event.targetChanges { limbo.receive(change, of: id) }
    update(documents, event)
  }
}
