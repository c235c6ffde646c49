import Dispatch
import FirestoreModel
import FirestoreSync
import Synchronization

/// A client of one database: it drives the synchronisation's state machine.
///
/// It performs what the engine asks for: streams, timers, callbacks; and tells it what comes of that. It runs on a serial
/// queue of its own. `perform` keeps the order of calls; callbacks come on the queue, in the engine's order.
package actor SyncClient {
  /// Told what comes of a listener: snapshots, and at most one failure, which is its end.
  package typealias ListenHandler = @Sendable (Result<ViewSnapshot, FirestoreFailure>) -> Void
  /// Told the end of something; nil is success.
  package typealias Completion = @Sendable (FirestoreFailure?) -> Void

  private enum State {
    case running(SyncEngine)
    /// The cache could not be opened, even in memory.
    case failed(FirestoreFailure)
    case terminated
  }

  /// Whether single calls may go out.
  private enum Calls {
    case allowed
    /// The network is disabled.
    case disabled
    case terminated
  }

  /// One connection of a stream; its credentials may still be fetched.
  private struct Connection<Stream> {
    let id: StreamID
    var stream: Stream?
    var opening: Task<Void, Never>?
  }

  private let executor = QueueExecutor(label: "FirebaseFirestore.client")
  private let configuration: SyncClientConfiguration
  private var state: State?
  private nonisolated let calls = Mutex(Calls.allowed)
  private var store: (any LocalStore)?
  private var storeName = ""
  private var isHandling = false
  private var isFilling = false
  private var eventCount = 0
  private var isSettling = false
  private var events: [SyncEvent] = []
  private var watch: Connection<any WatchStream>?
  private var write: Connection<any WriteStream>?
  private var needsNewCredentials = false
  /// Which start of a timer counts.
  private var timers: [SyncTimer: Int] = [:]
  private var timerCount = 0
  /// Bounds what the network has read and the engine has not handled.
  private let unhandled = DispatchSemaphore(value: 16)

  // The app's callbacks.
  private var nextID: CallbackID = 1
  private var listeners: [CallbackID: ListenHandler] = [:]
  /// The listeners that a read waits for.
  private var reads: Set<CallbackID> = []
  private var completions: [CallbackID: Completion] = [:]
  private var inSyncListeners: [CallbackID: @Sendable () -> Void] = [:]
  private var bundles: [CallbackID: @Sendable (Result<BundleProgress, FirestoreFailure>) -> Void] =
    [:]

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
  private func engine() -> SyncEngine? {
    if state == nil { start() }
    if case .running(let engine) = state { return engine }
    return nil
  }

  private func start() {
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
      // An observer's news may be older than what a call has taken up.
      configuration.credentials.observeUser { [weak self] _ in
        self?.perform { $0.followUser() }
      }
      handle(.start)
      if configuration.policy == .leastRecentlyUsed { collectGarbage(after: .seconds(60)) }
    } catch {
      configuration.log("The cache cannot be opened: \(error)")
      state = .failed(FirestoreFailure(.unavailable, "The cache cannot be opened: \(error)"))
    }
  }

  private func userChanged(_ user: UserID) {
    guard engine()?.user != user else { return }
    handle(.changeUser(user))
  }

  /// Takes up who is signed in now; a call of the app is that user's, also before the observer has told of them.
  private func followUser() { userChanged(configuration.credentials.currentUser) }

  private func collectGarbage(after delay: Duration) {
    guard let bytes = configuration.cacheBytes else { return }
    schedule(delay) { client in
      client.handle(.collectGarbage(CollectionParameters(threshold: bytes)))
      client.collectGarbage(after: .seconds(300))
    }
  }

  /// Ends everything and closes the cache.
  ///
  /// Listeners end without being told. Whoever waits for something hears `cancelled`; a write of theirs stays queued where
  /// the cache is in a file.
  package func terminate() {
    calls.withLock { $0 = .terminated }
    if case .running = state { handle(.shutdown) }
    state = .terminated
    closeStore()
    closeWatch()
    closeWrite()
    timers = [:]
    inSyncListeners = [:]
    endWaiting()
    configuration.transport.shutDown()
  }

  /// Whether the end was begun.
  package nonisolated var isTerminated: Bool {
    calls.withLock { if case .terminated = $0 { true } else { false } }
  }

  private static var terminated: FirestoreFailure {
    FirestoreFailure(.cancelled, "The client was terminated.")
  }

  private func endWaiting() {
    let (listeners, completions, bundles) = (listeners, completions, bundles)
    let reads = reads
    (self.listeners, self.completions, self.bundles, self.reads) = ([:], [:], [:], [])
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

  private var failure: FirestoreFailure {
    if case .failed(let failure) = state { return failure }
    return FirestoreFailure(.failedPrecondition, "The client has already been terminated.")
  }

  // MARK: The engine

  /// Tells the engine what happened and performs what it asks for.
  private func handle(_ event: SyncEvent) {
    // What starts the client comes before what it was started for.
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
        client.configuration.log("The cache could not be settled: \(error)")
      }
    }
  }

  private func perform(_ effect: SyncEffect) {
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
    case .cancelTimer(let timer): timers[timer] = nil
    default: tell(effect)
    }
  }

  private func tell(_ effect: SyncEffect) {
    switch effect {
    case .snapshot(let id, let snapshot): listeners[id]?(.success(snapshot))
    case .listenFailed(let id, let failure):
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

  // MARK: Timers

  private func start(_ timer: SyncTimer, _ delay: Duration, jitter: Bool) {
    timerCount += 1
    let count = timerCount
    timers[timer] = count
    schedule(jitter ? delay * (1 + configuration.jitter()) : delay) { client in
      guard client.timers[timer] == count else { return }
      client.timers[timer] = nil
      client.handle(.timerFired(timer))
    }
  }

  private func schedule(
    _ delay: Duration,
    _ body: @escaping @Sendable (isolated SyncClient) -> Void
  ) {
    let fire: @Sendable () -> Void = { [weak self] in self?.perform(body) }
    if let schedule = configuration.schedule {
      schedule(delay, fire)
    } else {
      let seconds = Double(delay.components.seconds)
      let fraction = Double(delay.components.attoseconds) / 1e18
      executor.queue.asyncAfter(deadline: .now() + seconds + fraction, execute: fire)
    }
  }

  // MARK: Streams

  /// Fetches credentials and goes on with them, on the client's queue.
  private func withCredentials(
    _ body: @escaping @Sendable (isolated SyncClient, Result<CallCredentials, any Error>) -> Void
  ) -> Task<Void, Never> {
    let isForced = needsNewCredentials
    needsNewCredentials = false
    let source = configuration.credentials
    return Task {
      let result: Result<CallCredentials, any Error>
      do {
        result = .success(try await source.credentials(forcingRefresh: isForced))
      } catch {
        result = .failure(error)
      }
      // The token may be of a user of whom the observer has not told yet: that one's queue goes with it. The streams
      // of the last user are closed then, and the body finds that its own is.
      if !Task.isCancelled { userChanged(source.currentUser) }
      body(self, result)
    }
  }

  private static func failure(ofCredentials error: any Error) -> FirestoreFailure {
    FirestoreFailure(.unknown, "The credentials cannot be renewed: \(error)")
  }

  private func openWatch(_ id: StreamID) {
    closeWatch()
    watch = Connection(id: id)
    watch?.opening = withCredentials { client, result in
      guard client.watch?.id == id else { return }
      switch result {
      case .success(let credentials): client.connectWatch(id, credentials)
      case .failure(let error):
        client.watch = nil
        client.handle(.watchClosed(id, SyncClient.failure(ofCredentials: error)))
      }
    }
  }

  private func connectWatch(_ id: StreamID, _ credentials: CallCredentials) {
    let unhandled = unhandled
    let stream = configuration.transport.openWatch(credentials) { [weak self] event in
      guard let self else { return }
      unhandled.wait()
      perform { client in
        defer { unhandled.signal() }
        client.receive(event, id)
      }
    }
    watch = Connection(id: id, stream: stream)
    handle(.watchOpened(id))
  }

  private func receive(_ event: WatchStreamEvent, _ id: StreamID) {
    guard watch?.id == id else { return }
    switch event {
    case .changed(let changes): for change in changes { handle(.watchChanged(id, change)) }
    case .closed(let failure):
      watch = nil
      handle(.watchClosed(id, failure))
    }
  }

  private func closeWatch() {
    watch?.opening?.cancel()
    watch?.stream?.close()
    watch = nil
  }

  private func openWrite(_ id: StreamID) {
    closeWrite()
    write = Connection(id: id)
    write?.opening = withCredentials { client, result in
      guard client.write?.id == id else { return }
      switch result {
      case .success(let credentials): client.connectWrite(id, credentials)
      case .failure(let error):
        client.write = nil
        client.handle(.writeClosed(id, SyncClient.failure(ofCredentials: error)))
      }
    }
  }

  private func connectWrite(_ id: StreamID, _ credentials: CallCredentials) {
    let unhandled = unhandled
    let stream = configuration.transport.openWrite(credentials) { [weak self] event in
      guard let self else { return }
      unhandled.wait()
      perform { client in
        defer { unhandled.signal() }
        client.receive(event, id)
      }
    }
    write = Connection(id: id, stream: stream)
    handle(.writeOpened(id))
  }

  private func receive(_ event: WriteStreamEvent, _ id: StreamID) {
    guard write?.id == id else { return }
    switch event {
    case .shaken(let token): handle(.writeShaken(id, token: token))
    case .acknowledged(let token, let version, let results):
      handle(.writeAcknowledged(id, token: token, commitVersion: version, results: results))
    case .closed(let failure):
      write = nil
      handle(.writeClosed(id, failure))
    }
  }

  private func closeWrite() {
    write?.opening?.cancel()
    write?.stream?.close()
    write = nil
  }

  // MARK: What the app calls

  private func newID() -> CallbackID {
    defer { nextID += 1 }
    return nextID
  }

  /// Listens to a query; the handler may be called before this returns.
  package func listen(
    _ query: ListenQuery,
    _ options: ListenOptions,
    _ handler: @escaping ListenHandler
  ) -> CallbackID {
    let id = newID()
    guard engine() != nil else {
      handler(.failure(failure))
      return id
    }
    followUser()
    listeners[id] = handler
    handle(.listen(id, query, options))
    return id
  }

  /// Ends a listener, which is not called again.
  package func unlisten(_ id: CallbackID) {
    guard listeners.removeValue(forKey: id) != nil else { return }
    handle(.unlisten(id))
  }

  /// Writes locally and queues the writes; the completion comes with the server's answer.
  package func write(_ writes: [Write], _ completion: @escaping Completion) {
    guard engine() != nil else { return completion(failure) }
    followUser()
    let id = newID()
    completions[id] = completion
    handle(.write(id, writes, localWriteTime: configuration.now()))
  }

  /// Calls back when all writes that are queued now have been answered.
  package func waitForPendingWrites(_ completion: @escaping Completion) {
    guard engine() != nil else { return completion(failure) }
    followUser()
    let id = newID()
    completions[id] = completion
    handle(.waitForPendingWrites(id))
  }

  /// Calls the handler now and after every round of snapshots.
  package func addInSyncListener(_ handler: @escaping @Sendable () -> Void) -> CallbackID {
    let id = newID()
    inSyncListeners[id] = handler
    handle(.addSnapshotsInSyncListener(id))
    return id
  }

  /// Ends such a listener.
  package func removeInSyncListener(_ id: CallbackID) {
    inSyncListeners[id] = nil
    handle(.removeSnapshotsInSyncListener(id))
  }

  /// Loads a bundle.
  package func loadBundle(
    _ bytes: [UInt8],
    _ completion: @escaping @Sendable (Result<BundleProgress, FirestoreFailure>) -> Void
  ) {
    guard engine() != nil else { return completion(.failure(failure)) }
    let id = newID()
    bundles[id] = completion
    handle(.loadBundle(id, bytes))
  }

  /// Uses the network again.
  package func enableNetwork() {
    calls.withLock { if case .disabled = $0 { $0 = .allowed } }
    handle(.enableNetwork)
  }

  /// Uses the cache alone.
  package func disableNetwork() {
    calls.withLock { if case .allowed = $0 { $0 = .disabled } }
    handle(.disableNetwork)
  }

  // MARK: Indexes

  /// Whether queries of the cache that read much for little get indexes from now on.
  package func setMakesIndexes(_ isWanted: Bool) { engine()?.setMakesIndexes(isWanted) }

  /// Makes the cache's indexes these, which are filled bit by bit.
  package func configureIndexes(_ definitions: [FieldIndex.Definition]) throws {
    guard let engine = engine() else { throw failure }
    try engine.configureIndexes(definitions)
    fillIndexes()
  }

  /// Fills indexes that are not complete, with time for other things between the steps.
  private func fillIndexes() {
    guard !isFilling, case .running(let engine) = state, engine.hasUnfinishedIndexes else { return }
    isFilling = true
    schedule(.milliseconds(5)) { client in
      client.isFilling = false
      guard case .running(let engine) = client.state else { return }
      do {
        try engine.fillIndexes()
        client.fillIndexes()
      } catch {
        // The next call of the app tries again.
        client.configuration.log("An index of the cache cannot be filled: \(error)")
      }
    }
  }

  // MARK: Reading once

  /// A document from the cache alone; `.unseen` where nothing is known of it.
  package func cachedDocument(_ path: ResourcePath) throws -> CachedDocument {
    guard let engine = engine() else { throw failure }
    return try engine.cachedDocument(path)
  }

  /// A query's results from the cache alone.
  package func cachedResults(_ query: ListenQuery) throws -> ViewSnapshot {
    guard let engine = engine() else { throw failure }
    defer { fillIndexes() }
    return try engine.cachedResults(query)
  }

  /// A query that a bundle named.
  package func namedQuery(_ name: String) throws -> NamedQuery? {
    guard let engine = engine() else { throw failure }
    return try engine.namedQuery(name)
  }

  /// Listens until the first snapshot, which waits for the server while the client may be online.
  package func firstSnapshot(
    _ query: ListenQuery,
    _ handler:
      @escaping @Sendable (isolated SyncClient, Result<ViewSnapshot, FirestoreFailure>) -> Void
  ) {
    let options = ListenOptions(includesMetadataChanges: true, waitsForSyncWhenOnline: true)
    let id = newID()
    guard engine() != nil else { return handler(self, .failure(failure)) }
    followUser()
    listeners[id] = { [weak self] result in
      // On the client's queue, where every handler is called.
      self?.assumeIsolated { client in
        client.listeners[id] = nil
        client.reads.remove(id)
        client.handle(.unlisten(id))
        handler(client, result)
      }
    }
    reads.insert(id)
    handle(.listen(id, query, options))
  }

  // MARK: Single calls

  /// Calls the server without the cache; fails while the network is disabled and after the end.
  package nonisolated func call<R: Sendable>(
    _ body: @Sendable (any FirestoreTransport, CallCredentials) async throws -> R
  ) async throws -> R {
    switch calls.withLock({ $0 }) {
    case .allowed: break
    case .disabled: throw FirestoreFailure(.unavailable, "Failed to get result from server.")
    case .terminated: throw Self.terminated
    }
    let transport = configuration.transport
    let source = configuration.credentials
    do {
      return try await body(transport, try await source.credentials(forcingRefresh: false))
    } catch  where isTerminated {
      throw Self.terminated
    } catch let failure as FirestoreFailure where failure.code == .unauthenticated {
      return try await body(transport, try await source.credentials(forcingRefresh: true))
    }
  }
}
