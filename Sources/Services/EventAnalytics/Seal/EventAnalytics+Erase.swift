import BaseStatus
import BaseText
import KeyValueStore

extension EventAnalytics {
  /// Has something else that is kept of an installation erased with its events.
  ///
  /// - Parameter eraser: May block; it is called again for an installation that is erased again.
  package func onErasure(
    _ eraser: @escaping @Sendable (_ installation: String, _ project: Text) throws -> Void
  ) {
    state.withLock { $0.erasers.append(eraser) }
  }

  /// Erases all that is kept of an instance, or of all instances of a user id, here and by those who asked for it with
  /// `onErasure`, and answers how many events that were.
  ///
  /// Their events leave every count, as if they had never come. A crash in between leaves whole days erased and
  /// others not; erasing again does the rest. Blocks.
  package func erase(_ subject: EventSubject, of project: Text) throws -> Int {
    let log = log(of: project)
    do {
      if let log { try sealAll(of: log) }
      // First: after the events are gone, the installations of a user are unknown.
      let erasers = state.withLock { $0.erasers }
      for installation in try installations(of: subject, log?.number) {
        for eraser in erasers { try eraser(installation, project) }
      }
      guard let log else { return 0 }
      return try organizing.withLock { _ in try eraseSealed(subject, of: log.number) }
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  private func installations(
    of subject: EventSubject,
    _ project: UInt32?
  ) throws -> [String] {
    if case .instance(let id) = subject { return [id] }
    guard let project else { return [] }
    return try engine.read { reader in
      let decoder = EventDecoder(project: project, reader: reader)
      return try AnalyticsView(project: project, reader: reader).instances(of: subject)
        .compactMap { try decoder.instanceID($0.number) }
    }
  }

  private func eraseSealed(_ subject: EventSubject, of project: UInt32) throws -> Int {
    let instances = try engine.read { reader in
      try AnalyticsView(project: project, reader: reader).instances(of: subject)
    }
    var erased = 0
    for (number, record) in instances {
      for day in record.firstDay...record.lastDay {
        erased += try erase(number, on: day, of: project)
      }
      try forget(number, of: project)
    }
    return erased
  }

  /// Erases a day of an instance in one write.
  private func erase(_ instance: UInt32, on day: EventDay, of project: UInt32) throws -> Int {
    let change = try engine.read { reader -> DayErasure? in
      var timelines = try TimelineReader(project: project, day: day, reader: reader)
      let runs = try timelines.runs(at: instance)
      guard !runs.isEmpty else { return nil }
      return try DayErasure(instance, runs, on: day, of: project, reader)
    }
    guard let change else { return 0 }
    try engine.write(.background) { group in try change.write(to: group) }
    return change.events
  }

  /// Forgets an instance's id, its batches and purchases, and the users that were set on it.
  private func forget(_ instance: UInt32, of project: UInt32) throws {
    let keys = try engine.read { reader -> [[UInt8]] in
      guard let id = try EventDecoder(project: project, reader: reader).instanceID(instance) else {
        return []
      }
      var keys = [
        EventKey.numbered(.number, project, instance), EventKey.named(.instance, project, id),
      ]
      for kind in [EventKey.Kind.batch, .purchase] {
        let marks = KeyRange(prefix: EventKey.named(kind, project, id))
        let cursor = try reader.cursor(over: marks, reversed: false)
        while try cursor.next() { keys.append(Array(cursor.key)) }
      }
      let users = KeyRange(prefix: EventKey.numbered(.user, project))
      let cursor = try reader.cursor(over: users, reversed: false)
      while try cursor.next() {
        let number = try EventKey.requiredNumber(cursor.key, at: cursor.key.count - 4)
        if number == instance { keys.append(Array(cursor.key)) }
      }
      return keys
    }
    try engine.write(.background) { group in for key in keys { try group.delete(key) } }
  }

  private static let oldPause: Int64 = 3_600_000_000

  /// Drops some of the events that are older than their project keeps them; false where there is nothing to do now.
  ///
  /// The counts of these events stay.
  func dropOld(of log: ProjectLog) throws -> Bool {
    guard log.takeLookForOld(at: clock.now(), every: Self.oldPause) else { return false }
    // A day may be over since.
    log.mayMergeClosed = true
    let oldest = today(of: log.name).advanced(by: -log.settings.retentionDays)
    while try dropEvents(of: log, before: oldest) {}
    return false
  }

  /// Drops some of the events of the days before one; false where there are none.
  func dropEvents(of log: ProjectLog, before oldest: EventDay) throws -> Bool {
    try organizing.withLock { _ in
      let keys = try engine.read { try Self.oldKeys(of: log.number, before: oldest, $0) }
      guard !keys.isEmpty else { return false }
      if log.record.keptFrom < oldest {
        var record = log.record
        record.keptFrom = oldest
        try store(record, of: log)
      }
      try engine.write(.background) { group in for key in keys { try group.delete(key) } }
      return true
    }
  }
}

extension EventAnalytics {
  /// Some of the stored data of the events of the days before one.
  private static func oldKeys(
    of project: UInt32,
    before oldest: EventDay,
    _ reader: any KeyValueReader
  ) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for kind in [EventKey.Kind.timeline, .session] {
      let range = KeyRange(
        lower: EventKey.numbered(kind, project),
        upper: EventKey.numbered(kind, project, oldest.key)
      )
      let cursor = try reader.cursor(over: range, reversed: false)
      while keys.count < 4_096, try cursor.next() { keys.append(Array(cursor.key)) }
    }
    return keys
  }
}

/// The changes that erase a day of an instance.
private struct DayErasure {
  /// The number of events that are erased.
  let events: Int
  private var deletes: [[UInt8]] = []
  private var puts: [(key: [UInt8], value: [UInt8])] = []

