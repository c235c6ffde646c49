import DocumentStore
import FirestoreModel

/// The hub's state and what it does with each input; one thread at a time.
///
/// `now` is the version up to which every commit has been processed: messages are true at `now`.
final class HubCore {
  let configuration: RealtimeConfiguration
  let feed: CommitFeed
  let jobs: ReadJobs

  var now = CommitVersion.zero
  var streams: [StreamID: StreamState] = [:]
  var databases: [Incarnation: DatabaseViews] = [:]
  var views: [ViewID: View] = [:]
  var openings: [OpeningID: Target] = [:]
  /// Streams that the next flush is for.
  var touched: [StreamState] = []
  /// Limited views that the batch has changed.
  var changedWindows: [View] = []
  /// Streams that are held until decisions have been made again.
  var decisions = DecisionQueue()
  /// Decisions that engine threads make.
  var pendingDecisions: [DecisionID: PendingDecision] = [:]
  var counters = HubCounters()
  var gauges = HubGauges()

  private var lastNumber: UInt64 = 0
  private var points: [PointKey: ConsistencyPoint] = [:]

  private struct PointKey: Hashable {
    let incarnation: Incarnation
    let audience: TokenAudience
  }

  /// Microseconds of the clock when `now` was last set.
  var lastAdvance: Int64 = .min
  var lastTick: Int64
  var lastTimedDecision: Int64
  var asksTime = false

  init(feed: CommitFeed, jobs: ReadJobs, configuration: RealtimeConfiguration) {
    self.feed = feed
    self.jobs = jobs
    self.configuration = configuration
    lastTick = configuration.clock.now()
    lastTimedDecision = lastTick
  }

  /// Works off inputs in their order; commits that follow each other are one batch.
  func process(_ inputs: [HubInput]) {
    var batch = CommitBatch()
    for input in inputs {
      if case .commits(let version, let commits, let bytes) = input {
        feed.release(bytes)
        // Publications before a restart of the flow are known.
        guard version > now else { continue }
        batch.add(commits, through: version)
        if batch.isFull { apply(&batch) }
        continue
      }
      apply(&batch)
      handle(input)
    }
    apply(&batch)
    let isDecided = decideDoubted()
    flushTouched()
    startReads()
    if !isDecided { _ = feed.inbox.put(.decideMore) }
  }

  private func handle(_ input: HubInput) {
    switch input {
    case .commits: break
    case .gap: endAllForGap()
    case .time(let version): hear(version)
    case .retired(let incarnation): retire(incarnation)
    case .stream(let id, .open(let database, let sink, let authority, let gate, let account)):
      open(id, database, sink, authority, gate, account)
    case .stream(let id, let input):
      if let stream = streams[id] { handle(input, of: stream) }
    case .read(let opening, let result): take(result, of: opening)
    case .window(let view, let result): take(result, of: view)
    case .decision(let id, let result): take(result, of: id)
    case .checkCredentials: checkCredentials()
    case .decideAgain:
      for pending in pendingDecisions.values { pending.invalidate() }
      doubt { $0.dependsOnRules }
    // It continues behind the contents of the inbox.
    case .decideMore: break
    }
  }

  // MARK: Time

  /// Takes notice that everything up to a version has been worked off.
  func advance(to version: CommitVersion) {
    guard version > now else { return }
    now = version
    lastAdvance = configuration.clock.now()
    points.removeAll(keepingCapacity: true)
  }

  /// The version that has been worked off, as a point of a database, with a token for these targets.
  func point(of database: Database, for audience: TokenAudience) -> ConsistencyPoint {
    let key = PointKey(incarnation: database.incarnation, audience: audience)
    if let known = points[key] { return known }
    let marks: [SubjectMark]? =
      switch audience {
      case .nobody: nil
      case .marks(let marks): marks
      case .everybody: []
      }
    let token = marks.map { marks in
      ResumeToken(of: database, version: now, marks: marks).bytes
    }
    let point = ConsistencyPoint(version: now, token: token ?? [])
    points[key] = point
    return point
  }

  /// A number that was never used before.
  func nextOrdinal() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Flush

  /// Puts a stream on the list for the next flush.
  func touch(_ stream: StreamState) {
    guard !stream.isTouched else { return }
    stream.isTouched = true
    touched.append(stream)
  }

  /// Sends every touched stream its pending messages.
  func flushTouched() {
    while !touched.isEmpty {
      let streams = touched
      touched = []
      for stream in streams {
        stream.isTouched = false
        flush(stream)
      }
    }
  }
}

/// The sizes that the hub would have to walk its state to count.
struct HubGauges {
  var targets = 0
  /// Streams whose clients read too slowly.
  var pausedStreams = 0
  var backlogBytes = 0
}

/// The events that the hub counts.
struct HubCounters {
  var commits: UInt64 = 0
  var batches: UInt64 = 0
  /// Document changes handed to targets.
  var deliveries: UInt64 = 0
  /// Times that every stream ended because too many commits waited for the hub.
  var gaps: UInt64 = 0
  /// Targets that restart because their clients read too slowly.
  var overflows: UInt64 = 0
  /// Targets that began with everything although the client had sent a token.
  var unusableTokens: UInt64 = 0
  /// Targets that resumed from a token.
  var resumptions: UInt64 = 0
  /// Windows that were read again.
  var refills: UInt64 = 0
}
