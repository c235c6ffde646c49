import KeyValueStore

/// Holds each app to so many names of events that are new on a day.
///
/// The counts of earlier segments say which names there are. Names that the project knew before the day are free, so that
/// a stranger's junk crowds out none of them, and so are those that SDKs log by themselves. Names of senders that proved
/// nothing are bounded by the table of words alone, which counts them apart.
///
/// **Shares.** Anybody can make an installation of an app, and with it bring names. So once half of
/// an app's day is used, a network brings at most a sixteenth. The last quarter is kept for
/// installations that the project knew before the day of their batch. A name that one network has
/// brought is free for all others.
struct NameBudget {
  private struct AppDay: Hashable {
    let day: EventDay
    let app: UInt32
  }

  private let project: UInt32
  private let reader: any KeyValueReader
  private let limit: Int
  private let networks: NetworkNames
  private var days: Set<EventDay> = []
  private var names: [AppDay: Set<UInt32>] = [:]
  /// The names that networks brought with this segment.
  private(set) var brought: [NetworkNames.Part: Int] = [:]
  /// The names that were refused for their sender's share alone.
  private(set) var refused = 0

  init(project: UInt32, limit: Int, networks: NetworkNames, reader: any KeyValueReader) {
    self.project = project
    self.limit = limit
    self.networks = networks
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
    from sender: NameSender,
    _ words: inout WordTable
  ) throws -> Bool {
    if !sender.standing.isProven || EventNames.reservedEvents.contains(name) { return true }
    if let number, try !words.isNew(number, in: .events) { return true }
    try load(day, &words)
    let taken = sender.standing == .proven ? names[AppDay(day: day, app: app)] ?? [] : all(on: day)
    if number.map(taken.contains) == true { return true }
    guard taken.count < limit else { return false }
    guard hasShare(sender, of: taken.count, app: app, on: day) else {
      refused += 1
      return false
    }
    return true
  }

  /// Returns true if a sender may bring one more name to an app that has so many new ones on a day.
  private func hasShare(
    _ sender: NameSender,
    of taken: Int,
    app: UInt32,
    on day: EventDay
  ) -> Bool {
    guard let part = part(of: sender, app: app, on: day), taken >= limit / 2 else { return true }
    guard !sender.isNew || taken < limit - limit / 4 else { return false }
    return networks.count(part) + (brought[part] ?? 0) < max(limit / 16, 1)
  }

  private func part(
    of sender: NameSender,
    app: UInt32,
    on day: EventDay
  ) -> NetworkNames.Part? {
    sender.network.map { network in
      NetworkNames.Part(
        project: project,
        day: day,
        app: sender.standing == .proven ? app : nil,
        network: network
      )
    }
  }

  /// The new names of all apps: those whose ids are anybody's to invent have one budget.
  private func all(on day: EventDay) -> Set<UInt32> {
    names.reduce(into: []) { all, entry in
      if entry.key.day == day { all.formUnion(entry.value) }
    }
  }

  /// Notes the name of an event that is kept.
  ///
  /// - Parameter sender: Nil if earlier segments have the name, from any sender.
  mutating func note(
    _ name: String,
    _ number: UInt32,
    app: UInt32,
    on day: EventDay,
    from sender: NameSender?,
    _ words: inout WordTable
  ) throws {
    guard !EventNames.reservedEvents.contains(name), try words.isNew(number, in: .events) else {
      return
    }
    let isFirst = names[AppDay(day: day, app: app), default: []].insert(number).inserted
    guard isFirst, let sender, sender.standing.isProven,
      let part = part(of: sender, app: app, on: day)
    else { return }
    brought[part, default: 0] += 1
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
      try note(name, facet.a, app: facet.b, on: day, from: nil, &words)
    }
  }
}
