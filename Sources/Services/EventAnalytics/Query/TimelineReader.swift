import KeyValueStore

/// Reads what instances sent, day by day.
struct TimelineReader {
  private let project: UInt32
  private let day: EventDay
  private let cursor: any KeyValueCursor
  private var isOnRow: Bool

  /// The timelines of a day.
  init(project: UInt32, day: EventDay, reader: any KeyValueReader) throws {
    self.project = project
    self.day = day
    let prefix = EventKey.numbered(.timeline, project, day.key)
    cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    isOnRow = try cursor.next()
  }

  /// The next instance and what it sent; nil behind the last.
  mutating func next() throws -> (instance: UInt32, runs: [TimelineRun])? {
    guard isOnRow else { return nil }
    let instance = try EventKey.requiredNumber(cursor.key, at: 9)
    return (instance, try runs(of: instance))
  }

  /// What an instance sent; instances are asked for in ascending order.
  mutating func runs(at instance: UInt32) throws -> [TimelineRun] {
    guard isOnRow else { return [] }
    if try EventKey.requiredNumber(cursor.key, at: 9) < instance {
      isOnRow = try cursor.seek(EventKey.numbered(.timeline, project, day.key, instance))
    }
    return try runs(of: instance)
  }

  /// Passes all instances below a number.
  mutating func skip(to instance: UInt32) throws {
    isOnRow = try cursor.seek(EventKey.numbered(.timeline, project, day.key, instance))
  }

  private mutating func runs(of instance: UInt32) throws -> [TimelineRun] {
    var runs: [TimelineRun] = []
    while isOnRow, try EventKey.requiredNumber(cursor.key, at: 9) == instance {
      runs += try TimelineRun.decode(cursor.value)
      isOnRow = try cursor.next()
    }
    return runs
  }
}

extension [TimelineRun] {
  /// The events of all runs in the order in which they happened.
  var orderedEvents: [TimelineEvent] {
    flatMap(\.events).enumerated()
      .sorted { left, right in
        (left.element.time, left.element.sequence, left.offset)
          < (right.element.time, right.element.sequence, right.offset)
      }
      .map(\.element)
  }
}
