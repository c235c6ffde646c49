import BaseRuntime
import KeyValuePostgres

/// A clock whose steps the server holds back: the system's, or that of the database server that has the store.
struct WatchedClock: Sendable {
  /// The part of the server's health.
  let part: String
  /// The clock's name in a sentence.
  let name: String
  /// The believed time, in microseconds since 1970.
  let now: @Sendable () -> Int64
  /// The step that is held back, in microseconds; 0 where there is none.
  let step: @Sendable () -> Int64
  /// The metric that shows the step, in seconds.
  let metric: String

  /// The system's clock.
  static func system(_ clock: WallClock) -> WatchedClock {
    WatchedClock(
      part: "clock",
      name: "system clock",
      now: { clock.now() },
      step: { clock.step },
      metric: "brasa_clock_step_seconds"
    )
  }

  /// The clock of the server that has an engine's store.
  static func databaseServer(_ engine: PostgresEngine) -> WatchedClock {
    WatchedClock(
      part: "database clock",
      name: "database server's clock",
      now: { engine.clock.now() },
      step: { engine.clockStep },
      metric: "brasa_database_clock_step_seconds"
    )
  }

  /// The warning where a step is held back; nil where the clock is followed.
  var warning: String? {
    let step = step()
    guard step != 0 else { return nil }
    let seconds = abs(step) / 1_000_000
    let direction = step > 0 ? "ahead" : "back"
    return """
      the \(name) jumped \(seconds) s \(direction) and is ignored; correct it, or run brasa clock accept
      """
  }
}
