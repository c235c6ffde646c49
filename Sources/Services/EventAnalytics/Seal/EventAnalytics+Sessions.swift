import BaseStatus
import BaseText
import KeyValueStore

// Days that were sealed before sessions were counted have neither tallies nor records of sessions. Their timelines
// say which there were.

extension EventAnalytics {
  /// Counts the sessions of all days of a project that lack them; blocks.
  func countMissingSessions(of project: Text) throws {
    guard let log = log(of: project) else { return }
    do {
      while try countSessionsOfNextDay(of: log) {}
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  /// Counts the sessions of the first day that may lack them; false where none does.
  ///
  /// A day and the record that it has them are one write, so that a crash in between loses nothing. Days whose events
  /// are no longer kept stay without.
  func countSessionsOfNextDay(of log: ProjectLog) throws -> Bool {
    guard log.record.sessionsMissingFrom < ProjectRecord.never else { return false }
    return try organizing.withLock { _ in
      var record = log.record
      let missing = try engine.read { reader in
        try MissingSessions(from: record.sessionsMissingFrom, of: log.number, reader)
      }
      record.sessionsMissingFrom = missing?.day.advanced(by: 1) ?? ProjectRecord.never
      let bytes = record.encoded
      try engine.write(.background) { group in
        try missing?.write(to: group)
        try group.put(EventKey.project(log.name), bytes)
      }
      log.set(record)
      return missing != nil
    }
  }
}

/// The sessions of a day from its timelines, instead of the counts.
private struct MissingSessions {
  let day: EventDay
  private var deletes: [[UInt8]] = []
  private var puts: [(key: [UInt8], value: [UInt8])] = []

  /// Those of the first day with events at or after one; nil where there is none.
  init?(from first: EventDay, of project: UInt32, _ reader: any KeyValueReader) throws {
    let timelines = KeyRange(
      lower: EventKey.numbered(.timeline, project, first.key),
      upper: KeyRange.successor(ofPrefix: EventKey.numbered(.timeline, project))
    )
    let cursor = try reader.cursor(over: timelines, reversed: false)
    guard try cursor.next() else { return nil }
    day = EventDay(key: try EventKey.requiredNumber(cursor.key, at: 5))
    for prefix in [
      EventKey.numbered(.session, project, day.key), Facet.prefix(project, day, .sessions),
    ] {
      let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
      while try cursor.next() { deletes.append(Array(cursor.key)) }
    }
    var sessions = SessionCount()
    var reading = try TimelineReader(project: project, day: day, reader: reader)
    while let (user, runs) = try reading.next() {
      guard user != 0 else { continue }
      for event in runs.flatMap(\.events) { sessions.note(event, of: user) }
    }
    for (name, isEngaged) in sessions.uncounted {
      puts.append((EventKey.session(project, day, name), [isEngaged ? 1 : 0]))
    }
    for (facet, tally) in sessions.tallies {
      puts.append((facet.key(project, day, segment: 0), tally.encoded))
    }
  }

  func write(to group: any KeyValueGroup) throws {
    for key in deletes { try group.delete(key) }
    for (key, value) in puts { try group.put(key, value) }
  }
}
