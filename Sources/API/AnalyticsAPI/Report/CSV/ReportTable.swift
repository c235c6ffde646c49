import BaseJSON

/// The form in which a report's JSON becomes a table: the list that has its rows, and the contents
/// of their columns.
///
/// A row of the list may hold a list of its own; the table has a row for each element of it.
struct ReportTable: Sendable {
  /// A list within a row.
  struct Inner: Sendable {
    enum Form: Sendable {
      /// Objects with the columns.
      case objects
      /// Numbers, each with its index before it.
      case numbers
      /// An object whose members are the app's own names, each with its number.
      case counts
    }

    let member: String
    let form: Form
    /// Paths within an object; the names of the two columns otherwise.
    let columns: [String]
  }

  /// The member with the rows.
  let list: String
  /// Paths within a row, as `now.events`.
  let columns: [String]
  var inner: Inner?

  /// The report as CSV, with a row of the columns' names first.
  func csv(_ report: JSONValue) -> String {
    var csv = CSVText()
    csv.add(header.map(JSONValue.string))
    for row in report[list]?.elements ?? [] {
      let cells = columns.map { row.value(at: $0) }
      for more in inner?.rows(of: row) ?? [[]] { csv.add(cells + more) }
    }
    return csv.text
  }

  /// The file name of a download: the list's name and the days that the report is about.
  func fileName(_ report: JSONValue) -> String {
    let days = ["from", "to"].compactMap { report[$0]?.string }
    return ([list] + days).joined(separator: "_") + ".csv"
  }

  private var header: [String] {
    guard let inner else { return columns }
    return columns
      + inner.columns.map { inner.form == .objects ? "\(inner.member).\($0)" : $0 }
  }
}

extension ReportTable.Inner {
  /// The cells of each element; one row of empty cells where there is none.
  fileprivate func rows(of row: JSONValue) -> [[JSONValue?]] {
    let list = row[member]
    let rows: [[JSONValue?]] =
      switch form {
      case .objects: (list?.elements ?? []).map { element in columns.map(element.value(at:)) }
      case .numbers: (list?.elements ?? []).enumerated().map { [.integer($0.offset), $0.element] }
      case .counts: (list?.members ?? []).map { [.string($0.key), $0.value] }
      }
    return rows.isEmpty ? [columns.map { _ in nil }] : rows
  }
}

extension JSONValue {
  /// Returns the value at a path of members, separated by dots; a value that is no object is a
  /// row's only cell.
  fileprivate func value(at path: String) -> JSONValue? {
    guard case .object = self else { return self }
    return path.split(separator: ".").reduce(self as JSONValue?) { $0?[String($1)] }
  }
}

extension ReportTable {
  private static let figures = ["now", "before"].flatMap { period in
    ["events", "users", "value", "engagementMillis"].map { "\(period).\($0)" }
  }

  static let events = ReportTable(list: "events", columns: ["name"] + figures + ["isKeyEvent"])
  static let dropped = ReportTable(
    list: "dropped",
    columns: ["name", "now.events", "before.events"]
  )
  static let rows = ReportTable(list: "rows", columns: ["name"] + figures)
  static let parameters = ReportTable(
    list: "parameters",
    columns: ["name", "numbers.events", "numbers.users", "numbers.value"],
    inner: Inner(member: "values", form: .objects, columns: ["name"] + figures)
  )
  static let users = ReportTable(
    list: "days",
    columns: [
      "day", "users", "active", "active7", "active28", "new", "engagementMillis", "sessions",
      "engagedSessions",
    ]
  )
  static let retention = ReportTable(
    list: "cohorts",
    columns: ["day", "users"],
    inner: Inner(member: "returned", form: .numbers, columns: ["daysLater", "returned"])
  )
  static let funnel = ReportTable(list: "steps", columns: ["event", "users"])
  static let audiences = ReportTable(
    list: "audiences",
    columns: ["name", "days", "rule", "users"]
  )
  static let timeline = ReportTable(
    list: "events",
    columns: [
      "time", "event", "params", "appInstanceId", "userId", "device.appId", "device.platform",
      "device.model", "device.osVersion", "device.appVersion", "device.language",
      "device.country", "userProperties",
    ]
  )
  static let live = ReportTable(
    list: "minutes",
    columns: ["time", "users"],
    inner: Inner(member: "events", form: .counts, columns: ["event", "events"])
  )
  static let debug = ReportTable(
    list: "devices",
    columns: ["appInstanceId", "device.appId", "device.platform", "device.model"],
    inner: Inner(
      member: "entries",
      form: .objects,
      columns: [
        "time", "received", "event", "params", "dropped.code", "dropped.field",
        "dropped.description",
      ]
    )
  )
  static let days = ReportTable(list: "days", columns: ["day"])
}
