// Connections, the network switch, and changes of the user.

extension SyncEngine {
  private static let idleTime = Duration.seconds(60)
  private static let healthyAge = Duration.seconds(10)

  var canUseNetwork: Bool { offlineCauses.isEmpty }

  // MARK: One stream's life

  /// Connects, after an error only when the back-off timer has fired.
  func start(_ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>) {
    if self[keyPath: stream].state == .failed {
      self[keyPath: stream].state = .waiting
      let delay = self[keyPath: stream].backoff.next()
      let timer = self[keyPath: stream].timers.backoff
      effects.append(.startTimer(timer, after: delay, jitter: true))
    } else {
      self[keyPath: stream].state = .waiting
      connect(stream)
    }
  }

  func connect(_ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>) {
    guard self[keyPath: stream].state == .waiting else { return }
    self[keyPath: stream].state = .opening
    self[keyPath: stream].id += 1
    let id = self[keyPath: stream].id
    effects.append(stream == \SyncEngine.watch ? .openWatch(id) : .openWrite(id))
  }

  func opened(_ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>) {
    self[keyPath: stream].state = .open
    let timer = self[keyPath: stream].timers.health
    effects.append(.startTimer(timer, after: Self.healthyAge, jitter: false))
  }

  /// Takes over that the server or the network closed the stream.
  func closed(
    _ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>,
    _ failure: FirestoreFailure?
  ) {
    stopTimers(stream)
    if failure?.code == .resourceExhausted {
      self[keyPath: stream].backoff.resetToGreatest()
    } else if failure?.code == .unauthenticated, !self[keyPath: stream].isHealthy {
      effects.append(.invalidateCredentials)
    }
    self[keyPath: stream].isHealthy = false
    self[keyPath: stream].state = .failed
  }

  /// Closes the stream; the next start has no delay.
  func stop(_ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>) {
    let state = self[keyPath: stream].state
    stopTimers(stream)
    if state == .opening || state == .open {
      let id = self[keyPath: stream].id
      effects.append(stream == \SyncEngine.watch ? .closeWatch(id) : .closeWrite(id))
    }
    self[keyPath: stream].id += 1
    self[keyPath: stream].state = .idle
    self[keyPath: stream].isHealthy = false
    self[keyPath: stream].backoff.reset()
  }

  private func stopTimers(_ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>) {
    stopIdleTimer(stream)
    switch self[keyPath: stream].state {
    case .waiting: effects.append(.cancelTimer(self[keyPath: stream].timers.backoff))
    case .open: effects.append(.cancelTimer(self[keyPath: stream].timers.health))
    case .idle, .opening, .failed: break
    }
  }

  func startIdleTimer(_ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>) {
    guard self[keyPath: stream].isOpen, !self[keyPath: stream].isIdleTimerRunning else { return }
    self[keyPath: stream].isIdleTimerRunning = true
    let timer = self[keyPath: stream].timers.idle
    effects.append(.startTimer(timer, after: Self.idleTime, jitter: false))
  }

  func stopIdleTimer(_ stream: ReferenceWritableKeyPath<SyncEngine, StreamConnection>) {
    guard self[keyPath: stream].isIdleTimerRunning else { return }
    self[keyPath: stream].isIdleTimerRunning = false
    effects.append(.cancelTimer(self[keyPath: stream].timers.idle))
  }

  // MARK: The network switch

  func enableNetwork() {
    offlineCauses.remove(.user)
    connectStreams()
  }

  func disableNetwork() {
    offlineCauses.insert(.user)
    closeStreams()
    apply(onlineTracker.set(.offline))
  }

  func shutdown() {
    offlineCauses.insert(.shutdown)
    closeStreams()
    queries = [:]
    queryOrder = []
    effects += SyncTimer.allCases.map { .cancelTimer($0) }
  }

  func connectStreams() {
    guard canUseNetwork else { return }
    if shouldStartWatch { startWatch() } else { apply(onlineTracker.set(.unknown)) }
    fillPipeline()
  }

  func closeStreams() {
    stopWrite()
    stop(\.watch)
    pipeline = []
    aggregator = nil
  }

  // MARK: Changes of the user

  /// Turns to another user's queue, with streams that carry the new credentials.
  func changeUser(to user: UserID) throws {
    let usedNetwork = canUseNetwork
    offlineCauses.insert(.userChange)
    closeStreams()
    if usedNetwork { apply(onlineTracker.set(.unknown)) }
    if user != cache.user {
      let documents = try cache.changeUser(to: user)
      rejectPendingWritesCallbacks()
      update(documents)
    }
    offlineCauses.remove(.userChange)
    connectStreams()
  }

  private func rejectPendingWritesCallbacks() {
    let failure = FirestoreFailure(
      .cancelled,
      "'waitForPendingWrites' callback is cancelled due to a user change."
    )
    for id in pendingWritesCallbacks.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
      effects.append(.pendingWritesDone(id, failure))
    }
    pendingWritesCallbacks = [:]
  }
}
