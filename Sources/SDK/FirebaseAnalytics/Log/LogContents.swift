/// The state that results from the records of a log.
///
/// Pure: the same records give the same contents.
struct LogContents: Sendable {
  /// An event that waits.
  struct Waiting: Sendable {
    let event: LoggedEvent
    let context: EventContext
    /// The bytes of its record.
    let size: Int
  }

  /// Events that are sent together, under one number, until the server has them.
  struct Batch: Sendable, Hashable {
    let number: Int64
    let count: Int
  }

  private(set) var settings = AnalyticsSettings()
  private(set) var context = EventContext()
  /// Oldest first; those of the batch are the first ones.
  private(set) var waiting: [Waiting] = []
  private(set) var waitingBytes = 0
  private(set) var batch: Batch?

  /// Takes the next record, which has so many bytes in the file.
  mutating func apply(_ record: LogRecord, size: Int) {
    switch record {
    case .settings(let new): settings = new
    case .context(let new): context = new
    case .event(let event): add(event, size)
    case .batch(let number, let count):
      batch = Batch(number: number, count: min(count, waiting.count))
      settings.nextBatch = max(settings.nextBatch, number + 1)
    case .finished(let number):
      guard let batch, batch.number == number else { return }
      self.batch = nil
      remove(0..<batch.count)
    case .dropped(let count):
      let first = batch?.count ?? 0
      remove(first..<min(first + count, waiting.count))
    case .cleared:
      batch = nil
      remove(0..<waiting.count)
    }
  }

  private mutating func add(_ event: LoggedEvent, _ size: Int) {
    waiting.append(Waiting(event: event, context: context, size: size))
    waitingBytes += size
    settings.nextSequence = max(settings.nextSequence, event.sequence + 1)
    guard settings.session != nil, !Self.passiveEvents.contains(event.name) else { return }
    settings.session?.lastActivityMicros = event.timeMicros
  }

  /// Events without a use of the app.
  private static let passiveEvents: Set<String> = ["app_exception", "app_update", "os_update"]

  private mutating func remove(_ range: Range<Int>) {
    waitingBytes -= waiting[range].reduce(0) { $0 + $1.size }
    waiting.removeSubrange(range)
  }

  /// The events of the batch.
  var batchEvents: ArraySlice<Waiting> { waiting.prefix(batch?.count ?? 0) }

  /// Returns the number of events in the next batch: the first ones that share their context.
  func nextBatchCount(limit: Int) -> Int {
    guard let first = waiting.first else { return 0 }
    return waiting.prefix(limit).prefix { $0.context == first.context }.count
  }

  /// Returns the number of the oldest events that must go for the others to be within bounds.
  func excess(count: Int, bytes: Int) -> Int {
    var (countLeft, bytesLeft, excess) = (waiting.count, waitingBytes, 0)
    for event in waiting.dropFirst(batch?.count ?? 0) where countLeft > count || bytesLeft > bytes {
      countLeft -= 1
      bytesLeft -= event.size
      excess += 1
    }
    return excess
  }

  /// The fewest records that come to the same.
  var records: [LogRecord] {
    var result: [LogRecord] = []
    var last: EventContext?
    for event in waiting {
      if event.context != last { result.append(.context(event.context)) }
      last = event.context
      result.append(.event(event.event))
    }
    if let batch { result.append(.batch(number: batch.number, count: batch.count)) }
    if context != last { result.append(.context(context)) }
    // Behind the events, which change settings too.
    return result + [.settings(settings)]
  }
}
