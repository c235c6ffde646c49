import FirestoreModel
import KeyValueStore

/// Turns the batches of one segment into timelines and facets.
///
/// It reads a view and writes nothing; `write` puts all that it made into one group.
struct SegmentBuilder {
  private struct Row: Hashable {
    let day: EventDay
    let instance: UInt32
  }

  private struct Context {
    let number: UInt32
    let words: ContextWords
    let encoded: [UInt8]
  }

  private let project: UInt32
  private let segment: UInt32
  private let reader: any KeyValueReader
  private let unprovenPerDay: Int
  private var calendar: DayCalendar
  private var counters: ProjectCounters
  private(set) var words: WordTable
  private var instances: [String: InstanceRecord] = [:]
  private var changed: Set<String> = []
  private var added: [(number: UInt32, id: String)] = []
  private var users: Set<[UInt8]> = []
  private var contexts: [EventContext: Context] = [:]
  private var rows: [Row: [TimelineRun]] = [:]
  private var days: [EventDay: DayCount] = [:]
  private(set) var names: NameBudget
  /// Sessions that are counted with this segment.
  private var marks: [(key: [UInt8], isEngaged: Bool)] = []
  /// Purchases that are counted with this segment, and when they came.
  private var purchases: [[UInt8]: Int64] = [:]
  /// Events that are not counted: their name was one too many in the project or of the app's day, or a purchase came
  /// before.
  private(set) var dropped = 0

  init(
    project: UInt32,
    segment: UInt32,
    calendar: DayCalendar,
    words: WordTable,
    names: NameBudget,
    unprovenPerDay: Int,
    reader: any KeyValueReader
  ) throws {
    self.unprovenPerDay = unprovenPerDay
    self.project = project
    self.segment = segment
    self.calendar = calendar
    self.words = words
    self.names = names
    self.reader = reader
    counters = try ProjectCounters.read(project, reader)
    counters.segment = max(counters.segment, segment + 1)
  }

