import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import Synchronization

/// Everything that listens to the databases of one store.
///
/// One thread owns all of its state: it takes commits in version order, finds out which views they
/// change, and hands each stream one message batch per batch of commits. That thread reads no disk: what memory
/// cannot tell runs on the caller's engine threads. Any thread may call.
package final class ListenHub: Sendable {
  private let feed: CommitFeed
  private let core: Mutex<HubCore>
  private let numbers = Atomic<UInt64>(1)
  private let thread = Mutex<StoreThread?>(nil)
  private let tick: Int64

  /// A hub over a store whose commit observer is the feed.
  ///
  /// `submit` runs a job on a thread that may block; false when its queue is full.
  package init(
    databases: Databases,
    feed: CommitFeed,
    configuration: RealtimeConfiguration,
    submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
  ) throws {
    self.feed = feed
    tick = configuration.tick
    feed.advance(to: try databases.publishedReadTime())
    let jobs = ReadJobs(
      databases: databases,
      inbox: feed.inbox,
      limit: configuration.concurrentReads,
      submit: submit
    )
    core = Mutex(HubCore(feed: feed, jobs: jobs, configuration: configuration))
    guard configuration.runsItself else { return }
    thread.withLock { thread in
      thread = StoreThread { [weak self] in
        BlockingCheck.markEventLoop()
        self?.serve()
      }
    }
  }

  /// Opens a stream for a client of one database.
  ///
  /// - Parameter account: The account that pending changes for the client count against; nil counts
  ///   them nowhere.
  package func open(
    _ database: DatabaseID,
    sink: any ListenSink,
    authority: any ListenAuthority,
    account: LedgerAccount? = nil
  ) -> ListenStream {
    let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
    let gate = RequestGate(sink)
    let stream = ListenStream(id: StreamID(number: number), inbox: feed.inbox, gate: gate)
    stream.put(.open(database, sink, authority, gate, account))
    return stream
  }

  /// Asks every stream's authority whether its caller's credentials are still valid, soon.
  package func checkCredentials() { _ = feed.inbox.put(.checkCredentials) }

  /// Makes every decision that rests on rules again, soon.
  package func decideAgain() { _ = feed.inbox.put(.decideAgain) }

  /// Counters and sizes for metrics.
  package func statistics() -> [String: Double] { core.withLock { $0.statistics() } }

  /// Ends all streams with UNAVAILABLE and the hub's thread; no call may follow.
  package func stop() {
    feed.inbox.close()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
    core.withLock { $0.endAll() }
  }

  /// Does what is in the inbox, for tests whose hub has no thread; answers whether there was
  /// anything.
  package func step() -> Bool {
    guard let inputs = feed.inbox.take(waiting: 0), !inputs.isEmpty else { return false }
    core.withLock { $0.process(inputs) }
    return true
  }

  /// Does what is due by the clock, for tests whose hub has no thread.
  package func lookAtClock() { core.withLock { $0.lookAtClock() } }

  private func serve() {
    while let inputs = feed.inbox.take(waiting: Int(tick)) {
      core.withLock { core in
        core.process(inputs)
        core.lookAtClock()
      }
    }
  }
}

/// A client's stream as its transport sees it; calls take effect in their order.
package final class ListenStream: Sendable {
  private let id: StreamID
  private let inbox: BlockingQueue<HubInput>
  private let gate: RequestGate

  init(id: StreamID, inbox: BlockingQueue<HubInput>, gate: RequestGate) {
    self.id = id
    self.inbox = inbox
    self.gate = gate
  }

  /// Adds a target; the response is an event.
  ///
  /// - Parameter bytes: The size of the client's message.
  package func add(_ request: TargetRequest, bytes: Int = 0) { ask(.add(request), bytes) }

  /// Removes a target; the response is an event.
  package func remove(_ target: Int32) { ask(.remove(target)) }

  /// Answers a target that cannot even be asked for.
  package func refuse(_ target: Int32, _ cause: ServiceError) { ask(.refuse(target, cause)) }

  /// Ends the stream; nil is OK.
  package func end(_ error: ServiceError?) { put(.ended(error)) }

  /// The client took what was queued.
  package func resume() { put(.resumed) }

  /// Ends listening: no event follows.
  package func close() { put(.closed) }

  private func ask(_ request: StreamInput, _ bytes: Int = 0) {
    gate.enter(bytes)
    put(request)
  }

  func put(_ input: StreamInput) { _ = inbox.put(.stream(id, input)) }
}
