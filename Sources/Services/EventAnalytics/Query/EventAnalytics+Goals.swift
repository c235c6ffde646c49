import BaseText

/// The measurement of a user by an event.
package enum GoalMeasure: Sendable {
  /// 1 of one who had the event, else 0.
  case users
  /// The number of times that they had it.
  case events
  /// The sum of its parameter `value`.
  case value
}

/// An installation that is in one of several groups from a time on.
package struct GoalMember: Sendable {
  /// The installation's id, as events carry it.
  package let instanceID: String
  /// The group's index, from 0; below the number of groups that `goals` is asked for.
  package let group: Int
  /// Microseconds since the epoch; nil is from its first event on.
  package let since: Int64?

  /// A member of the group of an index.
  package init(instanceID: String, group: Int, since: Int64?) {
    self.instanceID = instanceID
    self.group = group
    self.since = since
  }
}

/// The figures of a group's members.
package struct GoalTally: Sendable, Equatable {
  /// Those who had any event.
  package var seen = 0
  /// Those who had the goal's event.
  package var reached = 0
  /// The sum of the measurements of its members.
  package var sum: Double = 0
  /// The sum of the squares of the same amounts, for the variance.
  package var sumOfSquares: Double = 0
}

extension EventAnalytics {
  /// Returns the figures of groups' members, each from the day on that it joined its group; for
  /// days that a report can be about.
  ///
  /// A look-up for each member, then sets; if more than users is measured, the timelines of those
  /// with the event are read too. Blocks.
  ///
  /// - Parameter next: Gives some of the members, whose groups are below `groups`; nil behind the last.
  package func goals(
    of project: Text,
    event: String,
    _ measure: GoalMeasure,
    groups: Int,
    next: () throws -> [GoalMember]?
  ) throws -> [GoalTally] {
    let zone = settings(of: project).zone
    let today = today(of: project)
    let tallies = try view(of: project) { view in
      var joining = GoalGroups(groups, zone: zone, today: today)
      while let members = try next() {
        for member in members {
          guard let record = try view.instance(member.instanceID) else { continue }
          joining.add(record, member)
        }
      }
      let number = try view.words.number(of: event, in: .events)
      return try view.goals(joining, event: number, measure)
    }
    if let tallies { return tallies }
    while try next() != nil {}
    return Array(repeating: GoalTally(), count: groups)
  }
}

/// The members of groups by the days on which they join.
private struct GoalGroups {
  let count: Int
  private(set) var days: ClosedRange<EventDay>
  private var joining: [EventDay: [[UInt32]]] = [:]
  private let earliest: EventDay
  private var calendar: DayCalendar?

  init(_ count: Int, zone: String, today: EventDay) {
    self.count = count
    days = today...today
    earliest = today.advanced(by: 1 - DayRange.limit)
    calendar = DayCalendar(zone)
  }

  mutating func add(_ record: InstanceRecord, _ member: GoalMember) {
    let since = member.since.flatMap { calendar?.day(of: $0) } ?? record.firstDay
    let day = min(max(since, earliest), days.upperBound)
    joining[day, default: Array(repeating: [], count: count)][member.group].append(record.number)
    days = min(days.lowerBound, day)...days.upperBound
  }

  /// Returns the members that join each group on a day; nil without any.
  func joining(on day: EventDay) -> [UserSet]? { joining[day].map { $0.map(UserSet.init) } }
}

extension AnalyticsView {
  fileprivate func goals(
    _ joining: GoalGroups,
    event: UInt32?,
    _ measure: GoalMeasure
  ) throws -> [GoalTally] {
    var groups = Array(repeating: UserSet(), count: joining.count)
    var (everybody, seen, reached) = (UserSet(), groups, groups)
    var amounts: [UInt32: Double] = [:]
    for day in joining.days {
      for (group, users) in (joining.joining(on: day) ?? []).enumerated() {
        groups[group].formUnion(users)
        everybody.formUnion(users)
      }
      let present = try users(.all, on: day)
      let reaching =
        try event.map { try users(ofEvent: $0, on: day).intersection(everybody) } ?? UserSet()
      for group in groups.indices {
        seen[group].formUnion(present.intersection(groups[group]))
        reached[group].formUnion(reaching.intersection(groups[group]))
      }
      guard let event, measure != .users, !reaching.isEmpty else { continue }
      try add(measure, of: event, by: reaching, on: day, to: &amounts)
    }
    return groups.indices.map { group in
      var tally = GoalTally()
      tally.seen = seen[group].count
      tally.reached = reached[group].count
      for user in reached[group].numbers {
        let amount = measure == .users ? 1 : amounts[user] ?? 0
        tally.sum += amount
        tally.sumOfSquares += amount * amount
      }
      return tally
    }
  }

  /// Adds what a day's events of a name come to by user.
  private func add(
    _ measure: GoalMeasure,
    of event: UInt32,
    by users: UserSet,
    on day: EventDay,
    to amounts: inout [UInt32: Double]
  ) throws {
    var timelines = try TimelineReader(project: project, day: day, reader: reader)
    for user in users.numbers {
      for found in try timelines.runs(at: user).flatMap(\.events) where found.name == event {
        let amount = measure == .value ? Double(found.valueMicros) / 1_000_000 : 1
        amounts[user, default: 0] += amount
      }
    }
  }
}
