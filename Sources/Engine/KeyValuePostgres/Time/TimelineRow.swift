/// The content of the timeline's row.
struct TimelineRow: Sendable {
  /// The last version that landed; 0 when none has.
  let version: Int64
  /// No view has a higher time, of no engine.
  let ceiling: Int64
  /// The number of times that the time has changed hands.
  let epoch: Int64
  /// The engine that holds the time.
  let holder: Int64
  /// True if a key longer than `StoreSchema.longestKey` was ever written.
  let hasLongKeys: Bool
  /// The server's clock; `ServerClock` decides how it is used.
  let now: Int64
  /// The number of the last group.
  let log: Int64
  /// The term of the node that leads.
  let term: Int64
  /// The step of the server's clock that the engines hold back.
  let clock: ClockSetting
}

extension TimelineRow {
  init(_ result: PostgresResult) throws {
    version = try result.number(0, 0)
    ceiling = try result.number(0, 1)
    epoch = try result.number(0, 2)
    holder = try result.number(0, 3)
    hasLongKeys = try result.number(0, 4) != 0
    now = try result.number(0, 5)
    log = try result.number(0, 6)
    term = try result.number(0, 7)
    clock = ClockSetting(step: try result.number(0, 8), acceptances: try result.number(0, 9))
  }
}
