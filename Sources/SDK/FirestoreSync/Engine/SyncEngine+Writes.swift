import FirestoreModel

// Local writes and the pipeline in which they go to the server.

extension SyncEngine {
  /// The number of batches that are sent before the response to the first.
  private static let greatestPipeline = 10

  /// The number of batches that have been taken up to be sent and have no response yet.
  package var pipelineCount: Int { pipeline.count }

  // MARK: Local writes

  func write(_ id: CallbackID, _ writes: [Write], localWriteTime: Timestamp) {
    do {
      let (batch, documents) = try cache.write(writes, localWriteTime: localWriteTime)
      writeCallbacks[cache.user, default: [:]][batch.id] = id
      update(documents)
      fillPipeline()
    } catch {
      effects.append(
        .writeCompleted(id, FirestoreFailure(.unavailable, "Failed to persist write"))
      )
    }
  }

  func waitForPendingWrites(_ id: CallbackID) {
    do {
      if let last = try cache.highestBatchID() {
        pendingWritesCallbacks[last, default: []].append(id)
      } else {
        effects.append(.pendingWritesDone(id, nil))
      }
    } catch {
      let failure = FirestoreFailure(
        .unavailable,
        "Initialization of waitForPendingWrites() operation failed"
      )
      effects.append(.pendingWritesDone(id, failure))
    }
  }

  /// The batch left the queue: notifies waiting callers, and shows its documents.
  private func complete(_ id: BatchID, _ documents: Documents, _ failure: FirestoreFailure?) {
    if let callback = writeCallbacks[cache.user]?.removeValue(forKey: id) {
      effects.append(.writeCompleted(callback, failure))
    }
    for callback in pendingWritesCallbacks.removeValue(forKey: id) ?? [] {
      effects.append(.pendingWritesDone(callback, nil))
    }
    update(documents, acknowledged: failure == nil)
  }

  // MARK: The pipeline

  /// Takes batches from the queue while there is room, and connects if there is something to send.
  func fillPipeline() {
    var last = pipeline.last?.id ?? 0
    while canUseNetwork, pipeline.count < Self.greatestPipeline {
      do {
        guard let batch = try cache.batch(after: last) else {
          if pipeline.isEmpty { startIdleTimer(\.write) }
          break
        }
        last = batch.id
        pipeline.append(batch)
        if write.isOpen, isHandshakeComplete { send(batch) }
      } catch {
        waitForStore { [unowned self] in _ = try self.cache.lastSnapshotVersion() }
      }
    }
    if shouldStartWrite { start(\.write) }
  }

  private func send(_ batch: MutationBatch) {
    stopIdleTimer(\.write)
    effects.append(.sendWrites(write.id, batch.id, batch.writes, token: streamToken))
  }

  // MARK: The stream's life

  var shouldStartWrite: Bool { canUseNetwork && !write.isStarted && !pipeline.isEmpty }

  func writeOpened() {
    guard write.state == .opening else { return }
    opened(\.write)
    isHandshakeComplete = false
    streamToken = []
    effects.append(.shakeHands(write.id))
  }

  func handshakeCompleted(_ token: [UInt8]) {
    guard write.isOpen, !isHandshakeComplete else { return }
    isHandshakeComplete = true
    streamToken = token
    for batch in pipeline { send(batch) }
    if pipeline.isEmpty { startIdleTimer(\.write) }
  }

  func writeAcknowledged(_ token: [UInt8], _ version: CommitVersion, _ results: [WriteResult]) {
    guard write.isOpen, isHandshakeComplete else { return }
    streamToken = token
    write.backoff.reset()
    guard !pipeline.isEmpty else { return }
    let batch = pipeline.removeFirst()
    storing { [unowned self] in
      let documents = try self.cache.acknowledge(
        batch.id,
        results: results,
        commitVersion: version
      )
      self.complete(batch.id, documents, nil)
    }
    fillPipeline()
  }

  func writeClosed(_ failure: FirestoreFailure?) {
    guard write.isConnected else { return }
    let wasShaken = isHandshakeComplete
    closed(\.write, failure)
    isHandshakeComplete = false
    if let failure, wasShaken, !pipeline.isEmpty { refuse(failure) }
    if shouldStartWrite { start(\.write) }
  }

  /// Takes the oldest batch of the pipeline as refused, if sending it again is pointless.
  private func refuse(_ failure: FirestoreFailure) {
    guard failure.isPermanentForWrites else { return }
    let batch = pipeline.removeFirst()
    write.state = .idle
    write.backoff.reset()
    storing { [unowned self] in
      let documents = try self.cache.reject(batch.id)
      self.complete(batch.id, documents, failure)
    }
    fillPipeline()
  }

  func writeIdled() {
    write.isIdleTimerRunning = false
    guard write.isOpen, pipeline.isEmpty else { return }
    stopWrite()
  }

  /// Closes the stream in order.
  func stopWrite() {
    if write.isOpen, isHandshakeComplete {
      effects.append(.sendWrites(write.id, nil, [], token: streamToken))
    }
    stop(\.write)
    isHandshakeComplete = false
  }
}
