import FirestoreModel
import KeyValueStore

extension EventAnalytics {
  /// Does one step of background work and returns true if more can be done at once.
  package func maintain() throws -> Bool {
    if try keepReserve() { return true }
    let logs = logs
    let turn = upkeep.withLock { $0.turn }
    for offset in logs.indices {
      // The project of the last work is last the next time.
      let index = (turn + offset) % logs.count
      guard try maintain(logs[index]) else { continue }
      upkeep.withLock { $0.turn = index + 1 }
      return true
    }
    if try renewMembership() { return true }
    return try forgetOldMarks()
  }

  private func maintain(_ log: ProjectLog) throws -> Bool {
    let age = clock.now() - configuration.segmentAge
    if log.isDue(events: configuration.segmentEvents, openedBefore: age) { try close(log) }
    if try sealNext(of: log) { return true }
    if log.mayMerge {
      if try mergeNext(of: log) { return true }
      log.mayMerge = false
    }
    if log.mayMergeClosed {
      if try mergeNextClosed(of: log) { return true }
      log.mayMergeClosed = false
    }
    if try countSessionsOfNextDay(of: log) { return true }
    return try dropOld(of: log)
  }

  /// Counts all events that a project has sent so far, so that the next read has them.
  func sealAll(of log: ProjectLog) throws {
    if log.hasOpenBatches { try close(log) }
    while try sealNext(of: log) {}
  }

  /// Ends the open segment; no batch comes to it after that.
  private func close(_ log: ProjectLog) throws {
    log.noteLanded(try engine.write { _ in log.closeSegment() })
  }

  /// Seals the oldest closed segment; false where there is none.
  private func sealNext(of log: ProjectLog) throws -> Bool {
    try organizing.withLock { _ in
      guard let segment = log.nextClosed else { return false }
      let intake = KeyRange(prefix: EventKey.numbered(.intake, log.number, segment))
      let (builder, keys) = try engine.read { try build(segment, of: log, intake, $0) }
      let words = builder.words.words
      try engine.write(.background) { group in
        try builder.write(to: group)
        for key in keys { try group.delete(key) }
      }
      dictionaries.keep(words)
      networkNames.add(builder.names.brought)
      log.forgetClosed(segment)
      log.mayMerge = true
      state.withLock { state in
        state.counts.sealed += 1
        state.counts.dropped += builder.dropped
        state.counts.namesRefused += builder.names.refused
      }
      return true
    }
  }

  /// Reads a segment's batches; answers what they come to and their keys.
  private func build(
    _ segment: UInt32,
    of log: ProjectLog,
    _ intake: KeyRange,
    _ reader: any KeyValueReader
  ) throws -> (SegmentBuilder, keys: [[UInt8]]) {
    guard let calendar = DayCalendar(log.settings.zone) else {
      throw KeyValueError(.corruption, "a project's zone is unknown")
    }
    let words = WordTable(
      project: log.number,
      reader: reader,
      cache: dictionaries,
      limits: WordTable.Limits(
        all: UInt32(configuration.wordLimit),
        perDay: UInt32(configuration.wordsPerDay)
      )
    )
    var builder = try SegmentBuilder(
      project: log.number,
      segment: segment,
      calendar: calendar,
      words: words,
      names: NameBudget(
        project: log.number,
        limit: configuration.namesPerDay,
        networks: networkNames,
        reader: reader
      ),
      unprovenPerDay: configuration.unprovenPerDay,
      reader: reader
    )
    var keys: [[UInt8]] = []
    let cursor = try reader.cursor(over: intake, reversed: false)
    while try cursor.next() {
      try builder.add(try EventBatch(decoding: cursor.value))
      keys.append(Array(cursor.key))
    }
    try builder.finish()
    return (builder, keys)
  }
}
