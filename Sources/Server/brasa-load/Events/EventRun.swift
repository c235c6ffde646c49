import BaseRuntime
import BaseText
import EventAnalytics
import Foundation
import KeyValueRocksDB
import Synchronization

/// Fills analytics with events, each batch durable before it counts, and asks every report.
final class EventRun: Sendable {
  /// The time that a report took, and its numbers, for a comparison.
  struct Answer: Sendable {
    let name: String
    let seconds: Double
    let numbers: [String: [Int]]
  }

  private static let project: Text = "load"
  private static let repeats = 5

  private let engine: RocksDBEngine
  private let analytics: EventAnalytics
  private let clock: SharedTime
  private let isDone = Atomic<Bool>(false)
  private let directory: String

  init(directory: String, cacheBytes: Int, start: EventDay) throws {
    self.directory = directory
    var tuning = RocksDBConfiguration()
    tuning.blockCacheBytes = cacheBytes
    tuning.writeBufferBytes = 8 << 20
    tuning.blockBytes = 16 << 10
    tuning.backgroundJobs = 1
    engine = try RocksDBEngine(directory: directory, configuration: tuning)
    let shared = SharedTime(Int64(start.number) * EventSource.day)
    clock = shared
    var configuration = AnalyticsConfiguration()
    // The clock runs as fast as events are made.
    configuration.segmentAge = .max / 4
    configuration.waitingSegments = .max
    analytics = try EventAnalytics(
      engine: engine,
      configuration: configuration,
      clock: MicrosecondClock { shared.now }
    )
  }

