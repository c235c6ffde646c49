import BaseJSON
import BaseStatus
import BaseText
import EventAnalytics

/// A report that may be asked for by its name, over HTTP and by the command line.
struct ReportKind: Sendable {
  let path: String
  /// True if a name follows the path.
  var isNamed = false
  /// True if the request has a body.
  var takesBody = false
  let table: ReportTable
  let answer: @Sendable (Reports, ReportCall) throws -> JSONValue

  static let all = [
    ReportKind(path: "live", table: .live) { try $0.live($1) },
    ReportKind(path: "debug", table: .debug) { try $0.debug($1) },
    ReportKind(path: "events", table: .events) { try $0.events($1) },
    ReportKind(path: "events", isNamed: true, table: .parameters) { try $0.parameters($1) },
    ReportKind(path: "breakdown", table: .rows) { try $0.breakdown($1) },
    ReportKind(path: "users", table: .users) { try $0.users($1) },
    ReportKind(path: "retention", table: .retention) { try $0.retention($1) },
    ReportKind(path: "funnel", takesBody: true, table: .funnel) { try $0.funnel($1) },
    ReportKind(path: "audiences", table: .audiences) { try $0.audiences($1) },
    ReportKind(path: "timeline", table: .timeline) { try $0.timeline($1) },
    ReportKind(path: "dropped", table: .dropped) { try $0.dropped($1) },
    ReportKind(path: "days", table: .days) { try $0.days($1) },
  ]
}

/// Reports for the command line.
package struct ReportText: Sendable {
  private let analytics: EventAnalytics
  private let project: Text

  /// Reports of a project.
  package init(analytics: EventAnalytics, project: Text) {
    self.analytics = analytics
    self.project = project
  }

  /// The names that `make` takes.
  package static let names = ReportKind.all.map { $0.isNamed ? "\($0.path)/NAME" : $0.path }

  /// A report as JSON on several lines, or as CSV; INVALID_ARGUMENT where there is none of the name.
  ///
  /// Blocks.
  ///
  /// - Parameters:
  ///   - name: As in the URL: `users`, `events/select_item`.
  ///   - parameters: As in the URL: `from`, `by`.
  ///   - body: The JSON that a funnel takes; may be empty.
  package func make(
    _ name: String,
    parameters: [(name: String, value: String)],
    body: String,
    asCSV isCSV: Bool
  ) throws -> String {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard
      let kind = ReportKind.all.first(where: {
        $0.path == parts.first && $0.isNamed == (parts.count == 2)
      })
    else {
      throw ServiceError.invalidArgument(
        "There is no report \"\(name.prefix(60))\". Reports: \(Self.names.joined(separator: ", "))."
      )
    }
    let call = ReportCall(
      project: project,
      name: parts.count == 2 ? parts[1] : nil,
      parameters: parameters,
      bytes: Array(body.utf8)
    )
    let report = try kind.answer(Reports(analytics: analytics), call)
    return isCSV ? kind.table.csv(report) : report.printed() + "\n"
  }
}
