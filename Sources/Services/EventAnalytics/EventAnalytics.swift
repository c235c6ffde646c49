import BaseRuntime
import BaseText
import FirestoreModel
import KeyValueStore
import Synchronization

/// The events of all projects: taken in, counted, and asked for.
///
/// It has an engine of its own. A batch is durable in the intake when it is acknowledged; the
/// sealer turns the intake into timelines and facets, segment by segment (see `EventKey`). The work
/// that reorganizes the store (sealing, merging, erasing) is done by one thread at a time, under
/// `organizing`. Any thread may call.
package final class EventAnalytics: Sendable {
  struct State {
    var projects: [Text: ProjectLog] = [:]
    var counts = IntakeCounts()
    /// Waits for key events.
    var keyEventFollower: KeyEventFollower?
    /// Erase what others keep of an installation.
    var erasers: [@Sendable (_ installation: String, _ project: Text) throws -> Void] = []
  }

  let engine: any KeyValueEngine
  let clock: MicrosecondClock
  let live = LiveView()
  let debug = DebugView()
  let limiter: IntakeLimiter
  let networkNames = NetworkNames()
  let configuration: AnalyticsConfiguration
  let state: Mutex<State>
  /// Held by the thread that reorganizes the store.
  let organizing = Mutex<Void>(())
  let dictionaries = DictionaryCache()
  let upkeep = Mutex(UpkeepState())
  let memberships = Mutex(KeptMemberships())
  /// Held by who evaluates the audiences of a project for the first time.
  let evaluating = Mutex<Void>(())

  /// Opens the events of an engine; reads the disk.
  package init(
    engine: any KeyValueEngine,
    configuration: AnalyticsConfiguration = AnalyticsConfiguration(),
    clock: MicrosecondClock = .system
  ) throws {
    self.engine = engine
    self.clock = clock
    self.configuration = configuration
    limiter = IntakeLimiter(configuration.limits)
    var state = State()
    for log in try engine.read({ try Self.logs($0) }) { state.projects[log.name] = log }
    self.state = Mutex(state)
  }

  /// The log of a project that has sent something; nil for others.
  func log(of project: Text) -> ProjectLog? { state.withLock { $0.projects[project] } }

  var logs: [ProjectLog] {
    state.withLock { state in state.projects.values.sorted { $0.number < $1.number } }
  }

  /// The projects that have events.
  package var projects: [Text] { logs.map(\.name) }

  /// Returns the settings of a project; those of a new one where it has no events yet.
  package func settings(of project: Text) -> AnalyticsSettings {
    log(of: project)?.settings ?? AnalyticsSettings()
  }

  /// Figures for the metrics page.
  package var metrics: [(name: String, value: Double)] {
    let waiting = logs.map(\.waiting)
    let counts = state.withLock { $0.counts }
    return [
      ("analytics_projects", Double(waiting.count)),
      ("analytics_events_waiting", Double(waiting.reduce(0) { $0 + $1.events })),
      ("analytics_segments_waiting", Double(waiting.reduce(0) { $0 + $1.segments })),
      ("analytics_batches_total", Double(counts.batches)),
      ("analytics_batches_repeated_total", Double(counts.repeated)),
      ("analytics_batches_unproven_total", Double(counts.unproven)),
      ("analytics_batches_refused_total", Double(counts.refused)),
      ("analytics_batches_unproven_refused_total", Double(counts.unprovenRefused)),
      ("analytics_events_total", Double(counts.events)),
      ("analytics_events_dropped_total", Double(counts.dropped)),
      ("analytics_names_refused_total", Double(counts.namesRefused)),
      ("analytics_events_debug_total", Double(counts.debug)),
      ("analytics_segments_sealed_total", Double(counts.sealed)),
      ("analytics_merges_total", Double(counts.merges)),
      ("analytics_space_low", space == .room ? 0 : 1),
      ("analytics_space_short", space == .short ? 1 : 0),
      ("analytics_days_dropped_total", Double(counts.daysDropped)),
    ]
  }

  /// The projects of the store; segments that wait in the intake are closed ones.
  private static func logs(_ reader: any KeyValueReader) throws -> [ProjectLog] {
    let prefix = [EventKey.Kind.project.rawValue]
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var found: [(Text, ProjectRecord)] = []
    while try cursor.next() {
      var position = 1
      guard let name = SegmentEncoding.decodeText(cursor.key, at: &position) else {
        throw KeyValueError(.corruption, "the key of a project's analytics is damaged")
      }
      found.append((name, try ProjectRecord(decoding: Array(cursor.value))))
    }
    return try found.map { name, record in
      let closed = try segments(inIntakeOf: record.number, reader)
      let next = try ProjectCounters.read(record.number, reader).segment
      return ProjectLog(
        name: name,
        record: record,
        segment: max(next, (closed.last ?? 0) + 1),
        closed: closed
      )
    }
  }

  private static func segments(
    inIntakeOf project: UInt32,
    _ reader: any KeyValueReader
  ) throws -> [UInt32] {
    let range = KeyRange(prefix: EventKey.numbered(.intake, project))
    let cursor = try reader.cursor(over: range, reversed: false)
    var segments: [UInt32] = []
    var hasMore = try cursor.next()
    while hasMore {
      let segment = try EventKey.requiredNumber(cursor.key, at: 5)
      segments.append(segment)
      hasMore = try cursor.seek(EventKey.numbered(.intake, project, segment + 1))
    }
    return segments
  }
}

