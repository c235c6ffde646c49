import FirestoreModel

/// The client's synchronization of a database: its listeners, its writes, and the server's data.
///
/// A state machine: `handle` takes an event and returns the resulting actions, in order. It reads
/// no clock, opens no connection and starts no task; the one thing that it calls is its local
/// store. It is used from one thread at a time.
///
/// Its parts are in extensions: listeners and views, limbo documents, the watch stream, the write pipeline, network and
/// user changes, and recovery from a store that fails.
package final class SyncEngine {
  /// The settings with which an engine is made.
  package struct Configuration: Sendable {
    /// The database whose documents the engine synchronizes.
    package var database: DatabaseID
    /// The rule by which the cache drops documents that nothing uses.
    package var policy: CollectionPolicy
    /// The signed-in user at the start; nil if there is none.
    package var user: UserID
    /// The number of limbo documents that are requested at the same time.
    package var maxConcurrentLimboResolutions: Int

    /// A configuration without a signed-in user.
    package init(
      database: DatabaseID,
      policy: CollectionPolicy,
      user: UserID = nil,
      maxConcurrentLimboResolutions: Int = 100
    ) {
      self.database = database
      self.policy = policy
      self.user = user
      self.maxConcurrentLimboResolutions = maxConcurrentLimboResolutions
    }
  }

  /// A query that is listened to.
  struct ActiveQuery {
    var view: View
    let targetID: TargetID
    var listeners: [QueryListener] = []
    /// The last snapshot, for listeners that come later.
    var snapshot: ViewSnapshot?
  }

  /// The reason why the client does not use the network.
  enum OfflineCause: Hashable {
    case user
    case storage
    case userChange
    case shutdown
  }

  let configuration: Configuration
  let cache: LocalCache

  // Listeners and views, in the order in which they were added.
  var queries: [ListenQuery: ActiveQuery] = [:]
  var queryOrder: [ListenQuery] = []
  var queriesByTarget: [TargetID: [ListenQuery]] = [:]
  var listenerQueries: [CallbackID: ListenQuery] = [:]
  /// Views whose full limit lost a document while the store could not be read.
  var unfilled: Set<ListenQuery> = []
  var inSyncListeners: [CallbackID] = []
  var limbo: LimboResolution

  // The watch stream.
  var watch = StreamConnection(idle: .watchIdle, backoff: .watchBackoff, health: .watchHealth)
  var listenTargets: [TargetID: TargetData] = [:]
  var aggregator: WatchAggregator?
  var onlineTracker = OnlineStateTracker()
  /// The state of the connection: `unknown` until an attempt succeeds or fails.
  package internal(set) var onlineState = OnlineState.unknown

  // The write stream.
  var write = StreamConnection(idle: .writeIdle, backoff: .writeBackoff, health: .writeHealth)
  var isHandshakeComplete = false
  var streamToken: [UInt8] = []
  var pipeline: [MutationBatch] = []
  var writeCallbacks: [UserID: [BatchID: CallbackID]] = [:]
  var pendingWritesCallbacks: [BatchID: [CallbackID]] = [:]

  var offlineCauses: Set<OfflineCause> = []
  var retries = RetryQueue()
  var effects: [SyncEffect] = []

  /// An engine over a store; throws where the store cannot be read.
  package init(_ configuration: Configuration, store: any LocalStore) throws {
    self.configuration = configuration
    limbo = LimboResolution(capacity: configuration.maxConcurrentLimboResolutions)
    cache = try LocalCache(
      store: store,
      database: configuration.database,
      policy: configuration.policy,
      user: configuration.user
    )
  }

  /// Takes an event and returns the resulting actions.
  package func handle(_ event: SyncEvent) -> [SyncEffect] {
    guard !offlineCauses.contains(.shutdown) else { return [] }
    switch event {
    case .listen(let id, let query, let options): listen(id, query, options)
    case .unlisten(let id): unlisten(id)
    case .write(let id, let writes, let time): write(id, writes, localWriteTime: time)
    case .waitForPendingWrites(let id): waitForPendingWrites(id)
    case .addSnapshotsInSyncListener(let id):
      inSyncListeners.append(id)
      effects.append(.snapshotsInSync(id))
    case .removeSnapshotsInSyncListener(let id): inSyncListeners.removeAll { $0 == id }
    case .loadBundle(let id, let bytes, let progress): loadBundle(id, bytes, progress)
    case .start, .enableNetwork: enableNetwork()
    case .disableNetwork: disableNetwork()
    case .changeUser(let user): retryUntilDone { [unowned self] in try self.changeUser(to: user) }
    case .collectGarbage(let parameters): collectGarbage(parameters)
    case .shutdown: shutdown()
    default: handleStreamEvent(event)
    }
    defer { effects = [] }
    return effects
  }

  private func handleStreamEvent(_ event: SyncEvent) {
    switch event {
    case .watchOpened(let id) where id == watch.id: watchOpened()
    case .watchChanged(let id, let change) where id == watch.id: watchChanged(change)
    case .watchClosed(let id, let failure) where id == watch.id: watchClosed(failure)
    case .writeOpened(let id) where id == write.id: writeOpened()
    case .writeShaken(let id, let token) where id == write.id: handshakeCompleted(token)
    case .writeAcknowledged(let id, let token, let version, let results) where id == write.id:
      writeAcknowledged(token, version, results)
    case .writeClosed(let id, let failure) where id == write.id: writeClosed(failure)
    case .timerFired(let timer): timerFired(timer)
    default: break
    }
  }

  private func timerFired(_ timer: SyncTimer) {
    switch timer {
    case .onlineState: apply(onlineTracker.timedOut())
    case .watchIdle: watchIdled()
    case .watchBackoff: connect(\.watch)
    case .watchHealth: watch.isHealthy = watch.isOpen
    case .writeIdle: writeIdled()
    case .writeBackoff: connect(\.write)
    case .writeHealth: write.isHealthy = write.isOpen
    case .storageRetry: retry()
    }
  }

  /// The user whose writes are seen and queued; a change waits for the store.
  package var user: UserID { cache.user }

  // MARK: Reading the cache

  /// A document as the user sees it, from the cache alone; `.unseen` where nothing is known of it.
  package func cachedDocument(_ path: ResourcePath) throws -> CachedDocument {
    try cache.document(path)
  }

  /// A query's results from the cache alone, as a first snapshot.
  package func cachedResults(_ query: ListenQuery) throws -> ViewSnapshot {
    let (documents, keys) = try cache.execute(query, usePreviousResults: true)
    var view = View(query, synced: keys)
    _ = view.apply(view.changes(for: documents), target: nil, resolvesLimbo: false)
    return view.currentSnapshot()
  }

  // MARK: Indexes

  /// Turns indexes on or off for queries of the cache that read much for little.
  package func setMakesIndexes(_ isWanted: Bool) { cache.makesIndexes = isWanted }

  /// Makes the cache's indexes these; `fillIndexes` fills new ones.
  package func configureIndexes(_ definitions: [FieldIndex.Definition]) throws {
    try cache.configureIndexes(definitions)
  }

  /// True if an index is to be filled.
  package var hasUnfinishedIndexes: Bool { cache.hasUnfinishedIndexes() }

  /// Fills the cache's indexes a little further.
  package func fillIndexes() throws { try cache.fillIndexes() }

  /// A query that a bundle named.
  package func namedQuery(_ name: String) throws -> NamedQuery? { try cache.namedQuery(name) }

  private func collectGarbage(_ parameters: CollectionParameters) {
    guard let result = try? cache.collectGarbage(parameters) else { return }
    effects.append(.garbageCollected(result))
  }
}
