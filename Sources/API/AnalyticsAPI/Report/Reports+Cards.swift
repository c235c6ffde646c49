import BaseJSON
import BaseStatus
import EventAnalytics

extension Reports {
  func events(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    let keyEvents = Set(analytics.settings(of: call.project).keyEvents)
    let rows = try analytics.events(of: call.project, range).map { row in
      let mark = JSONValue.Member("isKeyEvent", .boolean(keyEvents.contains(row.name)))
      return JSONValue.object((row.json.members ?? []) + [mark])
    }
    return range.json("events", rows)
  }

  func dropped(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    return range.json("dropped", try analytics.dropped(of: call.project, range).map(\.json))
  }

  func parameters(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    let reports = try analytics.parameters(of: call.project, range, event: call.name ?? "")
    let parameters = reports.map { report in
      JSONValue.object(
        [
          .init("name", .string(report.name)),
          .init("values", .array(report.values.prefix(Self.rowLimit).map(\.json))),
        ] + (report.sum.map { [.init("numbers", $0.json)] } ?? [])
      )
    }
    return range.json("parameters", parameters)
  }

  func breakdown(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    let rows: [ReportRow]
    if let property = call.parameter("property") {
      rows = try analytics.breakdown(of: call.project, range, byProperty: property)
    } else {
      let name = call.parameter("by") ?? ""
      guard let dimension = BreakdownDimension(rawValue: name) else {
        let names = BreakdownDimension.allCases.map(\.rawValue).joined(separator: ", ")
        throw ServiceError.invalidArgument("by must be one of \(names).")
      }
      rows = try analytics.breakdown(
        of: call.project,
        range,
        by: dimension,
        event: call.parameter("event")
      )
    }
    return range.json("rows", rows.prefix(Self.rowLimit).map(\.json))
  }

  func users(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    let totals = try analytics.userTotals(of: call.project, range)
    let days = try analytics.users(of: call.project, range).map { day in
      JSONValue.object([
        .init("day", .string(day.day.text)), .init("users", .integer(day.all)),
        .init("active", .integer(day.active)), .init("active7", .integer(day.active7)),
        .init("active28", .integer(day.active28)), .init("new", .integer(day.new)),
        .init("engagementMillis", .integer(day.engagementMillis)),
        .init("sessions", .integer(day.sessions)),
        .init("engagedSessions", .integer(day.engagedSessions)),
      ])
    }
    return range.json(
      "days",
      days,
      [
        .init("users", .integer(totals.all)), .init("active", .integer(totals.active)),
        .init("new", .integer(totals.new)),
      ]
    )
  }

  func retention(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    let days = try call.number("days", 1...90) ?? 28
    let cohorts = try analytics.retention(of: call.project, range, days: days).map { cohort in
      JSONValue.object([
        .init("day", .string(cohort.day.text)), .init("users", .integer(cohort.users)),
        .init("returned", .array(cohort.returned.map { .integer($0) })),
      ])
    }
    return range.json("cohorts", cohorts)
  }

  func funnel(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    let body = try call.body()
    let steps = try Self.steps(body["steps"] ?? .array([]))
    guard let seconds = body["windowSeconds"].map({ $0.integer }) ?? 7 * 86_400 else {
      throw ServiceError.invalidArgument("Invalid value at 'windowSeconds'.")
    }
    let funnel = try Funnel(steps: steps, windowSeconds: seconds)
    let counts = try analytics.funnel(of: call.project, range, funnel)
    let rows = zip(steps, counts).map { step, users in
      JSONValue.object([.init("event", .string(step)), .init("users", .integer(users))])
    }
    // From the first day that is counted.
    return (try analytics.keptDays(of: call.project, range) ?? range).json("steps", rows)
  }

  private static func steps(_ json: JSONValue) throws(ServiceError) -> [String] {
    let names = json.elements?.compactMap(\.string)
    guard let names, names.count == json.elements?.count else {
      throw .invalidArgument("Invalid value at 'steps'.")
    }
    return names
  }

  func timeline(_ call: ReportCall) throws -> JSONValue {
    let range = try call.range(analytics)
    let subject: EventSubject
    switch (call.parameter("instance"), call.parameter("user")) {
    case (let id?, nil): subject = .instance(id)
    case (nil, let id?): subject = .user(id)
    default: throw ServiceError.invalidArgument("Either instance or user is required.")
    }
    let limit = try call.number("limit", 1...10_000) ?? 200
    let events = try analytics.timeline(of: subject, project: call.project, range, limit: limit)
    return range.json("events", events.map(\.json))
  }

  /// The maximum number of rows in one response; the rest is in the export.
  private static let rowLimit = 1_000
}

extension ReportCall {
  /// The days that are asked for: the last 28 up to today in the project's zone, where nothing is said.
  func range(_ analytics: EventAnalytics) throws(ServiceError) -> DayRange {
    let last = try day("to") ?? analytics.today(of: project)
    return try DayRange(try day("from") ?? last.advanced(by: -27), last)
  }

  private func day(_ name: String) throws(ServiceError) -> EventDay? {
    guard let text = parameter(name) else { return nil }
    guard let day = EventDay(text) else {
      throw .invalidArgument("Invalid value at '\(name)': a day such as 2026-11-23 is expected.")
    }
    return day
  }

  /// A whole number of the URL within bounds.
  func number(_ name: String, _ bounds: ClosedRange<Int>) throws(ServiceError) -> Int? {
    guard let text = parameter(name) else { return nil }
    guard let number = Int(text), bounds.contains(number) else {
      throw .invalidArgument(
        "Invalid value at '\(name)': \(bounds.lowerBound) to \(bounds.upperBound) is expected."
      )
    }
    return number
  }

  /// The body, which is a JSON object; an empty one is an object without members.
  func body() throws(ServiceError) -> JSONValue {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidArgument("The body is not valid UTF-8.")
    }
    guard !text.isEmpty else { return .object([]) }
    let json = try JSONValue(parsing: text)
    guard json.members != nil else {
      throw .invalidArgument("Invalid JSON payload received. An object is expected.")
    }
    return json
  }
}

extension DayRange {
  /// A response about the days.
  fileprivate func json(
    _ name: String,
    _ rows: [JSONValue],
    _ others: [JSONValue.Member] = []
  ) -> JSONValue {
    .object(
      [.init("from", .string(first.text)), .init("to", .string(last.text))] + others
        + [.init(name, .array(rows))]
    )
  }
}

extension ReportRow {
  fileprivate var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("now", figures.json), .init("before", before.json),
    ])
  }
}

extension ReportFigures {
  fileprivate var json: JSONValue {
    .object([
      .init("events", .integer(events)), .init("users", .integer(users)),
      .init("value", .number(Self.decimal(valueMicros))),
      .init("engagementMillis", .integer(engagementMillis)),
    ])
  }

  /// Millionths as a decimal number.
  private static func decimal(_ micros: Int64) -> String {
    let digits = String(micros.magnitude)
    let padded = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    let sign = micros < 0 ? "-" : ""
    return "\(sign)\(padded.dropLast(6)).\(padded.suffix(6))"
  }
}

extension RecordedEvent {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("time", .string(EventTime.text(event.time))), .init("event", .string(event.name)),
      .init("params", event.parameters.json),
      .init("appInstanceId", instanceID.map(JSONValue.string) ?? .null),
    ]
    if let userID { members.append(.init("userId", .string(userID))) }
    members.append(.init("device", context.json))
    members.append(
      .init("userProperties", .object(properties.map { .init($0.name, .string($0.value)) }))
    )
    return .object(members)
  }
}
