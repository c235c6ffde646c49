import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel

// Streams: opening and ending them, the clients' requests, and the messages to clients.

extension HubCore {
  func open(
    _ id: StreamID,
    _ database: DatabaseID,
    _ sink: any ListenSink,
    _ authority: any ListenAuthority,
    _ gate: RequestGate,
    _ account: LedgerAccount?
  ) {
    if streams.isEmpty { advance(to: feed.start()) }
    let clock = configuration.clock.now()
    let stream = StreamState(
      id: id,
      database: database,
      sink: sink,
      authority: authority,
      gate: gate,
      account: account,
      now: clock
    )
    streams[id] = stream
    resolve(stream, clock)
  }

  func resolve(_ stream: StreamState, _ clock: Int64) {
    let isStale = lastAdvance == .min || clock - lastAdvance >= configuration.freshness
    let isAccepted = jobs.resolve(
      stream.databaseID,
      for: stream.id,
      of: stream.authority,
      tellsTime: isStale
    )
    if !isAccepted {
      fail(stream, ServiceError(.resourceExhausted, "The server is overloaded. Try again later."))
    }
  }

  func handle(_ input: StreamInput, of stream: StreamState) {
    switch input {
    case .open: break
    case .database(let result): take(result, of: stream)
    case .closed: remove(stream)
    case .ended(let error): end(stream, error)
    case .resumed: resume(stream)
    case .refuse(let id, let cause):
      stream.announcements.append(.removed(id, cause: cause))
      stream.gate.leave()
      touch(stream)
    case .add, .remove:
      if stream.database?.isRetired == true { followDatabase(stream) }
      stream.waitingRequests.append(input)
      answerWaiting(of: stream)
    }
  }

  /// Processes requests in order, until the database or a decision must be waited for.
  func answerWaiting(of stream: StreamState) {
    while streams[stream.id] === stream, stream.database != nil, !stream.isAdmitting,
      let request = stream.waitingRequests.popFirst()
    {
      answer(request, of: stream)
    }
  }

  private func answer(_ request: StreamInput, of stream: StreamState) {
    if stream.answeredAhead > 0 { stream.answeredAhead -= 1 } else { stream.gate.leave() }
    switch request {
    case .add(let request): add(request, to: stream)
    case .remove(let id):
      // An unknown target has ended by itself; its response is on the way.
      if let target = stream.targets[id] { remove(target, cause: nil) }
    case .open, .database, .refuse, .closed, .ended, .resumed: break
    }
  }

  private func take(_ result: Result<Database, ServiceError>, of stream: StreamState) {
    guard case .resolving = stream.phase else { return }
    switch result {
    case .failure(let error): fail(stream, error)
    case .success(let database):
      guard !database.isRetired else { return resolve(stream, configuration.clock.now()) }
      stream.phase = .ready(database)
      for target in Array(stream.targets.values) { move(target, to: database) }
      answerWaiting(of: stream)
    }
  }

  /// A life of a database has ended: its listeners continue in the next one, if there is one.
  func retire(_ incarnation: Incarnation) {
    for stream in Array(streams.values) where stream.database?.incarnation == incarnation {
      followDatabase(stream)
    }
  }

  func followDatabase(_ stream: StreamState) {
    if stream.isChanged { flush(stream) }
    stream.phase = .resolving
    for target in stream.targets.values { lose(target) }
    lastAdvance = .min
    resolve(stream, configuration.clock.now())
  }

  /// Ends a stream with an error; its targets are gone.
  func fail(_ stream: StreamState, _ error: ServiceError) { end(stream, error) }

  private func end(_ stream: StreamState, _ error: ServiceError?) {
    guard streams[stream.id] === stream else { return }
    if !stream.isHeld { flush(stream) }
    stream.sink.finish(error)
    remove(stream)
  }

  /// Ends a stream whose caller has lost all rights, or may have: what waits is not sent.
  func drop(_ stream: StreamState, _ error: ServiceError) {
    stream.sink.finish(error)
    remove(stream)
  }

  /// Forgets a stream.
  func remove(_ stream: StreamState) {
    guard streams.removeValue(forKey: stream.id) != nil else { return }
    let targets = stream.targets
    gauges.targets -= targets.count
    gauges.pausedStreams -= stream.isPaused ? 1 : 0
    _ = takeBacklog(of: stream)
    stream.changes = []
    stream.doubted = []
    // Targets know their stream: the circle ends here.
    stream.targets = [:]
    for target in targets.values { detach(target) }
    if streams.isEmpty { feed.stop() }
  }

  /// Ends every stream: the server stops.
  func endAll() {
    for stream in Array(streams.values) {
      stream.sink.finish(ServiceError(.unavailable, "The server is stopping."))
      remove(stream)
    }
  }

  /// Ends every stream with UNAVAILABLE, since commits were missed: clients reconnect with their
  /// tokens and receive the difference.
  func endAllForGap() {
    counters.gaps += 1
    let error = ServiceError(
      .unavailable,
      "The server can't keep up with the changes of this query. Listen again."
    )
    for stream in Array(streams.values) { fail(stream, error) }
    feed.endGap()
  }

  // MARK: Sending

