import BaseRuntime

// The database server's clock.
extension PostgresEngine {
  /// The step of the server's clock that is held back, in microseconds, as of the last reading; 0 where there is none.
  package var clockStep: Int64 { time.clock.step }

  /// The believed time minus the time since this machine's boot, in microseconds, which a process remembers for the
  /// next; nil where a test has set the clock.
  package var clockOffset: Int64? { time.clock.offset }

  /// Accepts the server's clock after a jump, for all engines of the store.
  ///
  /// Blocks.
  package func acceptClock() throws {
    BlockingCheck.assertMayBlock()
    try timeline.acceptClock()
  }

  /// Reads the server's clock.
  ///
  /// Blocks.
  package func readClock() throws { try read { _ in } }

  /// Looks at the clock before anything is written by it.
  static func beginTime(
    _ configuration: PostgresConfiguration,
    _ views: ViewConnections,
    _ schema: StoreSchema,
    _ time: EpochTime,
    _ timeline: TimelineLock
  ) throws {
    if case .accepted = configuration.clockSteps { return try timeline.acceptClock() }
    let row = try beginView(in: views, schema) { row, _ in row }
    time.clock.note(row)
    try configuration.openingCheck?(time.clock.now(), row.version)
  }
}