  init(
    _ instance: UInt32,
    _ runs: [TimelineRun],
    on day: EventDay,
    of project: UInt32,
    _ reader: any KeyValueReader
  ) throws {
    events = runs.reduce(0) { $0 + $1.events.count }
    var count = DayCount()
    var recount = Recount(project: project, reader: reader)
    for run in runs { try recount.add(run, of: instance, to: &count) }
    let facets = FacetReader(project: project, reader: reader)
    for (facet, contribution) in count.tallies {
      let numbers = [facet.a, facet.b, facet.c]
      try facets.forEach(on: day, facet.dimension, numbers) { facet, tally, keys in
        var tally = tally
        tally.remove(contribution)
        deletes += keys
        guard !tally.isEmpty else { return }
        puts.append((facet.key(project, day, segment: 0), tally.encoded))
      }
    }
    for kind in [EventKey.Kind.timeline, .session] {
      let rows = KeyRange(prefix: EventKey.numbered(kind, project, day.key, instance))
      let cursor = try reader.cursor(over: rows, reversed: false)
      while try cursor.next() { deletes.append(Array(cursor.key)) }
    }
  }

  func write(to group: any KeyValueGroup) throws {
    for key in deletes { try group.delete(key) }
    for (key, value) in puts { try group.put(key, value) }
  }
}

/// Counts timelines again, which gives what was counted when they were sealed.
struct Recount {
  private let project: UInt32
  private var decoder: EventDecoder
  private let words: WordReader
  private var contexts: [UInt32: ContextWords] = [:]

  init(project: UInt32, reader: any KeyValueReader) {
    self.project = project
    decoder = EventDecoder(project: project, reader: reader)
    words = WordReader(project: project, reader: reader)
  }

  /// Adds a run to a day's count.
  mutating func add(_ run: TimelineRun, of instance: UInt32, to count: inout DayCount) throws {
    count.add(run, try contextWords(of: run), user: instance)
  }

  private mutating func contextWords(of run: TimelineRun) throws -> ContextWords {
    if run.context != WordTable.other, let known = contexts[run.context] { return known }
    let made = try decoder.context(of: run).words { try words.number(of: $0, in: $1) }
    if run.context != WordTable.other { contexts[run.context] = made }
    return made
  }
}
