import BaseStatus
import BaseText

extension EventAnalytics {
  /// Events that are imported between two rounds of counting.
  private static let importedEvents = 16_384

  /// Takes events of another time or place as they are, and answers how many; nil of `next` is the end.
  ///
  /// Names and limits are not asked again, but the intake's form is: an event whose name is no name
  /// is told to `refused`. Data that is imported twice counts twice, except for purchases of a
  /// transaction. Blocks.
  package func importEvents(
    into project: Text,
    next: () throws -> RecordedEvent?,
    refused: (String) throws -> Void
  ) throws -> Int {
    do {
      let log = try makeLog(of: project)
      var pending: [EventBatch] = []
      var (count, waiting) = (0, 0)
      while let event = try next() {
        if let problem = EventNames.problem(with: event.event.name, atMost: 100, "An event") {
          try refused(problem.description)
          continue
        }
        Self.append(event, to: &pending)
        (count, waiting) = (count + 1, waiting + 1)
        guard waiting >= Self.importedEvents else { continue }
        try keep(pending, in: log)
        (pending, waiting) = ([], 0)
      }
      try keep(pending, in: log)
      return count
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  /// Events of the same installation and circumstances that follow each other are one batch.
  private static func append(_ event: RecordedEvent, to batches: inout [EventBatch]) {
    if let last = batches.last, last.events.count < EventLimits.batchEvents,
      last.instanceID == event.instanceID, last.userID == event.userID,
      last.context == event.context, last.properties == event.properties,
      last.clockOffset == event.clockOffset
    {
      batches[batches.count - 1].events.append(event.event)
      return
    }
    var batch = EventBatch(
      instanceID: event.instanceID,
      context: event.context,
      events: [event.event]
    )
    batch.userID = event.userID
    batch.properties = event.properties
    batch.received = event.received
    batch.isImported = true
    batch.clockOffset = event.clockOffset
    batches.append(batch)
  }

  private func keep(_ batches: [EventBatch], in log: ProjectLog) throws {
    guard !batches.isEmpty else { return }
    let now = clock.now()
    try engine.write(.background) { group in
      for batch in batches {
        try group.put(log.take(events: batch.events.count, now: now), batch.encoded)
      }
    }
    try sealAll(of: log)
  }
}
