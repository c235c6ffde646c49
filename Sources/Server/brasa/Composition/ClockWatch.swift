import BaseRuntime
import BaseStatus
import Foundation
import Gateway
import KeyValuePostgres
import KeyValueRocksDB
import Logging
import ServiceLifecycle
import Synchronization

/// Reports steps of the clocks that the server holds back, and remembers the clocks for the next start.
///
/// The server works on with the time of before the step until an operator runs `brasa clock accept` or the clock is set
/// back. A store in PostgreSQL has a clock of its own beside the system's.
final class ClockWatch: Service {
  /// The greatest lead of the clock over the store's last write at a start, in microseconds: half a year.
  static let greatestGap: Int64 = 180 * 86_400 * 1_000_000

  private let clock: WallClock
  private let database: PostgresEngine?
  private let watched: [WatchedClock]
  private let directory: String
  private let health: ServerHealth
  private let log: Logger
  /// The parts whose steps were reported last.
  private let reported = Mutex<Set<String>>([])

  /// The pause between two checks of the clock.
  private static let pause = Duration.seconds(5)

  init(
    _ clock: WallClock,
    database: PostgresEngine?,
    directory: String,
    health: ServerHealth,
    metrics: MetricsRegistry,
    log: Logger
  ) {
    self.clock = clock
    self.database = database
    watched = [.system(clock)] + (database.map { [.databaseServer($0)] } ?? [])
    self.directory = directory
    self.health = health
    self.log = log
    metrics.addSource { [watched] in
      watched.map { (name: $0.metric, value: Double($0.step()) / 1_000_000) }
    }
  }

  /// Throws where a clock is so far ahead of the store's last write that it is more likely wrong than right.
  static func check(_ now: Int64, of machine: String, lastWrite: Int64) throws {
    guard lastWrite > 0, now - lastWrite > greatestGap else { return }
    throw ServiceError(
      .failedPrecondition,
      """
      The \(machine)'s clock says \(text(now)), but the last write to this store was at \(text(lastWrite)). If the clock is \
      wrong, set it. If it is right, start the server once with --accept-clock.
      """
    )
  }

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        self.look()
        try await Task.sleep(for: Self.pause)
      }
    }
    remember()
  }

  /// Looks at the clocks once.
  func look() {
    for clock in watched { look(at: clock) }
    remember()
  }

  private func look(at clock: WatchedClock) {
    let step = clock.step()
    health.warn(clock.part, clock.warning)
    let wasReported = reported.withLock { reported in
      step == 0 ? reported.remove(clock.part) != nil : !reported.insert(clock.part).inserted
    }
    let time = "\(Self.text(clock.now()))"
    if step != 0, !wasReported {
      log.error(
        "the \(clock.part) jumped and is ignored",
        metadata: [
          "seconds": "\(step / 1_000_000)", "time": "\(time)",
          "remedy": "correct the clock, or run brasa clock accept",
        ]
      )
    } else if step == 0, wasReported {
      log.notice("the \(clock.part) is used again", metadata: ["time": "\(time)"])
    }
  }

  /// Writes the record if it has changed by more than a reading's inaccuracy.
  private func remember() {
    guard let boot = ClockRecord.currentBoot else { return }
    let record = ClockRecord(
      boot: boot,
      offset: clock.currentOffset,
      databaseOffset: database?.clockOffset
    )
    if let known = ClockRecord.read(from: directory), known.isLike(record) { return }
    do {
      try record.write(to: directory)
    } catch {
      log.warning("the clock's record could not be written", metadata: ["error": "\(error)"])
    }
  }

  /// A time in microseconds since 1970 as people read it, in UTC.
  static func text(_ time: Int64) -> String {
    Date(timeIntervalSince1970: Double(time) / 1_000_000).formatted(.iso8601)
  }
}

extension OpenDataDirectory {
  /// Throws, with the directory closed, where the clock is not accepted and cannot be right; development takes any clock.
  func checkClock(_ clock: WallClock, _ settings: ServeSettings) throws {
    guard !settings.isDevelopment else { return }
    do {
      // The next start finds a write of the time that was accepted.
      if settings.acceptsClock {
        _ = try engine.write { try $0.allocateVersion() }
        return
      }
      // PostgreSQL's was checked before the store was opened.
      guard let store = engine as? RocksDBEngine else { return }
      try ClockWatch.check(clock.now(), of: "machine", lastWrite: store.recoveredVersion)
    } catch {
      try close()
      throw error
    }
  }
}
