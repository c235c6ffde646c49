import AnalyticsAPI
import BaseStatus
import BaseText
import EventAnalytics

extension LocalAdministration {
  /// Does what `brasa analytics` asks.
  func analytics(
    _ request: AnalyticsRequest,
    of project: Text,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    switch request {
    case .events(let from, let to):
      try listEvents(of: project, try range(from, to, of: project), output)
    case .report(let name, let parameters, let body, let isCSV):
      let text = try ReportText(analytics: events, project: project).make(
        name,
        parameters: parameters.map { (name: $0.key, value: $0.value) },
        body: body,
        asCSV: isCSV
      )
      try output(.item(file: name, bytes: Array(text.utf8)))
      try output(.finished(summary: ""))
    case .export(let from, let to):
      let range = from == nil && to == nil ? nil : try range(from, to, of: project)
      let count = try EventTransfer(analytics: events, project: project).export(range) {
        try output(.item(file: $0.file, bytes: $0.bytes))
      }
      try output(.finished(summary: "exported \(count.counting("event"))"))
    case .importEvents:
      // Called at the end: the other side writes all before it reads.
      var refusals: [String] = []
      let count = try EventTransfer(analytics: events, project: project)
        .importRows(next: input) { refusals.append($0) }
      for refusal in refusals { try output(.difference(refusal)) }
      try output(.finished(summary: "imported \(count.counting("event"))"))
    case .erase(let installation?, nil): try erase(.instance(installation), of: project, output)
    case .erase(nil, let user?): try erase(.user(user), of: project, output)
    case .erase: throw ServiceError.invalidArgument("Name an installation or a user.")
    }
  }

  private func listEvents(
    of project: Text,
    _ range: DayRange,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let rows = try events.events(of: project, range)
    for row in rows {
      let (now, before) = (row.figures, row.before)
      try output(
        .line(
          "\(row.name)  \(now.events.counting("event"))  \(now.users.counting("user"))"
            + "  before: \(before.events), \(before.users)"
        )
      )
    }
    try output(.finished(summary: "\(range.first.text) to \(range.last.text)"))
  }

  private func erase(
    _ subject: EventSubject,
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let count = try events.erase(subject, of: project)
    try output(.finished(summary: "erased \(count.counting("event"))"))
  }

  /// The days of a request, the last 28 where none are named.
  private func range(
    _ from: String?,
    _ to: String?,
    of project: Text
  ) throws -> DayRange {
    let last = try to.map(Self.day) ?? events.today(of: project)
    return try DayRange(try from.map(Self.day) ?? last.advanced(by: -27), last)
  }

  private static func day(_ text: String) throws -> EventDay {
    guard let day = EventDay(text) else {
      throw ServiceError.invalidArgument("\(text) is not a day such as 2026-11-23.")
    }
    return day
  }
}