/// The settings of analytics.
package struct AnalyticsConfiguration: Sendable {
  /// The bytes that senders may bring, by the second and by the day.
  package var limits = IntakeLimits()
  /// Events of a segment, about.
  package var segmentEvents = 16_384
  /// Microseconds after which a segment is sealed, however small.
  package var segmentAge: Int64 = 30_000_000
  /// Parts of a day that are merged into one.
  package var mergedParts = 16
  /// Segments that wait to be sealed before batches are refused.
  package var waitingSegments = 64
  /// Different texts of a parameter or a dimension that are counted apart; others are counted together.
  package var wordLimit = 20_000
  /// The number of these that may be new on one day.
  package var wordsPerDay = 2_000
  /// Different names of an app's events that are new on one day; `NameBudget` has the shares of networks.
  package var namesPerDay = 500
  /// Unauthenticated installations with their own number, new in a project on one day; further ones
  /// have no number.
  package var unprovenPerDay = 2_000
  /// Returns the free bytes of the disk; with nil they are not checked.
  package var availableBytes: (@Sendable () throws -> Int)?
  /// Bytes that stay free for documents; with less than twice as many left, senders that prove nothing are refused.
  package var reserveBytes = 1 << 30
  /// Days whose events stay, counted back from today, where the disk is short and older ones are dropped; nil, which is what an
  /// operator has not changed, drops none.
  package var keptDays: Int?
  /// Receives notices about the room on the disk; does not wait.
  package var onSpace: (@Sendable (SpaceNotice) -> Void)?
  /// Has the disk get back soon what deleted keys of a range took; does not wait for it.
  package var freeSpace: (@Sendable (KeyRange) throws -> Void)?

  /// The defaults of a server.
  package init() {}
}

/// The counts of incoming batches since the start.
struct IntakeCounts: Sendable {
  var batches = 0
  var repeated = 0
  /// Batches whose sender proved nothing.
  var unproven = 0
  /// Requests for which there was no room, and those of them whose sender proved nothing.
  var refused = 0
  var unprovenRefused = 0
  /// Days that were dropped for want of room.
  var daysDropped = 0
  var events = 0
  var dropped = 0
  /// Events among them whose name was one too many for their sender's share.
  var namesRefused = 0
  var debug = 0
  var sealed = 0
  var merges = 0

  mutating func noteRefusal(of standing: SenderStanding) {
    refused += 1
    if !standing.isProven { unprovenRefused += 1 }
  }
}
