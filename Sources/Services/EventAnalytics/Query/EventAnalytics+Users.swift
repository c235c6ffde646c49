import BaseText

/// The users of one day, and of the days up to it.
package struct UserDay: Sendable, Equatable {
  /// A day in the project's time zone.
  package let day: EventDay
  /// All users with an event on the day.
  package let all: Int
  /// Active on the day, within 7 days and within 28 days up to it.
  package let active: Int
  /// Users who were active on the day or one of the 6 days before, each once.
  package let active7: Int
  /// Users who were active on the day or one of the 27 days before, each once.
  package let active28: Int
  /// Users with a `first_open` or `first_visit` on the day.
  package let new: Int
  /// The sum of the day's engagement, in milliseconds.
  package let engagementMillis: Int64
  /// Sessions with an event on the day, and the engaged ones of them; only those of users who consented.
  package let sessions: Int
  /// Those of `sessions` with an event that `SessionCount` takes for engaged.
  package let engagedSessions: Int
}

/// The users who opened the app first on a day, and how many of them were active so many days later.
package struct RetentionCohort: Sendable, Equatable {
  /// The day of the first open, in the project's time zone.
  package let day: EventDay
  /// The users who opened the app first on the day.
  package let users: Int
  /// By days since; the first is the day itself.
  package let returned: [Int]
}

extension EventAnalytics {
  /// The users of each day.
  ///
  /// Blocks; the first time after days were sealed without sessions for as long as counting those takes.
  package func users(of project: Text, _ range: DayRange) throws -> [UserDay] {
    try countMissingSessions(of: project)
    return try view(of: project) { try $0.userDays(range) } ?? []
  }

  /// The users of all of the days together: those with the event, the active ones and the new ones.
  ///
  /// Blocks.
  package func userTotals(
    of project: Text,
    _ range: DayRange
  ) throws -> (all: Int, active: Int, new: Int) {
    try view(of: project) { view in
      let totals = try view.facets.totals(range.days, .users)
      func count(_ group: UserGroup) -> Int {
        totals[Facet(.users, group.rawValue)]?.users.count ?? 0
      }
      return (count(.all), count(.active), count(.new))
    } ?? (0, 0, 0)
  }

  /// For each day whose new users came back how many days later, up to `days` later.
  ///
  /// Blocks.
  package func retention(
    of project: Text,
    _ range: DayRange,
    days: Int
  ) throws -> [RetentionCohort] {
    try view(of: project) { view in
      let end = min(range.last.advanced(by: days), today(of: project))
      var active: [EventDay: UserSet] = [:]
      if range.first <= end {
        for day in range.first...end { active[day] = try view.users(.active, on: day) }
      }
      return try range.days.map { day in
        let new = try view.users(.new, on: day)
        let last = min(day.advanced(by: days), end)
        let returned =
          day <= last
          ? (day...last).map { new.intersectionCount(active[$0] ?? UserSet()) } : []
        return RetentionCohort(day: day, users: new.count, returned: returned)
      }
    } ?? []
  }
}

extension AnalyticsView {
  private func sessions(_ group: SessionGroup, on day: EventDay) throws -> Int {
    Int(try facets.tally(Facet(.sessions, group.rawValue), on: day).count)
  }

  /// Users count once within a window however often they were active: each is counted under the last day on which
  /// it was, so that a window is a sum.
  fileprivate func userDays(_ range: DayRange) throws -> [UserDay] {
    let start = range.first.advanced(by: -27)
    var lastActive: [Int32] = []
    var counts = [Int](repeating: 0, count: range.last.number - start.number + 1)
    var days: [UserDay] = []
    for day in start...range.last {
      let offset = day.number - start.number
      let active = try facets.tally(Facet(.users, UserGroup.active.rawValue), on: day)
      for user in active.users.numbers.map(Int.init) {
        if user >= lastActive.count {
          let missing = max(user + 1, lastActive.count * 2) - lastActive.count
          lastActive += [Int32](repeating: -1, count: missing)
        }
        if lastActive[user] >= 0 { counts[Int(lastActive[user])] -= 1 }
        lastActive[user] = Int32(offset)
        counts[offset] += 1
      }
      guard day >= range.first else { continue }
      days.append(
        UserDay(
          day: day,
          all: try users(.all, on: day).count,
          active: active.users.count,
          active7: counts[max(0, offset - 6)...offset].reduce(0, +),
          active28: counts[max(0, offset - 27)...offset].reduce(0, +),
          new: try users(.new, on: day).count,
          engagementMillis: active.engagementMillis,
          sessions: try sessions(.all, on: day),
          engagedSessions: try sessions(.engaged, on: day)
        )
      )
    }
    return days
  }
}
