import FirestoreModel
import FirestoreSync

/// An engine with a server and timers that do what a case says, and a record of what the app is told.
final class SpecClient {
  /// An event that an app receives for a query.
  enum QueryEvent {
    case snapshot(ViewSnapshot)
    case failure(FirestoreFailure)
  }

  private struct Timer {
    let order: Int
    let delay: Duration
  }

  private(set) var engine: SyncEngine
  private var store: any LocalStore
  private let openStore: () throws -> any LocalStore
  private let configuration: SyncEngine.Configuration

  // The server's side.
  private(set) var watchID: StreamID?
  private(set) var activeTargets: [TargetID: TargetData] = [:]
  private(set) var watchRequestCount = 0
  private(set) var writeID: StreamID?
  private(set) var sentWrites: [[Write]] = []
  private(set) var writeRequestCount = 0
  private var streamTokens = 0

  // The app's side.
  private(set) var listeners: [(id: CallbackID, query: ListenQuery)] = []
  private var inSyncListeners: [CallbackID] = []
  private var writtenKeys: [CallbackID: [ResourcePath]] = [:]
  private var nextID = 1
  var queryEvents: [(query: ListenQuery, event: QueryEvent)] = []
  var acknowledged: [ResourcePath] = []
  var rejected: [ResourcePath] = []
  var inSyncCount = 0
  var pendingWritesCount = 0

  private var timers: [SyncTimer: Timer] = [:]
  private var timerCount = 0

  /// A client over a store that is opened again at each restart.
  init(
    _ configuration: SyncEngine.Configuration,
    openStore: @escaping () throws -> any LocalStore
  ) throws {
    self.configuration = configuration
    self.openStore = openStore
    store = try openStore()
    engine = try SyncEngine(configuration, store: store)
    send(.start)
  }

  /// Forgets what was told, before the next step.
  func clearEvents() {
    queryEvents = []
    acknowledged = []
    rejected = []
    inSyncCount = 0
    pendingWritesCount = 0
  }

  // MARK: Driving the engine

  func send(_ event: SyncEvent) {
    var effects = engine.handle(event)[...]
    while let effect = effects.popFirst() {
      for event in perform(effect) { effects += engine.handle(event) }
    }
  }

  /// Does what the engine asks and returns what happens at once.
  private func perform(_ effect: SyncEffect) -> [SyncEvent] {
    switch effect {
    case .openWatch(let id):
      watchID = id
      activeTargets = [:]
      return [.watchOpened(id)]
    case .listen(let id, let data) where id == watchID:
      activeTargets[data.id] = data
      watchRequestCount += 1
    case .unlisten(let id, let target) where id == watchID:
      activeTargets[target] = nil
      watchRequestCount += 1
    case .closeWatch(let id) where id == watchID: loseWatch()
    case .openWrite(let id):
      writeID = id
      sentWrites = []
      return [.writeOpened(id)]
    case .shakeHands(let id) where id == writeID:
      writeRequestCount += 1
      return [.writeShaken(id, token: nextToken())]
    case .sendWrites(let id, let batch, let writes, _) where id == writeID:
      writeRequestCount += 1
      if batch != nil { sentWrites.append(writes) }
    case .closeWrite(let id) where id == writeID: loseWrite()
    case .startTimer(let timer, let delay, _):
      timerCount += 1
      timers[timer] = Timer(order: timerCount, delay: delay)
    case .cancelTimer(let timer): timers[timer] = nil
    default: tell(effect)
    }
    return []
  }

  private func tell(_ effect: SyncEffect) {
    switch effect {
    case .snapshot(let id, let snapshot):
      if let query = query(of: id) { queryEvents.append((query, .snapshot(snapshot))) }
    case .listenFailed(let id, let failure):
      if let query = query(of: id) { queryEvents.append((query, .failure(failure))) }
      listeners.removeAll { $0.id == id }
    case .writeCompleted(let id, nil): acknowledged += writtenKeys.removeValue(forKey: id) ?? []
    case .writeCompleted(let id, _): rejected += writtenKeys.removeValue(forKey: id) ?? []
    case .pendingWritesDone: pendingWritesCount += 1
    case .snapshotsInSync: inSyncCount += 1
    default: break
    }
  }

  private func query(of id: CallbackID) -> ListenQuery? {
    listeners.first { $0.id == id }?.query
  }

