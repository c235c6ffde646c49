import FirestoreModel
import Foundation
import Gateway
import KeyValueRocksDB
import KeyValueStore
import Logging
import ServiceLifecycle
import Synchronization

/// Reports a step of the system's clock that the server holds back, and remembers the clock for the next start.
///
/// The server works on with the time of before the step until an operator runs `brasa clock accept` or the clock is set
/// back.
final class ClockWatch: Service {
  /// The greatest lead of the clock over the store's last write at a start, in microseconds: half a year.
  static let greatestGap: Int64 = 180 * 86_400 * 1_000_000

  private let clock: WallClock
  private let directory: String
  private let health: ServerHealth
  private let log: Logger
  private let reported = Mutex<Int64>(0)

  private static let part = "clock"
  /// Between two looks at the clock.
  private static let pause = Duration.seconds(5)

  init(
    _ clock: WallClock,
    directory: String,
    health: ServerHealth,
    metrics: MetricsRegistry,
    log: Logger
  ) {
    self.clock = clock
    self.directory = directory
    self.health = health
    self.log = log
    metrics.addSource { [clock] in
      [(name: "brasa_clock_step_seconds", value: Double(clock.step) / 1_000_000)]
    }
  }

  /// Throws where the clock is so far ahead of the store's last write that it is more likely wrong than right.
  static func check(_ clock: WallClock, lastWrite: Int64) throws {
    let now = clock.now()
    guard lastWrite > 0, now - lastWrite > greatestGap else { return }
    throw FirestoreError(
      .failedPrecondition,
      """
      The machine's clock says \(text(now)), but the last write to this store was at \(text(lastWrite)). If the clock is \
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

  /// Looks at the clock once.
  func look() {
    let step = clock.step
    let last = reported.withLock { last in
      defer { last = step }
      return last
    }
    health.warn(Self.part, step == 0 ? nil : Self.warning(step))
    if step != 0, last == 0 {
      log.error("the clock stepped and is not followed", metadata: metadata(step))
    } else if step == 0, last != 0 {
      log.notice("the clock is followed again", metadata: ["time": "\(Self.text(clock.now()))"])
    }
    if step == 0 { remember() }
  }

  private func metadata(_ step: Int64) -> Logger.Metadata {
    [
      "seconds": "\(step / 1_000_000)",
      "time": "\(Self.text(clock.now()))",
      "remedy": "set the clock right, or run brasa clock accept",
    ]
  }

  /// Writes the record if it has changed by more than a reading's inaccuracy.
  private func remember() {
    guard let boot = ClockRecord.currentBoot else { return }
    let record = ClockRecord(boot: boot, offset: clock.currentOffset)
    let known = ClockRecord.read(from: directory)
    if let known, known.boot == boot, abs(known.offset - record.offset) < 1_000_000 { return }
    do {
      try record.write(to: directory)
    } catch {
      log.warning("the clock is not remembered", metadata: ["error": "\(error)"])
    }
  }

  /// The warning for a step in microseconds.
  static func warning(_ step: Int64) -> String {
    let seconds = abs(step) / 1_000_000
    let direction = step > 0 ? "ahead" : "back"
    return """
      the system clock stepped \(seconds) s \(direction) and is not followed; set it right, or run brasa clock accept
      """
  }

  /// A time in microseconds since 1970 as people read it, in UTC.
  static func text(_ time: Int64) -> String {
    Date(timeIntervalSince1970: Double(time) / 1_000_000).formatted(.iso8601)
  }
}

extension OpenDataDirectory {
  /// Throws, with the directory closed, where the clock is not accepted and cannot be right; development takes any clock.
  func checkClock(_ clock: WallClock, _ settings: ServeSettings) throws {
    guard !settings.isDevelopment, let store = engine as? RocksDBEngine else { return }
    do {
      guard settings.acceptsClock else {
        return try ClockWatch.check(clock, lastWrite: store.recoveredVersion)
      }
      // The next start finds a write of the time that was accepted.
      try store.write { group in _ = try group.allocateVersion() }
    } catch {
      try close()
      throw error
    }
  }
}
