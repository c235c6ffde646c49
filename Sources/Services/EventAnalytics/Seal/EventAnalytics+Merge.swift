import FirestoreModel
import KeyValueStore

extension EventAnalytics {
  /// Bytes that one write of a merge takes, about.
  private static let mergedBytes = 512 << 10

  /// Merges the facets of a day that has many parts; false where no day has.
  func mergeNext(of log: ProjectLog) throws -> Bool {
    try organizing.withLock { _ in
      guard let (day, parts) = try engine.read({ try crowdedDay(of: log, $0) }) else {
        return false
      }
      try merge(day, of: log.number)
      try engine.write(.background) { group in
        for part in parts { try group.delete(part) }
        try group.putMarker(EventKey.numbered(.part, log.number, day.key, 0))
      }
      state.withLock { $0.counts.merges += 1 }
      return true
    }
  }

  /// The first day with as many parts as are merged, and the parts' keys.
  private func crowdedDay(
    of log: ProjectLog,
    _ reader: any KeyValueReader
  ) throws -> (day: EventDay, parts: [[UInt8]])? {
    let range = KeyRange(prefix: EventKey.numbered(.part, log.number))
    let cursor = try reader.cursor(over: range, reversed: false)
    var (day, parts): (UInt32?, [[UInt8]]) = (nil, [])
    while try cursor.next() {
      let next = try EventKey.requiredNumber(cursor.key, at: 5)
      if next != day, let day, parts.count >= configuration.mergedParts {
        return (EventDay(key: day), parts)
      }
      if next != day { (day, parts) = (next, []) }
      parts.append(Array(cursor.key))
    }
    guard let day, parts.count >= configuration.mergedParts else { return nil }
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
