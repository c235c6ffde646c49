import KeyValueStore

extension EventAnalytics {
  /// Bytes that one write of a merge takes, about.
  private static let mergedBytes = 512 << 10
  /// Days after which no events of a day come any more, but for imports: they may be 72 hours late.
  private static let openDays = 4

  /// Merges the facets of a day that has many parts; false where no day has.
  func mergeNext(of log: ProjectLog) throws -> Bool {
    try mergeNext(of: log, parts: configuration.mergedParts, before: EventDay(Int(Int32.max)))
  }

  /// Merges the facets of a day that is over and has several parts; false where no day has.
  func mergeNextClosed(of log: ProjectLog) throws -> Bool {
    let open = today(of: log.name).advanced(by: -Self.openDays)
    return try mergeNext(of: log, parts: 2, before: open)
  }

  private func mergeNext(of log: ProjectLog, parts: Int, before end: EventDay) throws -> Bool {
    try organizing.withLock { _ in
      let found = try engine.read { try crowdedDay(of: log, parts: parts, before: end, $0) }
      guard let (day, parts) = found else { return false }
      try merge(day, of: log.number)
      try engine.write(.background) { group in
        for part in parts { try group.delete(part) }
        try group.putMarker(EventKey.numbered(.part, log.number, day.key, 0))
      }
      state.withLock { $0.counts.merges += 1 }
      return true
    }
  }

  /// The first day before another one with so many parts, and these parts' keys.
  private func crowdedDay(
    of log: ProjectLog,
    parts count: Int,
    before end: EventDay,
    _ reader: any KeyValueReader
  ) throws -> (day: EventDay, parts: [[UInt8]])? {
    let range = KeyRange(
      lower: EventKey.numbered(.part, log.number),
      upper: EventKey.numbered(.part, log.number, end.key)
    )
    let cursor = try reader.cursor(over: range, reversed: false)
    var (day, parts): (UInt32?, [[UInt8]]) = (nil, [])
    while try cursor.next() {
      let next = try EventKey.requiredNumber(cursor.key, at: 5)
      if next != day, let day, parts.count >= count { return (EventDay(key: day), parts) }
      if next != day { (day, parts) = (next, []) }
      parts.append(Array(cursor.key))
    }
    guard let day, parts.count >= count else { return nil }
    return (EventDay(key: day), parts)
  }

  /// Adds up the facets of a day, a few at a time: each is merged whole, so that a crash in between leaves
  /// nothing wrong.
  private func merge(_ day: EventDay, of project: UInt32) throws {
    try engine.read { reader in
      var batch = MergeBatch(project: project, day: day)
      try FacetReader(project: project, reader: reader).forEach(on: day) { facet, tally, keys in
        guard keys.count > 1 else { return }
        batch.add(facet, tally, replacing: keys)
        guard batch.bytes >= Self.mergedBytes else { return }
        try write(batch)
        batch = MergeBatch(project: project, day: day)
      }
      try write(batch)
    }
  }

  private func write(_ batch: MergeBatch) throws {
    guard batch.bytes > 0 else { return }
    try engine.write(.background) { group in try batch.write(to: group) }
  }
}

/// Merged facets that are written together.
private struct MergeBatch {
  let project: UInt32
  let day: EventDay
  private var puts: [(key: [UInt8], value: [UInt8])] = []
  private var deletes: [[UInt8]] = []
  private(set) var bytes = 0

  init(project: UInt32, day: EventDay) {
    self.project = project
    self.day = day
  }

  mutating func add(_ facet: Facet, _ tally: Tally, replacing keys: [[UInt8]]) {
    let merged = facet.key(project, day, segment: 0)
    let value = tally.encoded
    puts.append((merged, value))
    deletes += keys.filter { $0 != merged }
    bytes += value.count + keys.count * merged.count
  }

  func write(to group: any KeyValueGroup) throws {
    for key in deletes { try group.delete(key) }
    for (key, value) in puts { try group.put(key, value) }
  }
}
