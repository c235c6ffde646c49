import Dispatch
import FirestoreSync
import Locking

/// A client of one database: it drives the synchronisation's state machine.
///
/// It performs the engine's actions (streams, timers, callbacks) and reports their results to it.
/// It runs on a serial queue of its own. `perform` keeps the order of calls; callbacks come on the
/// queue, in the engine's order.
package actor SyncClient {
  /// Receives the events of a listener: snapshots, and at most one failure, which is its end.
  package typealias ListenHandler = @Sendable (Result<ViewSnapshot, FirestoreFailure>) -> Void
  /// Called at the end; nil is success.
  package typealias Completion = @Sendable (FirestoreFailure?) -> Void

  enum State {
    case running(SyncEngine)
    /// The cache could not be opened, even in memory.
    case failed(FirestoreFailure)
    case terminated
  }

  /// The state that decides if single calls may go out.
  enum Calls {
    case allowed
    /// The network is disabled.
    case disabled
    case terminated
  }

  /// One connection of a stream; its credentials may still be fetched.
  struct Connection<Stream> {
    let id: StreamID
    var stream: Stream?
    var opening: Task<Void, Never>?
  }

  let executor = QueueExecutor(label: "FirebaseFirestore.client")
  let configuration: SyncClientConfiguration
  var state: State?
  nonisolated let calls = Lock(Calls.allowed)
  private var store: (any LocalStore)?
  private var storeName = ""
  private var isHandling = false
  var isFilling = false
  private var eventCount = 0
  private var isSettling = false
  private var events: [SyncEvent] = []
  var watch: Connection<any WatchStream>?
  var write: Connection<any WriteStream>?
  var needsNewCredentials = false
  var timers: [SyncTimer: RunningTimer] = [:]
  var sources: [SyncTimer: any DispatchSourceTimer] = [:]
  var timerCount = 0
  /// Bounds the network's data that the engine has not handled.
  let unhandled = DispatchSemaphore(value: 16)

  // The app's callbacks.
  var nextID: CallbackID = 1
  var listeners: [CallbackID: ListenHandler] = [:]
  /// The listeners that a read waits for.
  var reads: Set<CallbackID> = []
  /// Called at the client's end, which listeners are not.
  var ends: [CallbackID: @Sendable () -> Void] = [:]
  var completions: [CallbackID: Completion] = [:]
  var inSyncListeners: [CallbackID: @Sendable () -> Void] = [:]
  var bundles: [CallbackID: @Sendable (Result<BundleProgress, FirestoreFailure>) -> Void] =
    [:]

  /// The client's own serial queue, on which everything of the actor runs.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// A client that opens its cache and connects when it is first used.
  package init(_ configuration: SyncClientConfiguration) { self.configuration = configuration }

  /// Runs a body on the client's queue, behind all that was given before.
  package nonisolated func perform(_ body: @escaping @Sendable (isolated SyncClient) -> Void) {
    executor.queue.async { self.assumeIsolated(body) }
  }

  // MARK: Life

  /// The engine; nil after the client was terminated or where it could not start.
  func engine() -> SyncEngine? {
    if state == nil { start() }
    if case .running(let engine) = state { return engine }
    return nil
  }

  func start() {
    do {
      let (store, name) = try configuration.openStore()
      self.store = store
      storeName = name
      let user = configuration.credentials.currentUser
      let engine = try SyncEngine(
        .init(database: configuration.database, policy: configuration.policy, user: user),
        store: store
      )
      state = .running(engine)
      // An observer's event may be older than the state of a call.
      configuration.credentials.observeUser { [weak self] _ in
        self?.perform { $0.followUser() }
      }
      handle(.start)
      if configuration.policy == .leastRecentlyUsed { collectGarbage(after: .seconds(60)) }
    } catch {
      configuration.log("The cache can't be opened: \(error)")
      state = .failed(FirestoreFailure(.unavailable, "The cache can't be opened: \(error)"))
    }
  }

  func userChanged(_ user: UserID) {
    guard engine()?.user != user else { return }
    handle(.changeUser(user))
  }

  /// Applies the current user; a call of the app is that user's, also before the observer's event.
  func followUser() { userChanged(configuration.credentials.currentUser) }

  private func collectGarbage(after delay: Duration) {
    guard let bytes = configuration.cacheBytes else { return }
    schedule(delay) { client in
      client.handle(.collectGarbage(CollectionParameters(threshold: bytes)))
      client.collectGarbage(after: .seconds(300))
    }
  }

  /// Ends everything and closes the cache.
  ///
  /// Listeners end without notice. A caller that waits for something receives `cancelled`; its
  /// writes stay queued if the cache is in a file.
  package func terminate() {
    calls.withLock { $0 = .terminated }
    if case .running = state { handle(.shutdown) }
    state = .terminated
    closeStore()
    closeWatch()
    closeWrite()
    timers = [:]
    for source in sources.values { source.cancel() }
    sources = [:]
    inSyncListeners = [:]
    endWaiting()
    configuration.transport.shutDown()
  }

  /// True if the client is terminating or terminated.
  package nonisolated var isTerminated: Bool {
    calls.withLock { if case .terminated = $0 { true } else { false } }
  }

  static var terminated: FirestoreFailure {
    FirestoreFailure(.cancelled, "The client was terminated.")
  }

  private func endWaiting() {
    let (listeners, completions, bundles) = (listeners, completions, bundles)
    let (reads, ends) = (reads, ends)
    (self.listeners, self.completions, self.bundles) = ([:], [:], [:])
    (self.reads, self.ends) = ([], [:])
    for (_, end) in ends.sorted(by: { $0.key < $1.key }) { end() }
    for id in reads.sorted() { listeners[id]?(.failure(Self.terminated)) }
    for (_, completion) in completions.sorted(by: { $0.key < $1.key }) {
      completion(Self.terminated)
    }
    for (_, completion) in bundles.sorted(by: { $0.key < $1.key }) {
      completion(.failure(Self.terminated))
    }
  }

  private func closeStore() {
    do {
      try store?.close()
    } catch {
      configuration.log("The cache could not be closed: \(error)")
    }
    store = nil
  }

  /// Writes to the app's log.
  package func log(_ text: String) { configuration.log(text) }

  var failure: FirestoreFailure {
    if case .failed(let failure) = state { return failure }
    return FirestoreFailure(.failedPrecondition, "The client has already been terminated.")
  }

  // MARK: The engine

  /// Passes an event to the engine and performs the resulting actions.
  func handle(_ event: SyncEvent) {
    // The start of the client comes before the call that needed it.
    guard engine() != nil else { return }
    events.append(event)
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    while !events.isEmpty, let engine = engine() {
      for effect in engine.handle(events.removeFirst()) { perform(effect) }
    }
    events = []
    eventCount += 1
    fillIndexes()
    settle()
  }

  /// Settles the store when nothing has happened for a second.
  private func settle() {
    guard !isSettling else { return }
    isSettling = true
    let count = eventCount
    schedule(.seconds(1)) { client in
      client.isSettling = false
      guard client.eventCount == count else { return client.settle() }
      do {
        try client.store?.settle()
      } catch {
        client.configuration.log("The cache could not be updated: \(error)")
      }
    }
  }

  func perform(_ effect: SyncEffect) {
    switch effect {
    case .openWatch(let id): openWatch(id)
    case .listen(let id, let data) where id == watch?.id: watch?.stream?.listen(data)
    case .unlisten(let id, let target) where id == watch?.id: watch?.stream?.unlisten(target)
    case .closeWatch(let id) where id == watch?.id: closeWatch()
    case .openWrite(let id): openWrite(id)
    case .shakeHands(let id) where id == write?.id: write?.stream?.shakeHands()
    case .sendWrites(let id, let batch, let writes, let token) where id == write?.id:
      write?.stream?.send(writes, token: token, label: batch.map { "\(storeName)-\($0)" })
    case .closeWrite(let id) where id == write?.id: closeWrite()
    case .listen, .unlisten, .closeWatch, .shakeHands, .sendWrites, .closeWrite: break
    case .invalidateCredentials: needsNewCredentials = true
    case .startTimer(let timer, let delay, let jitter): start(timer, delay, jitter: jitter)
    case .cancelTimer(let timer): cancel(timer)
    default: tell(effect)
    }
  }

  private func tell(_ effect: SyncEffect) {
    switch effect {
    case .snapshot(let id, let snapshot): listeners[id]?(.success(snapshot))
    case .listenFailed(let id, let failure):
      ends[id] = nil
      listeners.removeValue(forKey: id)?(.failure(failure))
    case .writeCompleted(let id, let failure), .pendingWritesDone(let id, let failure):
      completions.removeValue(forKey: id)?(failure)
    case .snapshotsInSync(let id): inSyncListeners[id]?()
    case .bundleLoaded(let id, let progress):
      bundles.removeValue(forKey: id)?(.success(progress))
    case .bundleFailed(let id, let failure): bundles.removeValue(forKey: id)?(.failure(failure))
    default: break
    }
  }
}
