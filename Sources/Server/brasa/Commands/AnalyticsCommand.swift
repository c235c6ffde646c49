import AnalyticsAPI
import ArgumentParser
import Foundation

/// The command `brasa analytics`.
struct AnalyticsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analytics",
    abstract: "Show, export, import and erase the events of apps.",
    discussion: """
      Examples:
        brasa analytics events --project shop --from 2026-11-01 --to 2026-11-30
        brasa analytics report users --project shop --csv > users.csv
        brasa analytics export events --project shop
        brasa analytics erase --project shop --user 7fPz…
      """,
    subcommands: [
      AnalyticsEventsCommand.self, AnalyticsReportCommand.self, AnalyticsExportCommand.self,
      AnalyticsImportCommand.self, AnalyticsEraseCommand.self,
    ]
  )
}

/// The days that a command is about.
struct AnalyticsDaysOptions: ParsableArguments {
  @Option(name: .long, help: "The first day, such as 2026-11-01.") var from: String?
  @Option(name: .long, help: "The last day.") var to: String?

  /// As reports take them.
  var parameters: [String: String] {
    var parameters: [String: String] = [:]
    parameters["from"] = from
    parameters["to"] = to
    return parameters
  }
}

/// `brasa analytics events`.
struct AnalyticsEventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract:
      "List events by name, compared with the same number of days before (default: the last 28 days).",
    discussion: """
      Example:
        brasa analytics events --project shop --from 2026-11-01 --to 2026-11-30
      """
  )

  @OptionGroup var days: AnalyticsDaysOptions
  @Flag(name: .long, help: "Print CSV.") var csv = false
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    if csv {
      return try printReport("events", days.parameters, isCSV: true, of: try project.id(), in: data)
    }
    let request = AnalyticsRequest.events(from: days.from, to: days.to)
    try printReplies(.analytics(project: try project.id(), request), of: data)
  }
}

/// `brasa analytics report`.
struct AnalyticsReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print a report as JSON or CSV.",
    discussion: """
      Reports: \(ReportText.names.joined(separator: ", ")).

      Examples:
        brasa analytics report users --project shop --csv > users.csv
        brasa analytics report breakdown --by country --event purchase --project shop
        brasa analytics report events/select_item --project shop --csv
        brasa analytics report funnel --step view_item --step purchase --project shop
      """
  )

  @Argument(help: "The report's name.") var name: String
  @OptionGroup var days: AnalyticsDaysOptions
  @Option(name: .long, help: "For breakdown: the dimension, such as country.") var by: String?
  @Option(name: .long, help: "For breakdown: a user property.") var property: String?
  @Option(name: .long, help: "For breakdown: a single event instead of all.") var event: String?
  @Option(name: .long, help: "For timeline: the installation's ID.") var installation: String?
  @Option(name: .long, help: "For timeline: the user ID that the app has set.") var user: String?
  @Option(name: .long, help: "For retention: the number of days to follow.") var later: Int?
  @Option(name: .long, help: "For timeline: the number of events.") var limit: Int?
  @Option(name: .long, help: "For funnel: an event; repeat for each step, in order.")
  var step: [String] = []
  @Option(name: .long, help: "For funnel: the window after the first step.") var windowSeconds: Int?
  @Flag(name: .long, help: "Print CSV.") var csv = false
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let options = [
      ("by", by), ("property", property), ("event", event), ("instance", installation),
      ("user", user), ("days", later.map { "\($0)" }), ("limit", limit.map { "\($0)" }),
    ]
    let given = options.compactMap { name, value in value.map { (name, $0) } }
    let parameters = days.parameters.merging(given) { $1 }
    try printReport(name, parameters, body: try body(), isCSV: csv, of: project.id(), in: data)
  }

  private func body() throws -> String {
    guard !step.isEmpty else { return "" }
    let members: [String: Any] = ["steps": step, "windowSeconds": windowSeconds ?? 7 * 86_400]
    return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
  }
}

/// Prints a report as it comes.
private func printReport(
  _ name: String,
  _ parameters: [String: String],
  body: String = "",
  isCSV: Bool,
  of project: String,
  in data: DataOptions
) throws {
  let request = AnalyticsRequest.report(
    name: name,
    parameters: parameters,
    body: body,
    isCSV: isCSV
  )
  try data.perform(.analytics(project: project, request)) { reply in
    if case .item(_, let bytes) = reply {
      Terminal.write(bytes)
    }
  }
}

/// `brasa analytics export`.
struct AnalyticsExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract:
      "Write events as one gzip file of JSON lines a day, in the format of BigQuery's export.",
    discussion: """
      DuckDB, ClickHouse and BigQuery read the files directly. Existing files are replaced: \
      after an interruption, continue with --from and the last day in the directory.

      Example:
        brasa analytics export events --project shop --from 2026-11-01
      """
  )

  @Argument(help: "The directory to write to; it may exist.", completion: .directory)
  var directory: String
  @OptionGroup var days: AnalyticsDaysOptions
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let files = EventFiles(directory: URL(fileURLWithPath: directory, isDirectory: true))
    let request = AnalyticsRequest.export(from: days.from, to: days.to)
    let progress = ProgressLine()
    try data.perform(.analytics(project: try project.id(), request)) { reply in
      switch reply {
      case .item(let file, let bytes): try files.append(bytes, to: file)
      case .finished(let summary):
        try files.close()
        progress.print(summary)
      default: break
      }
    }
  }
}

/// `brasa analytics import`.
struct AnalyticsImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Read events in the format of BigQuery's export: JSON lines, with or without gzip.",
    discussion: """
      Events are added to the existing ones: a file that is imported twice counts twice.

      Example:
        brasa analytics import events/events_20261123.json.gz --project shop
      """
  )

  @Argument(help: "The files to read, in the order of their days.", completion: .file())
  var files: [String]
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let lines = try EventLines(files: files)
    let progress = ProgressLine()
    var refusals = 0
    try data.perform(
      .analytics(project: try project.id(), .importEvents),
      input: { try lines.next() },
      output: { reply in
        switch reply {
        case .difference(let text):
          refusals += 1
          progress.print(text)
        case .finished(let summary): progress.print(summary)
        default: break
        }
      }
    )
    if refusals > 0 { throw ExitCode(1) }
  }
}

/// `brasa analytics erase`.
struct AnalyticsEraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase every event of a user or an installation.",
    discussion: """
      Example:
        brasa analytics erase --project shop --installation cFid…
      """
  )

  @Option(name: .long, help: "The installation's id.") var installation: String?
  @Option(name: .long, help: "The user id that the app has set.") var user: String?
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    guard (installation == nil) != (user == nil) else {
      throw ValidationError("Name either --installation or --user.")
    }
    let request = AnalyticsRequest.erase(installation: installation, user: user)
    try printReplies(.analytics(project: try project.id(), request), of: data)
  }
}