  /// Adds a batch; batches come in the order of the intake.
  mutating func add(_ batch: EventBatch) throws {
    for (code, count) in batch.dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      days[calendar.day(of: batch.received), default: DayCount()].noteDrops(code, count)
    }
    guard !batch.events.isEmpty else { return }
    if batch.isImported {
      words.advanceToImported()
    } else {
      words.advance(to: batch.received, from: batch.standing)
    }
    let context = try self.context(batch.context)
    let properties = try batch.properties.compactMap { try property($0) }
    let sender = try nameSender(of: batch)
    var runs: [EventDay: TimelineRun] = [:]
    for event in batch.events {
      let day = calendar.day(of: event.time)
      guard try isNew(event, of: batch) else {
        drop(.nameDuplicated, on: day)
        continue
      }
      guard let event = try self.event(event, of: batch, sender, app: context.words.app, on: day)
      else {
        drop(.exceededMaxEntities, on: day)
        continue
      }
      runs[day, default: run(batch, context, properties)].events.append(event)
    }
    for (day, run) in runs.sorted(by: { $0.key < $1.key }) {
      try keep(run, of: batch, on: day, context.words)
    }
  }

  private mutating func drop(_ code: DropCode, on day: EventDay) {
    dropped += 1
    days[day, default: DayCount()].noteDrops(code, 1)
  }

  /// Returns true unless an event is a purchase that the same installation has sent before, by its
  /// transaction's id.
  private mutating func isNew(_ event: AnalyticsEvent, of batch: EventBatch) throws -> Bool {
    guard EventNames.purchases.contains(event.name), let instance = batch.instanceID,
      let transaction = event.text("\(KnownWord.Parameter.transaction_id)"), !transaction.isEmpty
    else { return true }
    let key = EventKey.purchase(project, instance, transaction)
    guard purchases[key] == nil, try reader.get(key) == nil else { return false }
    purchases[key] = batch.received
    return true
  }

  private mutating func keep(
    _ run: TimelineRun,
    of batch: EventBatch,
    on day: EventDay,
    _ context: ContextWords
  ) throws {
    let number = try batch.instanceID.map { try instance($0, of: batch, on: day) } ?? 0
    if number != 0, let user = batch.userID {
      var key = EventKey.named(.user, project, user)
      EventKey.append(number, to: &key)
      users.insert(key)
    }
    days[day, default: DayCount()].add(run, context, user: number)
    rows[Row(day: day, instance: number), default: []].append(run)
  }

  private func run(
    _ batch: EventBatch,
    _ context: Context,
    _ properties: [TimelineRun.Property]
  ) -> TimelineRun {
    TimelineRun(
      context: context.number,
      inlineContext: context.number == WordTable.other ? context.encoded : [],
      userID: batch.userID,
      received: batch.received,
      clockOffset: batch.clockOffset,
      properties: properties,
      events: []
    )
  }

  // MARK: Numbers

  /// The number of an installation; 0 for an unauthenticated one beyond the limit.
  private mutating func instance(
    _ id: String,
    of batch: EventBatch,
    on day: EventDay
  ) throws -> UInt32 {
    if var known = try record(of: id) {
      let before = known
      known.extend(to: day)
      if known != before { changed.insert(id) }
      instances[id] = known
      return known.number
    }
    let isUnproven = !batch.standing.isProven
    if isUnproven, !counters.takeUnproven(at: batch.received, atMost: unprovenPerDay) { return 0 }
    let record = InstanceRecord(number: counters.takeInstance(at: batch.received), day: day)
    instances[id] = record
    changed.insert(id)
    added.append((record.number, id))
    return record.number
  }

  private func record(of id: String) throws -> InstanceRecord? {
    if let known = instances[id] { return known }
    return try reader.get(EventKey.named(.instance, project, id))
      .map { try InstanceRecord(decoding: $0) }
  }

  private func nameSender(of batch: EventBatch) throws -> NameSender {
    // By the number that it was given: an app says itself when its events were.
    let number = try batch.instanceID.flatMap { try record(of: $0)?.number }
    return NameSender(
      standing: batch.standing,
      network: batch.networkMark,
      isNew: number.map { counters.isNew($0, at: batch.received) } ?? true
    )
  }

  private mutating func context(_ context: EventContext) throws -> Context {
    if let known = contexts[context] { return known }
    let numbers = try SealedContext(context, others: 0).words { try words.number(of: $0, in: $1) }
    let encoded = SealedContext(context, others: numbers.others).encoded
    let number = try words.number(of: encoded, in: .contexts)
    let made = Context(number: number, words: numbers, encoded: encoded)
    contexts[context] = made
    return made
  }

  private mutating func property(_ property: UserProperty) throws -> TimelineRun.Property? {
    let name = try words.number(of: property.name, in: .properties)
    guard name != WordTable.other else { return nil }
    let word = try words.number(of: property.value, in: WordScope(.propertyValue, of: name))
    return TimelineRun.Property(
      name: name,
      word: word,
      text: word == WordTable.other ? property.value : "",
      time: property.time
    )
  }

  private mutating func event(
    _ event: AnalyticsEvent,
    of batch: EventBatch,
    _ sender: NameSender,
    app: UInt32,
    on day: EventDay
  ) throws -> TimelineEvent? {
    let known = try words.knownNumber(of: event.name, in: .events)
    let isAdmitted =
      try batch.isImported
      || names.admits(event.name, known, app: app, on: day, from: sender, &words)
    guard isAdmitted else { return nil }
    let name = try known ?? words.number(of: event.name, in: .events)
    guard name != WordTable.other else { return nil }
    try names.note(event.name, name, app: app, on: day, from: sender, &words)
    let parameters = try event.parameters.compactMap { parameter -> TimelineEvent.Parameter? in
      let name = try words.number(of: parameter.name, in: .parameters)
      guard name != WordTable.other else { return nil }
      return TimelineEvent.Parameter(name: name, value: try value(parameter.value, of: name))
    }
    return TimelineEvent(
      name: name,
      time: event.time,
      sequence: event.sequence,
      parameters: parameters
    )
  }

  private mutating func value(
    _ value: EventValue,
    of parameter: UInt32
  ) throws -> TimelineEvent.Value {
    switch value {
    case .double(let number): return .double(number)
    case .items(let items): return .items(items)
    case .integer(let number):
      return .integer(number, word: try word("\(number)", of: parameter))
    case .string(let text):
      let word = try word(text, of: parameter)
      return word == WordTable.other ? .text(text) : .word(word)
    }
  }

  private mutating func word(_ text: String, of parameter: UInt32) throws -> UInt32 {
    guard KnownWord.isCounted(parameter) else { return WordTable.other }
    return try words.number(of: text, in: WordScope(.parameterValue, of: parameter))
  }

  // MARK: Sessions

  /// Looks which sessions are counted already; the last step before `write`.
  mutating func finish() throws {
    for (day, var count) in days {
      for name in count.sessions.seen.keys {
        guard let mark = try reader.get(EventKey.session(project, day, name)) else { continue }
        count.sessions.setCounted(name, isEngaged: mark == [1])
      }
      for (name, isEngaged) in count.sessions.uncounted {
        marks.append((EventKey.session(project, day, name), isEngaged))
      }
      days[day] = count
    }
  }

  // MARK: Writing

  /// Writes everything that the segment came to.
  func write(to group: any KeyValueGroup) throws {
    for (row, runs) in rows {
      let key = EventKey.numbered(.timeline, project, row.day.key, row.instance, segment)
      try group.put(key, TimelineRun.encode(runs))
    }
    for (day, count) in days {
      try group.putMarker(EventKey.numbered(.part, project, day.key, segment))
      for (facet, tally) in count.tallies {
        try group.put(facet.key(project, day, segment: segment), tally.encoded)
      }
    }
    for (key, time) in purchases { try group.put(key, EventAnalytics.bytes(time)) }
    for (key, isEngaged) in marks { try group.put(key, [isEngaged ? 1 : 0]) }
    for id in changed {
      guard let record = instances[id] else { continue }
      try group.put(EventKey.named(.instance, project, id), record.encoded)
    }
    for (number, id) in added {
      try group.put(EventKey.numbered(.number, project, number), Array(id.utf8))
    }
    for key in users { try group.putMarker(key) }
    try words.write(to: group)
    try counters.write(project, to: group)
  }
}