  /// Sends so many events, `callers` batches at a time.
  ///
  /// Answers the seconds until all were acknowledged, and until all were counted. `taken` is handed every batch.
  func fill(
    _ source: EventSource,
    events: Int,
    callers: Int,
    taken: (EventBatch) throws -> Void
  ) async throws -> (acknowledged: Double, counted: Double) {
    var source = source
    let batches = events / EventSource.batchEvents
    let begin = ContinuousClock.now
    let sealer = Thread { self.maintain() }
    sealer.stackSize = 4 << 20
    sealer.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<batches {
        if number >= callers { try await group.next() }
        let batch = source.batch(at: Double(number) / Double(batches), number: Int64(number + 1))
        try taken(batch)
        clock.advance(to: batch.events.map(\.time).max() ?? 0)
        group.addTask { try await self.send(batch) }
      }
      try await group.waitForAll()
    }
    let acknowledged = ContinuousClock.now - begin
    isDone.store(true, ordering: .releasing)
    // The first report counts what still waits.
    _ = try analytics.daysWithEvents(of: Self.project)
    return (Self.seconds(acknowledged), Self.seconds(ContinuousClock.now - begin))
  }

  /// Sends batches one after the other, each as it comes by its own clocks; `taken` is handed every batch.
  func send(
    _ source: RandomEventSource,
    batches: Int,
    zone: String,
    taken: (RandomEventSource.Sent) throws -> Void
  ) async throws {
    var settings = AnalyticsSettings()
    settings.zone = zone
    settings.retentionDays = 3_650
    try analytics.set(settings, of: Self.project)
    var source = source
    for number in 0..<batches {
      let sent = source.next()
      clock.advance(to: sent.received)
      try taken(sent)
      _ = try await analytics.record(
        sent.batch,
        from: .sdk,
        sent: sent.sent,
        project: Self.project
      )
      if number % 64 == 0 { _ = try analytics.maintain() }
    }
  }

  /// Every card of the days.
  func cards(
    _ range: DayRange,
    timelinesOf users: [Int]
  ) throws -> [String: EventCards.Card] {
    while try analytics.maintain() {}
    return try EventCards(analytics: analytics, project: Self.project, range: range)
      .all(timelinesOf: users)
  }

  /// Returns the stored counts that differ from those of the events.
  func verify() throws -> [String] {
    var differences: [String] = []
    _ = try analytics.verify { differences.append($0) }
    return differences
  }

  private func send(_ batch: EventBatch) async throws {
    let receipt = try await analytics.record(batch, from: .sdk, project: Self.project)
    guard receipt.accepted == batch.events.count else {
      throw LoadError.refused("a batch was not taken whole")
    }
  }

  private func maintain() {
    while !isDone.load(ordering: .acquiring) {
      do {
        if try !analytics.maintain() { usleep(10_000) }
      } catch {
        return
      }
    }
  }

  /// Merges the pending segments, and returns the bytes on the disk: of tables before and after the
  /// engine has merged them, and of everything else.
  ///
  /// The rest is the log, which does not grow with the events.
  func settle() throws -> (unmerged: Int, tables: Int, rest: Int) {
    while try analytics.maintain() {}
    let unmerged = tableBytes
    var (tables, unchanged) = (unmerged, 0)
    while unchanged < 20 {
      // The tool's own thread, until nothing has been merged for two seconds.
      usleep(100_000)
      let bytes = tableBytes
      unchanged = bytes == tables ? unchanged + 1 : 0
      tables = bytes
    }
    return (unmerged, tables, try Self.bytes(in: directory) { $0.pathExtension != "sst" })
  }

  private var tableBytes: Int { Int(engine.statistics()["kv_table_bytes"] ?? 0) }

  func close() throws { try engine.close() }

  private static func bytes(
    in directory: String,
    of isCounted: (URL) -> Bool
  ) throws -> Int {
    let files = try FileManager.default.contentsOfDirectory(
      at: URL(fileURLWithPath: directory),
      includingPropertiesForKeys: [.fileSizeKey]
    )
    return try files.filter(isCounted).reduce(0) {
      try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    }
  }

  // MARK: Reports

  /// Asks every report about days up to the last one, several times; the fastest counts.
  func reports(last: EventDay, days: Int) throws -> [Answer] {
    let all = try DayRange(last.advanced(by: 1 - days), last)
    let month = try DayRange(last.advanced(by: 1 - min(days, 30)), last)
    let day = try DayRange(last.advanced(by: -1), last.advanced(by: -1))
    let (analytics, project) = (analytics, Self.project)
    let funnel = try Funnel(
      steps: ["view_item", "add_to_cart", "purchase"],
      windowSeconds: 7 * 86_400
    )
    return [
      try measure("a day's dashboard") {
        let rows = try analytics.events(of: project, day)
        _ = try analytics.breakdown(of: project, day, by: .country, event: nil)
        _ = try analytics.breakdown(of: project, day, by: .appVersion, event: nil)
        _ = try analytics.users(of: project, day)
        return Self.numbers(rows)
      },
      try measure("events, all days") { Self.numbers(try analytics.events(of: project, all)) },
      try measure("countries, all days") {
        Self.numbers(try analytics.breakdown(of: project, all, by: .country, event: nil))
      },
      try measure("item_id of select_item, all days") {
        let reports = try analytics.parameters(of: project, all, event: "select_item")
        return Self.numbers(reports.first { $0.name == "item_id" }?.values ?? [])
      },
      try measure("users by day, all days") {
        let users = try analytics.users(of: project, all)
        return Dictionary(
          uniqueKeysWithValues: users.map {
            ($0.day.text, [$0.active, $0.active7, $0.active28, $0.new])
          }
        )
      },
      try measure("retention, 30 days") {
        let cohorts = try analytics.retention(of: project, month, days: 28)
        return Dictionary(
          uniqueKeysWithValues: cohorts.map { ($0.day.text, [$0.users] + $0.returned) }
        )
      },
      try measure("funnel of three steps, 30 days") {
        ["steps": try analytics.funnel(of: project, month, funnel)]
      },
    ]
  }

  private static func numbers(_ rows: [ReportRow]) -> [String: [Int]] {
    Dictionary(
      uniqueKeysWithValues: rows.filter { $0.figures.events > 0 }
        .map { ($0.name, [$0.figures.events, $0.figures.users]) }
    )
  }

  private func measure(
    _ name: String,
    _ ask: () throws -> [String: [Int]]
  ) throws -> Answer {
    var best = Double.infinity
    var numbers: [String: [Int]] = [:]
    for _ in 0..<Self.repeats {
      let begin = ContinuousClock.now
      numbers = try ask()
      best = min(best, Self.seconds(ContinuousClock.now - begin))
    }
    return Answer(name: name, seconds: best, numbers: numbers)
  }

  private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}

/// The time of the events that were made last.
private final class SharedTime: Sendable {
  private let time: Mutex<Int64>

  init(_ start: Int64) { time = Mutex(start) }

  var now: Int64 { time.withLock { $0 } }

  func advance(to next: Int64) { time.withLock { $0 = max($0, next) } }
}
