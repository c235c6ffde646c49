import KeyValueStore

/// A view: a transaction that sees the tables as they were when it began.
///
/// One thread at a time.
final class PostgresSnapshot: KeyValueSnapshot, TableReading {
  let reader: TableReader
  /// Nil where the read time is decided from the beginning.
  private let time: ViewTime?
  private let row: TimelineRow
  private let floor: Int64
  private var decided: Int64?

  init(_ reader: TableReader, _ row: TimelineRow, floor: Int64, time: ViewTime) {
    self.reader = reader
    self.row = row
    self.floor = floor
    self.time = time
  }

  /// A view with a read time.
  init(_ reader: TableReader, _ row: TimelineRow, time decided: Int64) {
    self.reader = reader
    self.row = row
    time = nil
    floor = decided
    self.decided = decided
  }

  func getCached(_ key: [UInt8]) throws -> PointRead { .incomplete }

  func readTime() throws -> Int64 {
    if let decided { return decided }
    guard let answer = try time?.readTime(floor: floor, held: row.version) else { return floor }
    decided = answer
    return answer
  }

  func cachedReadTime() throws -> Int64? {
    if let decided { return decided }
    decided = time?.readTimeInMemory(floor: floor, held: row.version)
    return decided
  }
}

/// Read times of views, inside groups and outside.
struct ViewTime {
  let time: EpochTime
  let timeline: TimelineLock
  /// True if the view was opened in the body of a group, which holds the timeline.
  let isInGroup: Bool

  /// The read time of a view, after making a ceiling durable if need be.
  func readTime(floor: Int64, held: Int64) throws -> Int64 {
    // The clock is read once: with a slow server it would outrun every ceiling.
    let now = time.clock.now()
    while true {
      switch decide(floor: floor, held: held, now: now) {
      case .time(let time): return time
      case .needsCeiling(let ceiling):
        guard !isInGroup else {
          throw KeyValueError(.misuse, "a view inside a group has no read time yet")
        }
        try timeline.raise(to: ceiling)
      }
    }
  }

  /// The read time of a view, or nil when a ceiling must be made durable first.
  func readTimeInMemory(floor: Int64, held: Int64) -> Int64? {
    guard case .time(let time) = decide(floor: floor, held: held, now: time.clock.now()) else {
      return nil
    }
    return time
  }

  private func decide(floor: Int64, held: Int64, now: Int64) -> Timeline.ReadTime {
    isInGroup
      ? time.readTimeInGroup(floor: floor, held: held, now: now)
      : time.readTime(floor: floor, held: held, now: now)
  }
}

/// A view that holds nothing: the engine keeps no values in memory.
final class EmptyMemory: KeyValueSnapshot {
  func get(_ key: [UInt8]) throws -> [UInt8]? { throw NotInMemory() }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    throw NotInMemory()
  }

  func readTime() throws -> Int64 { throw NotInMemory() }

  func cachedReadTime() throws -> Int64? { nil }

  func getCached(_ key: [UInt8]) throws -> PointRead { .incomplete }
}
