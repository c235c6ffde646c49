/// Operations that are tried, in their order, until the local store lets them succeed.
struct RetryQueue {
  typealias Operation = () throws -> Void

  var operations: [Operation] = []
  var backoff = Backoff()
  /// True if an operation is in progress; the operations that it adds wait.
  var isRunning = false
}

// Recovery from a local store whose transactions fail: the client goes offline and tries again.

extension SyncEngine {
  /// Runs an operation now, or after those that wait; again and again until it succeeds.
  func retryUntilDone(_ operation: @escaping RetryQueue.Operation) {
    retries.operations.append(operation)
    retry()
  }

  /// Tries the first operation that waits.
  func retry() {
    guard !retries.isRunning, let operation = retries.operations.first else { return }
    retries.isRunning = true
    defer { retries.isRunning = false }
    do {
      try operation()
      retries.operations.removeFirst()
      retries.backoff.reset()
    } catch {
      // It stays first and is tried again.
    }
    if retries.operations.isEmpty {
      effects.append(.cancelTimer(.storageRetry))
    } else {
      let delay = retries.backoff.next()
      effects.append(.startTimer(.storageRetry, after: delay, jitter: true))
    }
  }

  /// Runs a necessary change of the store; if it fails the client is offline until it succeeds.
  func storing(_ operation: @escaping RetryQueue.Operation) {
    do { try operation() } catch { waitForStore(operation) }
  }

  /// Closes the streams until an operation succeeds.
  func waitForStore(_ operation: @escaping RetryQueue.Operation) {
    offlineCauses.insert(.storage)
    closeStreams()
    apply(onlineTracker.set(.offline))
    retryUntilDone { [unowned self] in
      try operation()
      self.offlineCauses.remove(.storage)
      self.connectStreams()
    }
  }
}
