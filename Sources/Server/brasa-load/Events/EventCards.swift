import BaseJSON
import BaseText
import EventAnalytics

/// Every card of a dashboard as numbers by their names, for others to compute the same.
struct EventCards {
  typealias Card = [String: [Int]]

  let analytics: EventAnalytics
  let project: Text
  let range: DayRange

  /// The cards by their names.
  func all(timelinesOf users: [Int]) throws -> [String: Card] {
    var cards: [String: Card] = [
      "events": Self.numbers(try analytics.events(of: project, range)),
      "events by day": try eventsByDay(),
      "parameters of view_item": try parameters(),
      "users by day": try usersByDay(),
      "totals": try totals(),
      "retention": try retention(),
      "funnel": ["steps": try analytics.funnel(of: project, range, funnel())],
      "audience": try audience(),
      "dropped": try dropped(),
      "timelines": try timelines(of: users),
      "level": Self.numbers(
        try analytics.breakdown(of: project, range, byProperty: "level")
      ),
    ]
    for dimension in BreakdownDimension.allCases {
      for event in [nil, "purchase"] {
        let rows = try analytics.breakdown(of: project, range, by: dimension, event: event)
        cards["\(dimension.rawValue) of \(event ?? "all")"] = Self.numbers(rows)
      }
    }
    return cards
  }

  private static func numbers(_ rows: [ReportRow]) -> Card {
    let present = rows.filter { $0.figures.events > 0 }
    return Dictionary(uniqueKeysWithValues: present.map { ($0.name, numbers($0.figures)) })
  }

  private static func numbers(_ figures: ReportFigures) -> [Int] {
    [figures.events, figures.users, Int(figures.valueMicros), Int(figures.engagementMillis)]
  }

  private func eventsByDay() throws -> Card {
    var card: Card = [:]
    for day in range.first...range.last {
      for row in try analytics.events(of: project, try DayRange(day, day))
      where row.figures.events > 0 {
        card["\(day.text) \(row.name)"] = Self.numbers(row.figures)
      }
    }
    return card
  }

  private func parameters() throws -> Card {
    var card: Card = [:]
    for report in try analytics.parameters(of: project, range, event: "view_item") {
      for row in report.values where row.figures.events > 0 {
        card["\(report.name)=\(row.name)"] = Self.numbers(row.figures)
      }
      if let sum = report.sum {
        card["\(report.name)"] = [sum.events, sum.users, Int(sum.valueMicros)]
      }
    }
    return card
  }

  private func usersByDay() throws -> Card {
    let days = try analytics.users(of: project, range)
    return Dictionary(
      uniqueKeysWithValues: days.map { day in
        (
          day.day.text,
          [
            day.all, day.active, day.active7, day.active28, day.new, Int(day.engagementMillis),
            day.sessions, day.engagedSessions,
          ]
        )
      }
    )
  }

  private func totals() throws -> Card {
    let totals = try analytics.userTotals(of: project, range)
    return ["users": [totals.all, totals.active, totals.new]]
  }

  private func retention() throws -> Card {
    let cohorts = try analytics.retention(of: project, range, days: 14)
    return Dictionary(uniqueKeysWithValues: cohorts.map { ($0.day.text, [$0.users] + $0.returned) })
  }

  private func funnel() throws -> Funnel {
    try Funnel(steps: ["view_item", "add_to_cart", "purchase"], windowSeconds: 2 * 86_400)
  }

  /// Buyers of the last seven days outside Brazil.
  private func audience() throws -> Card {
    let rule = #"{"days":7,"rule":{"all":[{"event":"purchase"},{"not":{"country":"BR"}}]}}"#
    let audience = try Audience(named: "buyers", try JSONValue(parsing: rule))
    return ["users": [try analytics.members(of: audience, project: project, limit: 0).count]]
  }

  private func dropped() throws -> Card {
    let rows = try analytics.dropped(of: project, range).filter { $0.figures.events > 0 }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, [$0.figures.events]) })
  }

  /// The times of the newest events.
  private func timelines(of users: [Int]) throws -> Card {
    var card: Card = [:]
    for user in users {
      let events = try analytics.timeline(
        of: .instance("instance-\(user)"),
        project: project,
        range,
        limit: 50
      )
      card["\(user)"] = events.map { Int($0.event.time) }
    }
    return card
  }
}
