import KeyValueStore

/// Holds each app to so many names of events that are new on a day.
///
/// The counts of earlier segments say which names there are. Names that the project knew before the day are free, so that
/// a stranger's junk crowds out none of them, and so are those that SDKs log by themselves. Names of senders that proved
/// nothing are bounded by the table of words alone, which counts them apart.
struct NameBudget {
  private struct AppDay: Hashable {
    let day: EventDay
    let app: UInt32
  }

  private let project: UInt32
  private let reader: any KeyValueReader
  private let limit: Int
  private var days: Set<EventDay> = []
  private var names: [AppDay: Set<UInt32>] = [:]

  init(project: UInt32, limit: Int, reader: any KeyValueReader) {
    self.project = project
    self.limit = limit
    self.reader = reader
  }

  /// Takes a name for an app's day; false where it is one too many.
  ///
  /// - Parameter number: The name's number; nil for a name that the project has not seen.
  mutating func admits(
    _ name: String,
    _ number: UInt32?,
    app: UInt32,
    on day: EventDay,
    from standing: SenderStanding,
    _ words: inout WordTable
  ) throws -> Bool {
    if !standing.isProven || EventNames.reservedEvents.contains(name) { return true }
    if let number, try !words.isNew(number, in: .events) { return true }
    try load(day, &words)
    let taken = standing == .proven ? names[AppDay(day: day, app: app)] ?? [] : all(on: day)
    return number.map(taken.contains) == true || taken.count < limit
  }

  /// The new names of all apps: those whose ids are anybody's to invent have one budget.
  private func all(on day: EventDay) -> Set<UInt32> {
    names.reduce(into: []) { all, entry in
      if entry.key.day == day { all.formUnion(entry.value) }
    }
  }

  /// Notes the name of an event that is kept.
  mutating func note(
    _ name: String,
    _ number: UInt32,
    app: UInt32,
    on day: EventDay,
    _ words: inout WordTable
  ) throws {
    guard !EventNames.reservedEvents.contains(name), try words.isNew(number, in: .events) else {
      return
    }
    names[AppDay(day: day, app: app), default: []].insert(number)
  }

  private mutating func load(_ day: EventDay, _ words: inout WordTable) throws {
    guard days.insert(day).inserted else { return }
    let prefix = Facet.prefix(project, day, .app)
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var texts = WordReader(project: project, reader: reader)
    while try cursor.next() {
      guard let (facet, _) = Facet.parse(cursor.key) else {
        throw KeyValueError(.corruption, "the key of a count is damaged")
      }
      guard facet.a != 0, try words.isNew(facet.a, in: .events) else { continue }
      let name = try texts.text(facet.a, in: .events)
      try note(name, facet.a, app: facet.b, on: day, &words)
    }
  }
}
