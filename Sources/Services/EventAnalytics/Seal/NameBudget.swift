import KeyValueStore

/// Holds each app to so many different names of events a day.
///
/// What earlier segments have counted says which names there are. Names that SDKs log by themselves are free.
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
    on day: EventDay
  ) throws -> Bool {
    if EventNames.reservedEvents.contains(name) { return true }
    try load(day)
    let taken = names[AppDay(day: day, app: app)] ?? []
    return number.map(taken.contains) == true || taken.count < limit
  }

  /// Notes the name of an event that is kept.
  mutating func note(_ name: String, _ number: UInt32, app: UInt32, on day: EventDay) {
    guard !EventNames.reservedEvents.contains(name) else { return }
    names[AppDay(day: day, app: app), default: []].insert(number)
  }

  private mutating func load(_ day: EventDay) throws {
    guard days.insert(day).inserted else { return }
    let prefix = Facet.prefix(project, day, .app)
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var words = WordReader(project: project, reader: reader)
    while try cursor.next() {
      guard let (facet, _) = Facet.parse(cursor.key) else {
        throw KeyValueError(.corruption, "the key of a count is damaged")
      }
      guard facet.a != 0 else { continue }
      let name = try words.text(facet.a, in: .events)
      note(name, facet.a, app: facet.b, on: day)
    }
  }
}
