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

  /// Returns the runs that an instance sent; instances are asked for in ascending order.
  mutating func runs(at instance: UInt32) throws -> [TimelineRun] {
    try advance(to: instance)
    return try runs(of: instance)
  }

  /// The events of some names that an instance sent, in the order in which they happened; instances are asked for in
  /// ascending order.
  mutating func steps(at instance: UInt32, among names: [UInt32]) throws -> [TimelineStep] {
    try advance(to: instance)
    var steps: [TimelineStep] = []
    while isOnRow, try EventKey.requiredNumber(cursor.key, at: 9) == instance {
      try TimelineRun.appendSteps(of: cursor.value, among: names, to: &steps)
      isOnRow = try cursor.next()
    }
    return steps.inOrder
  }

  /// Passes all instances below a number.
  mutating func skip(to instance: UInt32) throws {
    isOnRow = try cursor.seek(EventKey.numbered(.timeline, project, day.key, instance))
  }

  /// Rows that are passed one by one before the cursor looks for an instance, which costs as much as a few of them.
  private static let nearRows = 4

  private mutating func advance(to instance: UInt32) throws {
    for _ in 0..<Self.nearRows {
      guard isOnRow, try EventKey.requiredNumber(cursor.key, at: 9) < instance else { return }
      isOnRow = try cursor.next()
    }
    guard isOnRow, try EventKey.requiredNumber(cursor.key, at: 9) < instance else { return }
    try skip(to: instance)
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

extension [TimelineStep] {
  /// The steps in the order in which they happened; those of one time and sequence as they came.
  fileprivate var inOrder: [TimelineStep] {
    let isOrdered = zip(self, dropFirst()).allSatisfy {
      ($0.time, $0.sequence) <= ($1.time, $1.sequence)
    }
    if isOrdered { return self }
    return enumerated()
      .sorted { left, right in
        (left.element.time, left.element.sequence, left.offset)
          < (right.element.time, right.element.sequence, right.offset)
      }
      .map(\.element)
  }
}
