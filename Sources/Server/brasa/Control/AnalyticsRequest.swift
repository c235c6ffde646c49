/// A request of `brasa analytics` about a project's events.
enum AnalyticsRequest: Codable, Sendable, Equatable {
  /// Events by name from a day to a day, as `2026-11-23`; nil is the last 28.
  case events(from: String?, to: String?)
  /// A report by its name and its parameters, as in its URL; `body` is a funnel's JSON.
  case report(name: String, parameters: [String: String], body: String, isCSV: Bool)
  /// Each event as an item of its day's file.
  case export(from: String?, to: String?)
  /// Takes the events that follow.
  case importEvents
  /// Erases the stored data of an installation or a user ID.
  case erase(installation: String?, user: String?)

  /// As the log names it.
  var command: String {
    switch self {
    case .events: "events"
    case .report: "report"
    case .export: "export"
    case .importEvents: "import"
    case .erase: "erase"
    }
  }
}
