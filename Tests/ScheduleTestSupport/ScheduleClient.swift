import BaseStatus
import DocumentCodec
import FirestoreModel
import FirestoreSync

/// A broken promise of a client.
package struct Violation: Error {
  package let message: String

  /// Makes a failure that says which promise was not kept.
  package init(_ message: String) { self.message = message }
}

/// A client of a random schedule: an engine, its store, and messages that are on their way.
///
/// Whatever its listeners are told is checked at once (`ListenerCheck`).
package final class ScheduleClient {
  /// The source of a client's store; it is asked again after each restart.
  package typealias OpenStore = () throws -> any LocalStore

  /// A write stream with what is on its way in both directions.
  private struct WriteStream {
    let id: StreamID
    var events: [SyncEvent]
    var requests: [(label: ModelServer.Label, writes: [Write])] = []
    /// True if the server has closed the stream; it reads nothing more then.
    var isRefused = false
  }

  package let number: Int
  package private(set) var store: any LocalStore
  package private(set) var user: UserID = nil
  package private(set) var timers: Set<SyncTimer> = []
  /// The writes that each user's queue took, in their order.
  package private(set) var accepted: [UserID: [[Write]]] = [:]
  /// The writes in the queues of all users when the client began: the last write of an earlier life
  /// may be there, which ended before it could report.
  private let inherited: [Write]
  /// Tells what the queue took before the app is told.
  package var onAccepted: (UserID, [Write]) -> Void = { _, _ in }

  private let server: ModelServer
  private let policy: CollectionPolicy
  private let open: OpenStore
  private var engine: SyncEngine
  private var watch: (id: StreamID, stream: ModelWatch?)?
  private var write: WriteStream?
  private var listeners: [CallbackID: ListenerCheck] = [:]
  private var inSyncListener: CallbackID?
  private var nextID = 1
  private var habits = ModelWatch.Habits()
  private var lastAcknowledged = CommitVersion.zero

  /// A client over a store of its own; `accepted` is what its queue took in earlier lives.
  package init(
    _ number: Int,
    _ server: ModelServer,
    policy: CollectionPolicy,
    accepted: [UserID: [[Write]]] = [:],
    open: @escaping OpenStore
  ) throws {
    self.number = number
    self.server = server
    self.policy = policy
    self.accepted = accepted
    self.open = open
    let store = try open()
    self.store = store
    inherited = try store.transaction(.start) {
      try RandomSchedule.users.flatMap { try store.batches(user: $0).flatMap(\.writes) }
    }
    engine = try Self.engine(server, policy, nil, store)
    server.watchers[number] = { [unowned self] in self.watch?.stream?.update() }
    try send(.start)
  }

  private static func engine(
    _ server: ModelServer,
    _ policy: CollectionPolicy,
    _ user: UserID,
    _ store: any LocalStore
  ) throws -> SyncEngine {
    let configuration = SyncEngine.Configuration(
      database: server.database,
      policy: policy,
      user: user
    )
    return try SyncEngine(configuration, store: store)
  }

  // MARK: The app

  /// Adds a listener.
  package func listen(_ query: ListenQuery, _ options: ListenOptions) throws {
    let id = newID()
    listeners[id] = ListenerCheck(query, options)
    try send(.listen(id, query, options))
  }

  /// Removes one of the listeners.
  package func unlisten(_ choice: Int) throws {
    let ids = listeners.keys.sorted()
    guard !ids.isEmpty else { return }
    let id = ids[choice % ids.count]
    listeners[id] = nil
    try send(.unlisten(id))
  }

  /// Writes; what the store refuses counts as not written.
  package func write(_ writes: [Write], at time: Timestamp) throws {
    let author = engine.user
    let before = try inStore { try store.highestBatchID(user: author) }
    let effects = engine.handle(.write(newID(), writes, localWriteTime: time))
    if try inStore({ try store.highestBatchID(user: author) }) != before {
      accepted[author, default: []].append(writes)
      onAccepted(author, writes)
    }
    try perform(effects)
  }

  /// Loads a bundle of what the server had at a version that the client has seen, or before.
  ///
  /// A newer one would show documents that listeners in step with the server do not have yet.
  package func loadBundle(
    number: Int64,
    _ random: inout some RandomNumberGenerator
  ) throws {
    let seen = try inStore { try store.globals().snapshotVersion }
    let versions = server.history.map(\.version).filter { $0 <= seen }
    guard let version = versions.randomElement(using: &random) else { return }
    let text = BundleText(server.state(at: version), at: version, database: server.database)
    try send(.loadBundle(newID(), text.bytes(id: "b\(number)")))
  }

  /// Signs in as somebody else.
  package func changeUser(_ newUser: UserID) throws {
    user = newUser
    try send(.changeUser(newUser))
  }

  /// Ends the process without a word and begins another over the same store.
  package func kill() throws {
    watch = nil
    write = nil
    timers = []
    listeners = [:]
    inSyncListener = nil
    store.failingLabels = []
    store = try open()
    engine = try Self.engine(server, policy, user, store)
    try send(.start)
  }

  /// Lets a timer fire, if it runs.
  package func fire(_ timer: SyncTimer) throws {
    if timers.remove(timer) != nil { try send(.timerFired(timer)) }
  }

  private func newID() -> CallbackID {
    defer { nextID += 1 }
    return nextID
  }

  /// Looks into the store, whatever fails for the engine.
  private func inStore<R>(_ body: () throws -> R) throws -> R {
    let failing = store.failingLabels
    store.failingLabels = []
    defer { store.failingLabels = failing }
    return try store.transaction(.start, body)
  }

  private func queue() throws -> [MutationBatch] {
    try inStore { try store.batches(user: engine.user) }
  }

  // MARK: The network

  /// Delivers the next message of the watch stream; false if there is none.
  package func deliverWatch() throws -> Bool {
    guard let (id, stream) = watch else { return false }
    guard let stream else {
      watch = (id, ModelWatch(server, habits))
      try send(.watchOpened(id))
      return true
    }
    guard let message = stream.takeMessage() else { return false }
    try send(.watchChanged(id, message))
    return true
  }

  /// Has the server say that nothing more has changed.
  package func sendHeartbeat() { watch?.stream?.sendPoint() }

  /// Delivers the next response of the write stream; false if there is none.
  package func deliverWrite() throws -> Bool {
    guard let event = write?.events.first else { return false }
    write?.events.removeFirst()
    if case .writeAcknowledged(_, _, let version, _) = event { lastAcknowledged = version }
    try send(event)
    return true
  }

  /// Has the server take the next batch; false if there is none.
  package func handleRequest() -> Bool {
    guard let id = write?.id, write?.isRefused == false, write?.requests.isEmpty == false,
      let request = write?.requests.removeFirst()
    else { return false }
    switch server.commit(request.writes, request.label) {
    case .applied(let version, let results):
      write?.events.append(
        .writeAcknowledged(id, token: [1], commitVersion: version, results: results)
      )
    case .refused(let failure):
      write?.isRefused = true
      write?.events.append(.writeClosed(id, failure))
    }
    return true
  }

  /// Cuts the watch stream; what was on its way is lost, and the next server may have other habits.
  package func cutWatch(_ code: StatusCode, habit: Int) throws {
    guard let id = watch?.id else { return }
    habits = ModelWatch.Habits(
      forgetsDeletes: habit & 1 != 0,
      sendsBloomFilters: habit & 2 != 0
    )
    watch = nil
    try send(.watchClosed(id, FirestoreFailure(code)))
  }

  /// Cuts the write stream; answers on their way are lost.
  package func cutWrite(_ code: StatusCode) throws {
    guard let id = write?.id else { return }
    write = nil
    try send(.writeClosed(id, FirestoreFailure(code)))
  }

  // MARK: Driving the engine

  /// Has the engine handle an event and does what it asks for.
  package func send(_ event: SyncEvent) throws { try perform(engine.handle(event)) }

  /// Asks to be told when all listeners are in step.
  package func addInSyncListener() throws {
    guard inSyncListener == nil else { return }
    let id = newID()
    inSyncListener = id
    try send(.addSnapshotsInSyncListener(id))
  }

  private func perform(_ effects: [SyncEffect]) throws {
    try checkInSync(effects)
    for effect in effects { try perform(effect) }
  }

  private func perform(_ effect: SyncEffect) throws {
    switch effect {
    case .openWatch(let id): watch = (id, nil)
    case .listen(let id, let data) where id == watch?.id: watch?.stream?.listen(data)
    case .unlisten(let id, let target) where id == watch?.id: watch?.stream?.unlisten(target)
    case .closeWatch(let id) where id == watch?.id: watch = nil
    case .openWrite(let id): write = WriteStream(id: id, events: [.writeOpened(id)])
    case .shakeHands(let id) where id == write?.id:
      write?.events.append(.writeShaken(id, token: [0]))
    case .sendWrites(let id, let batch?, let writes, _) where id == write?.id:
      let label = ModelServer.Label(client: number, user: engine.user, batch: batch)
      write?.requests.append((label, writes))
    case .closeWrite(let id) where id == write?.id: write = nil
    case .startTimer(let timer, _, _): timers.insert(timer)
    case .cancelTimer(let timer): timers.remove(timer)
    case .snapshot(let id, let snapshot): try show(snapshot, to: id)
    case .listenFailed(let id, _): listeners[id] = nil
    case .bundleFailed(_, let failure) where store.failingLabels.isEmpty:
      throw Violation("a bundle is refused: \(failure.message)")
    default: break
    }
  }

  /// Checks that waiters for all listeners to be in step are notified after every turn that
  /// notified one, and in no other.
  private func checkInSync(_ effects: [SyncEffect]) throws {
    guard let id = inSyncListener else { return }
    var isAwaited = false
    for effect in effects {
      if case .snapshot = effect { isAwaited = true }
      if case .snapshotsInSync(id) = effect { isAwaited = false }
    }
    if isAwaited { throw Violation("listeners are told, and then not that they are in sync") }
  }

  // MARK: What listeners are told

  private func show(_ snapshot: ViewSnapshot, to id: CallbackID) throws {
    guard var listener = listeners[id] else {
      throw Violation("a listener that has ended is told something")
    }
    let isQueueEmpty = try queue().isEmpty
    let stored = try inStore { try store.globals().snapshotVersion }
    let isSettled =
      !snapshot.isFromCache && !snapshot.hasPendingWrites && isQueueEmpty
      && lastAcknowledged <= stored
    try listener.take(
      snapshot,
      isSettled: isSettled,
      written: inherited + accepted.values.flatMap { $0.joined() },
      server
    )
    listeners[id] = listener
  }

  /// Throws unless every listener has been told what the server has.
  package func checkConverged() throws {
    guard try queue().isEmpty else { throw Violation("writes are still queued") }
    for listener in listeners.values { try listener.checkConverged(server) }
  }
}
