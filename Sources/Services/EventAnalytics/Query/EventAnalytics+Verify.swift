import KeyValueStore

extension EventAnalytics {
  /// Counts every day again from its timelines and reports stored counts that differ.
  ///
  /// Days whose events are no longer kept are not looked at, nor what was dropped, nor sessions of days that were
  /// sealed before sessions were counted. Blocks for as long as reading everything takes.
  package func verify(
    difference: (String) throws -> Void
  ) throws -> (events: Int, days: Int) {
    var seen = (events: 0, days: 0)
    for log in logs {
      // Events of earlier days go while this reads, or have gone.
      let oldest = max(
        today(of: log.name).advanced(by: -log.settings.retentionDays),
        log.record.keptFrom
      )
      let missing = log.record.sessionsMissingFrom
      try engine.read { reader in
        for day in try daysWithFacets(of: log.number, reader) where day >= oldest {
          seen.events += try verify(day, of: log, sessionsMissing: missing, reader, difference)
          seen.days += 1
        }
      }
    }
    return seen
  }

  private func verify(
    _ day: EventDay,
    of log: ProjectLog,
    sessionsMissing: EventDay,
    _ reader: any KeyValueReader,
    _ difference: (String) throws -> Void
  ) throws -> Int {
    var count = DayCount()
    var recount = Recount(project: log.number, reader: reader)
    var timelines = try TimelineReader(project: log.number, day: day, reader: reader)
    var events = 0
    while let (instance, runs) = try timelines.next() {
      for run in runs {
        try recount.add(run, of: instance, to: &count)
        events += run.events.count
      }
    }
    let hasSessions = day < sessionsMissing
    func isCompared(_ facet: Facet) -> Bool {
      facet.dimension != .dropped && (hasSessions || facet.dimension != .sessions)
    }
    var expected = Dictionary(uniqueKeysWithValues: count.tallies.filter { isCompared($0.0) })
    var wrong = 0
    try FacetReader(project: log.number, reader: reader).forEach(on: day) { facet, tally, _ in
      guard isCompared(facet) else { return }
      if expected.removeValue(forKey: facet) != tally { wrong += 1 }
    }
    wrong += expected.count
    if wrong > 0 {
      try difference("\(log.name.string), \(day.text): \(wrong) counts differ from the events")
    }
    return events
  }

  private func daysWithFacets(
    of project: UInt32,
    _ reader: any KeyValueReader
  ) throws -> [EventDay] {
    let range = KeyRange(prefix: EventKey.numbered(.facet, project))
    let cursor = try reader.cursor(over: range, reversed: false)
    var days: [EventDay] = []
    var hasMore = try cursor.next()
    while hasMore {
      let day = try EventKey.requiredNumber(cursor.key, at: 5)
      days.append(EventDay(key: day))
      guard day < .max else { break }
      hasMore = try cursor.seek(EventKey.numbered(.facet, project, day + 1))
    }
    return days
  }
}
