/// The numbers of what a context says, by dimension.
struct ContextWords: Sendable {
  static let dimensions: [(Facet.Dimension, KeyPath<EventContext, String> & Sendable)] = [
    (.platform, \.platform), (.appVersion, \.appVersion), (.country, \.country),
    (.language, \.language), (.model, \.model), (.osVersion, \.osVersion), (.app, \.appID),
  ]

  /// One for each of `dimensions`.
  let numbers: [UInt32]

  /// The dimensions whose scopes had no number left for their values, a bit each.
  var others: UInt8 {
    numbers.indices.reduce(0) { $0 | (numbers[$1] == WordTable.other ? 1 << UInt8($1) : 0) }
  }

  /// The app's number.
  var app: UInt32 {
    zip(Self.dimensions, numbers).first { $0.0.0 == .app }?.1 ?? WordTable.other
  }
}

/// A context as timelines have it: with which of its dimensions were counted as others when it was sealed.
///
/// Their values may have numbers by now, and counting again has to give the same. Encoded it is the context, and a byte
/// where there are such dimensions.
struct SealedContext: Sendable {
  let context: EventContext
  let others: UInt8

  init(_ context: EventContext, others: UInt8) {
    self.context = context
    self.others = others
  }

  init(decoding bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    context = try EventContext(from: &reader)
    others = reader.isAtEnd ? 0 : try reader.byte()
  }

  var encoded: [UInt8] { context.encoded + (others == 0 ? [] : [others]) }

  /// Its dimensions' numbers, as they were counted.
  func words(_ number: (String, WordScope) throws -> UInt32?) throws -> ContextWords {
    let numbers = try ContextWords.dimensions.enumerated().map { index, dimension in
      guard others & 1 << UInt8(index) == 0 else { return WordTable.other }
      let scope = WordScope.values(of: dimension.0)
      return try number(context[keyPath: dimension.1], scope) ?? WordTable.other
    }
    return ContextWords(numbers: numbers)
  }
}

/// Counts the events of a day.
///
/// It sees numbers alone, so that counting a timeline again gives what counting its batches gave.
struct DayCount {
  /// A tally whose users are not a set yet.
  private struct Open {
    var tally = Tally()
    var users: [UInt32] = []
  }

  private var indexes: [Facet: Int] = [:]
  private var open: [Open] = []
  /// The sessions of users; those without a number cannot be distinguished.
  var sessions = SessionCount()

  /// An empty day.
  init() {}

  /// The facets with what was counted of them.
  var tallies: [(Facet, Tally)] {
    indexes.map { facet, index in
      var tally = open[index].tally
      tally.users = UserSet(open[index].users)
      return (facet, tally)
    } + sessions.tallies
  }

  var isEmpty: Bool { indexes.isEmpty }

  /// Counts an event that was dropped.
  mutating func noteDrops(_ code: DropCode, _ count: Int) {
    add(Facet(.dropped, UInt32(code.rawValue)), count: Int64(count), user: 0)
  }

  /// Counts the events of a run.
  ///
  /// - Parameter user: The instance's number; 0 means no user and is in no set.
  mutating func add(_ run: TimelineRun, _ context: ContextWords, user: UInt32) {
    for property in run.properties {
      add(
        Facet(.property, property.name, property.word),
        count: Int64(run.events.count),
        user: user
      )
    }
    for event in run.events {
      add(event, context, user: user)
      if user != 0 { sessions.note(event, of: user) }
    }
  }

  private mutating func add(_ event: TimelineEvent, _ context: ContextWords, user: UInt32) {
    let engagement = min(max(event.integer(.engagement_time_msec) ?? 0, 0), 86_400_000)
    let value = event.valueMicros
    func amounts(_ tally: inout Tally) {
      tally.count &+= 1
      tally.engagementMillis &+= engagement
      tally.valueMicros &+= value
    }
    add(Facet(.events, event.name), user: user, amounts)
    add(Facet(.users, UserGroup.all.rawValue), user: user, amounts)
    if Self.isFirst(event) { add(Facet(.users, UserGroup.new.rawValue), user: user, amounts) }
    if Self.isActive(event, engagement) {
      add(Facet(.users, UserGroup.active.rawValue), user: user, amounts)
    }
    for (index, (dimension, _)) in ContextWords.dimensions.enumerated() {
      let number = context.numbers[index]
      add(Facet(dimension, event.name, number), user: user, amounts)
      add(Facet(dimension, 0, number), user: user, amounts)
    }
    for parameter in event.parameters where KnownWord.isCounted(parameter.name) {
      if let word = parameter.value.word {
        add(Facet(.parameter, event.name, parameter.name, word), user: user, amounts)
      }
      if let number = parameter.value.number {
        add(Facet(.parameterSum, event.name, parameter.name), user: user) { tally in
          tally.count &+= 1
          tally.valueMicros &+= Tally.micros(number)
        }
      }
    }
  }

  private mutating func add(_ facet: Facet, count: Int64, user: UInt32) {
    add(facet, user: user) { $0.count &+= count }
  }

  private mutating func add(_ facet: Facet, user: UInt32, _ change: (inout Tally) -> Void) {
    let index: Int
    if let known = indexes[facet] {
      index = known
    } else {
      index = open.count
      indexes[facet] = index
      open.append(Open())
    }
    change(&open[index].tally)
    if user != 0, open[index].users.last != user { open[index].users.append(user) }
  }

  private static func isFirst(_ event: TimelineEvent) -> Bool {
    event.name == KnownWord.Event.first_open.rawValue
      || event.name == KnownWord.Event.first_visit.rawValue
  }

  private static func isActive(_ event: TimelineEvent, _ engagement: Int64) -> Bool {
    isFirst(event) || engagement > 0 || event.integer(.session_engaged) == 1
  }
}
