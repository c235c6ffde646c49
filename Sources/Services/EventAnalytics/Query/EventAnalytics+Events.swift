import BaseText

/// The figures of some events: their number, the number of their users, and their value.
package struct ReportFigures: Sendable, Equatable {
  /// The number of events, those of users without consent included.
  package let events: Int
  /// Different users among those who consented.
  package let users: Int
  /// Millionths of the sum of the parameter `value`, or of a parameter's numbers.
  package let valueMicros: Int64
  /// The sum of the events' engagement, in milliseconds.
  package let engagementMillis: Int64

  init(_ tally: Tally) {
    events = Int(tally.count)
    users = tally.users.count
    valueMicros = tally.valueMicros
    engagementMillis = tally.engagementMillis
  }
}

/// A row of a report by name or value, with the figures of as many days before.
package struct ReportRow: Sendable, Equatable {
  /// The name or value that the row is about; `(other)` for those beyond the limits of words.
  package let name: String
  /// The figures of the days that were asked for.
  package let figures: ReportFigures
  /// The figures of as many days directly before these.
  package let before: ReportFigures
}

/// A parameter of an event, with its values.
package struct ParameterReport: Sendable, Equatable {
  /// The parameter's name.
  package let name: String
  /// The most frequent first.
  package let values: [ReportRow]
  /// The sum of its numbers; nil for one without numbers.
  package let sum: ReportFigures?
}

/// The dimensions by which a report may be broken down.
package enum BreakdownDimension: String, Sendable, CaseIterable {
  case platform
  case appVersion
  case country
  case language
  case model
  case osVersion
  case app

  var facet: Facet.Dimension {
    switch self {
    case .platform: .platform
    case .appVersion: .appVersion
    case .country: .country
    case .language: .language
    case .model: .model
    case .osVersion: .osVersion
    case .app: .app
    }
  }
}

extension EventAnalytics {
  /// The events by name, the most frequent first.
  ///
  /// Blocks.
  package func events(of project: Text, _ range: DayRange) throws -> [ReportRow] {
    try view(of: project) { view in
      try view.rows(range, .events, []) { view, facet in
        try view.words.text(facet.a, in: .events)
      }
    } ?? []
  }

  /// Returns the dropped events, by code.
  ///
  /// Blocks.
  package func dropped(of project: Text, _ range: DayRange) throws -> [ReportRow] {
    try view(of: project) { view in
      try view.rows(range, .dropped, []) { _, facet in
        (DropCode(rawValue: UInt8(truncatingIfNeeded: facet.a)) ?? .internalError).name
      }
    } ?? []
  }

  /// Events and users by device, version, language or country; of one event or all.
  ///
  /// Blocks.
  package func breakdown(
    of project: Text,
    _ range: DayRange,
    by dimension: BreakdownDimension,
    event: String?
  ) throws -> [ReportRow] {
    try view(of: project) { view in
      guard let number = try view.number(ofEvent: event) else { return [] }
      return try view.rows(range, dimension.facet, [number]) { view, facet in
        try view.words.text(facet.b, in: .values(of: dimension.facet))
      }
    } ?? []
  }

  /// Events and users by the value of a user property.
  ///
  /// Blocks.
  package func breakdown(
    of project: Text,
    _ range: DayRange,
    byProperty property: String
  ) throws -> [ReportRow] {
    try view(of: project) { view in
      guard let number = try view.words.number(of: property, in: .properties) else { return [] }
      return try view.rows(range, .property, [number]) { view, facet in
        try view.words.text(facet.b, in: WordScope(.propertyValue, of: number))
      }
    } ?? []
  }

  /// The parameters of an event, by name.
  ///
  /// Blocks.
  package func parameters(
    of project: Text,
    _ range: DayRange,
    event: String
  ) throws -> [ParameterReport] {
    try view(of: project) { view in
      guard let number = try view.words.number(of: event, in: .events) else { return [] }
      let sums = try view.facets.totals(range.days, .parameterSum, [number])
      let now = try view.facets.totals(range.days, .parameter, [number]).byParameter
      let before = try view.facets.totals(range.before, .parameter, [number]).byParameter
      return try Set(sums.keys.map(\.b)).union(now.keys).map { parameter in
        let values = try view.rows(now[parameter] ?? [:], before[parameter] ?? [:]) { view, facet in
          try view.words.text(facet.c, in: WordScope(.parameterValue, of: parameter))
        }
        return ParameterReport(
          name: try view.words.text(parameter, in: .parameters),
          values: values,
          sum: sums[Facet(.parameterSum, number, parameter)].map { ReportFigures($0) }
        )
      }.sorted { $0.name < $1.name }
    } ?? []
  }
}

extension AnalyticsView {
  /// The number of an event's name, 0 for all events; nil for an unused name.
  fileprivate func number(ofEvent name: String?) throws -> UInt32? {
    guard let name else { return 0 }
    return try words.number(of: name, in: .events)
  }

  /// Facets of a dimension as rows, the most frequent first.
  fileprivate mutating func rows(
    _ range: DayRange,
    _ dimension: Facet.Dimension,
    _ numbers: [UInt32],
    _ name: (inout AnalyticsView, Facet) throws -> String
  ) throws -> [ReportRow] {
    try rows(
      try facets.totals(range.days, dimension, numbers),
      try facets.totals(range.before, dimension, numbers),
      name
    )
  }

  /// The same of what was read.
  fileprivate mutating func rows(
    _ now: [Facet: Tally],
    _ before: [Facet: Tally],
    _ name: (inout AnalyticsView, Facet) throws -> String
  ) throws -> [ReportRow] {
    let rows = try Set(now.keys).union(before.keys).map { facet in
      ReportRow(
        name: try name(&self, facet),
        figures: ReportFigures(now[facet] ?? Tally()),
        before: ReportFigures(before[facet] ?? Tally())
      )
    }
    return rows.sorted {
      ($0.figures.events, $1.name) > ($1.figures.events, $0.name)
    }
  }
}

extension [Facet: Tally] {
  /// The facets of parameters' values, apart for each parameter.
  fileprivate var byParameter: [UInt32: [Facet: Tally]] {
    reduce(into: [:]) { $0[$1.key.b, default: [:]][$1.key] = $1.value }
  }
}