  func flush(_ stream: StreamState) {
    guard streams[stream.id] === stream else { return }
    guard !stream.isHeld else { return keepForLater(stream) }
    var events = stream.announcements
    stream.announcements = []
    if let database = stream.database, !stream.changes.isEmpty || stream.isChanged {
      do throws(ServiceError) {
        try stream.authority.checkCredentials()
      } catch {
        return drop(stream, error)
      }
      let point = point(of: database, for: stream.audience())
      events += stream.takeChangeEvents(point)
      events += stream.completions
      let finished = stream.finishedTargets()
      if !finished.isEmpty {
        let own = self.point(of: database, for: TokenAudience(finished))
        events.append(.progressed(finished.map(\.id), own))
      }
      events.append(.consistent(point))
      stream.lastPoint = configuration.clock.now()
    }
    stream.completions = []
    stream.isChanged = false
    for id in stream.endings {
      guard let target = stream.targets.removeValue(forKey: id) else { continue }
      gauges.targets -= 1
      detach(target)
      events.append(.removed(id, cause: nil))
    }
    stream.endings = []
    send(events, to: stream)
  }

  private func send(_ events: [ListenEvent], to stream: StreamState) {
    guard !events.isEmpty, !stream.sink.send(events), !stream.isPaused else { return }
    stream.isPaused = true
    gauges.pausedStreams += 1
    stream.gate.setPaused(true)
  }

  /// While a stream is held: answers go out, changes wait.
  private func keepForLater(_ stream: StreamState) {
    send(stream.announcements, to: stream)
    stream.announcements = []
    gauges.backlogBytes -= stream.backlogSize
    for (change, target) in stream.changes {
      var buffer = stream.backlog.removeValue(forKey: target.id) ?? ChangeBuffer()
      stream.backlogSize -= buffer.size
      buffer.add(change)
      stream.backlogSize += buffer.size
      stream.backlog[target.id] = buffer
    }
    stream.changes = []
    gauges.backlogBytes += stream.backlogSize
    if !stream.doubted.isEmpty, !stream.backlog.isEmpty { decisions.hurry(stream) }
    guard stream.backlogSize > configuration.backlogBytes || !stream.countBacklog() else { return }
    for target in Array(stream.targets.values) { lose(target) }
  }

  /// The client reads again.
  private func resume(_ stream: StreamState) {
    guard stream.isPaused else { return }
    stream.isPaused = false
    gauges.pausedStreams -= 1
    stream.gate.setPaused(false)
    goOn(stream)
  }

  /// Sends the pending changes and restarts lost targets, unless the stream must wait on.
  func goOn(_ stream: StreamState) {
    guard !stream.isHeld, stream.database != nil else { return }
    for (id, buffer) in takeBacklog(of: stream).sorted(by: { $0.key < $1.key }) {
      guard let target = stream.targets[id] else { continue }
      let changes = buffer.settled(tellsMissing: target.view.subject.tellsMissing)
      stream.changes += changes.map { ($0, target) }
    }
    touch(stream)
    for target in stream.targets.values.sorted(by: { $0.id < $1.id }) { goOn(target) }
  }

  /// Returns the changes pending for a stream's client, and empties its backlog.
  private func takeBacklog(of stream: StreamState) -> [Int32: ChangeBuffer] {
    gauges.backlogBytes -= stream.backlogSize
    stream.backlogSize = 0
    _ = stream.countBacklog()
    defer { stream.backlog = [:] }
    return stream.backlog
  }

  // MARK: By the clock

  /// Looks whether something is due.
  func lookAtClock() {
    let clock = configuration.clock.now()
    guard clock - lastTick >= configuration.tick else { return }
    lastTick = clock
    checkCredentials()
    if clock - lastTimedDecision >= configuration.timedDecision {
      lastTimedDecision = clock
      doubt { $0.dependsOnTime }
    }
    let isDue = streams.values.contains { clock - $0.lastPoint >= configuration.heartbeat }
    if isDue, !asksTime { asksTime = jobs.readTime() }
    if !decideDoubted() { _ = feed.inbox.put(.decideMore) }
    flushTouched()
    startReads()
  }

  /// Sends streams without recent messages the information that nothing has happened.
  func sendHeartbeats() {
    let clock = configuration.clock.now()
    for stream in streams.values where clock - stream.lastPoint >= configuration.heartbeat {
      guard stream.database != nil, !stream.isHeld else { continue }
      stream.isChanged = true
      touch(stream)
    }
  }

  func checkCredentials() {
    for stream in Array(streams.values) {
      do throws(ServiceError) {
        try stream.authority.checkCredentials()
      } catch {
        drop(stream, error)
      }
    }
  }

  func statistics() -> [String: Double] {
    [
      "listen_streams": Double(streams.count),
      "listen_targets": Double(gauges.targets),
      "listen_views": Double(views.count),
      "listen_paused_streams": Double(gauges.pausedStreams),
      "listen_backlog_bytes": Double(gauges.backlogBytes),
      "listen_feed_bytes": Double(feed.bytes),
      "listen_feed_gaps_total": Double(counters.gaps),
      "listen_inbox_waiting": Double(feed.inbox.count),
      "listen_reads_waiting": Double(jobs.count),
      "listen_refills_total": Double(counters.refills),
      "listen_commits_total": Double(counters.commits),
      "listen_batches_total": Double(counters.batches),
      "listen_deliveries_total": Double(counters.deliveries),
      "listen_overflows_total": Double(counters.overflows),
      "listen_resumptions_total": Double(counters.resumptions),
      "listen_unusable_tokens_total": Double(counters.unusableTokens),
    ]
  }
}