  private func nextToken() -> [UInt8] {
    streamTokens += 1
    return Array("\(streamTokens)".utf8)
  }

  private func loseWatch() {
    watchID = nil
    activeTargets = [:]
  }

  private func loseWrite() {
    writeID = nil
    sentWrites = []
  }

  private func newID() -> CallbackID {
    defer { nextID += 1 }
    return nextID
  }

  // MARK: What the app does

  func listen(_ query: ListenQuery, _ options: ListenOptions) {
    let id = newID()
    listeners.append((id, query))
    send(.listen(id, query, options))
    fire(.watchBackoff)
  }

  func unlisten(_ query: ListenQuery) throws {
    guard let index = listeners.firstIndex(where: { $0.query == query }) else {
      throw SpecProblem.malformed("nobody listens to the query")
    }
    send(.unlisten(listeners.remove(at: index).id))
  }

  func write(_ write: Write) {
    let id = newID()
    writtenKeys[id] = [write.name.path]
    send(.write(id, [write], localWriteTime: Timestamp(microseconds: 0)))
  }

  func waitForPendingWrites() { send(.waitForPendingWrites(newID())) }

  func addInSyncListener() {
    inSyncListeners.append(newID())
    if let id = inSyncListeners.last { send(.addSnapshotsInSyncListener(id)) }
  }

  func removeInSyncListener() {
    if let id = inSyncListeners.popLast() { send(.removeSnapshotsInSyncListener(id)) }
  }

  func loadBundle(_ text: String) { send(.loadBundle(newID(), Array(text.utf8))) }

  /// Begins a new life over the same store.
  func restart(user: UserID) throws {
    send(.shutdown)
    loseWatch()
    loseWrite()
    watchRequestCount = 0
    writeRequestCount = 0
    listeners = []
    inSyncListeners = []
    writtenKeys = [:]
    timers = [:]
    store.failingLabels = []
    store = try openStore()
    var configuration = configuration
    configuration.user = user
    engine = try SyncEngine(configuration, store: store)
    send(.start)
  }

  func fail(_ labels: Set<TransactionLabel>) { store.failingLabels = labels }

  // MARK: What the server does

  func watch(_ change: WatchChange) throws {
    guard let watchID else { throw SpecProblem.unexpected("no watch stream is open") }
    send(.watchChanged(watchID, change))
  }

  func removeTarget(_ id: TargetID) throws {
    guard activeTargets.removeValue(forKey: id) != nil else {
      throw SpecProblem.unexpected("target \(id) is not listened to")
    }
  }

  func closeWatch(_ failure: FirestoreFailure) throws {
    guard let id = watchID else { throw SpecProblem.unexpected("no watch stream is open") }
    loseWatch()
    send(.watchClosed(id, failure))
  }

  /// Takes the oldest batch that was sent and not answered.
  func nextSentWrites() throws -> [Write] {
    if sentWrites.isEmpty { fire(.writeBackoff) }
    guard !sentWrites.isEmpty else { throw SpecProblem.unexpected("no write was sent") }
    return sentWrites.removeFirst()
  }

  func acknowledge(_ writes: [Write], at version: CommitVersion) throws {
    guard let writeID else { throw SpecProblem.unexpected("no write stream is open") }
    send(
      .writeAcknowledged(
        writeID,
        token: nextToken(),
        commitVersion: version,
        results: writes.map { _ in WriteResult(updateTime: version) }
      )
    )
  }

  func closeWrite(_ failure: FirestoreFailure) throws {
    guard let id = writeID else { throw SpecProblem.unexpected("no write stream is open") }
    loseWrite()
    send(.writeClosed(id, failure))
  }

  // MARK: Timers

  /// Lets a timer fire, if it runs.
  func fire(_ timer: SyncTimer) {
    if timers.removeValue(forKey: timer) != nil { send(.timerFired(timer)) }
  }

  /// Lets all timers fire that are due before one of these, and these; nil is all.
  func fire(upTo last: Set<SyncTimer>?) {
    let due = timers.sorted {
      ($0.value.delay, $0.value.order) < ($1.value.delay, $1.value.order)
    }
    var awaited = last?.filter { timers[$0] != nil }
    for (timer, state) in due {
      if awaited?.isEmpty == true { return }
      awaited?.remove(timer)
      if timers[timer]?.order == state.order { fire(timer) }
    }
  }
}
