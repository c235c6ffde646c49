import BaseStatus
import BaseText
import KeyValueStore

/// A project's events at one moment, for queries.
///
/// It is used inside `EventAnalytics.view` alone, on one thread.
struct AnalyticsView {
  let project: UInt32
  let reader: any KeyValueReader
  let facets: FacetReader
  var words: WordReader

  init(project: UInt32, reader: any KeyValueReader) {
    self.project = project
    self.reader = reader
    facets = FacetReader(project: project, reader: reader)
    words = WordReader(project: project, reader: reader)
  }

  /// The users of a group on a day.
  func users(_ group: UserGroup, on day: EventDay) throws -> UserSet {
    try facets.tally(Facet(.users, group.rawValue), on: day).users
  }

  /// The users who had an event on a day.
  func users(ofEvent name: UInt32, on day: EventDay) throws -> UserSet {
    try facets.tally(Facet(.events, name), on: day).users
  }
}

/// Days that a query is about.
package struct DayRange: Sendable, Equatable {
  /// The earliest day, which is in the range.
  package let first: EventDay
  /// The latest day, which is in the range.
  package let last: EventDay

  /// So many days at most, for a query's work to have a bound.
  package static let limit = 800

  /// From a day to a day, both included; INVALID_ARGUMENT where there are none or too many.
  package init(_ first: EventDay, _ last: EventDay) throws(ServiceError) {
    guard first <= last, last.number - first.number < Self.limit else {
      throw .invalidArgument("A report must cover 1 to \(Self.limit) days.")
    }
    self.first = first
    self.last = last
  }

  var days: ClosedRange<EventDay> { first...last }

  /// The number of days.
  package var count: Int { last.number - first.number + 1 }

  /// As many days before.
  var before: ClosedRange<EventDay> {
    first.advanced(by: -count)...first.advanced(by: -1)
  }
}

extension EventAnalytics {
  /// Runs a query on all that a project has sent so far; nil for a project without events.
  ///
  /// Blocks.
  func view<R>(of project: Text, _ body: (inout AnalyticsView) throws -> R) throws -> R? {
    guard let log = log(of: project) else { return nil }
    do {
      try sealAll(of: log)
      return try engine.read { reader in
        var view = AnalyticsView(project: log.number, reader: reader)
        return try body(&view)
      }
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  /// The day that it is in a project's zone.
  package func today(of project: Text) -> EventDay { day(of: clock.now(), in: project) }

  /// The day of a time, in microseconds, in a project's zone.
  package func day(of time: Int64, in project: Text) -> EventDay {
    var calendar = DayCalendar(settings(of: project).zone)
    return calendar?.day(of: time) ?? EventDay(0)
  }
}
