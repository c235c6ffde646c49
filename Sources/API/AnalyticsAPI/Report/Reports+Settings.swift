import BaseJSON
import BaseStatus
import EventAnalytics

extension Reports {
  func settings(_ call: ReportCall) throws -> JSONValue {
    let settings = analytics.settings(of: call.project)
    return .object([
      .init("timeZone", .string(settings.zone)),
      .init("retentionDays", .integer(settings.retentionDays)),
      .init("keyEvents", .array(settings.keyEvents.map(JSONValue.string))),
    ])
  }

  func change(_ call: ReportCall) throws -> JSONValue {
    var settings = analytics.settings(of: call.project)
    for member in try call.body().members ?? [] {
      switch (member.key, member.value) {
      case ("timeZone", .string(let zone)): settings.zone = zone
      case ("retentionDays", let value):
        guard let days = value.integer.flatMap({ Int(exactly: $0) }) else {
          throw ServiceError.invalidArgument("Invalid value at 'retentionDays'.")
        }
        settings.retentionDays = days
      case ("keyEvents", .array(let names)):
        settings.keyEvents = try names.map { name in
          guard let name = name.string else {
            throw ServiceError.invalidArgument("Invalid value at 'keyEvents'.")
          }
          return name
        }
      default:
        throw ServiceError.invalidArgument("Invalid value at '\(member.key.prefix(60))'.")
      }
    }
    try analytics.set(settings, of: call.project)
    return try self.settings(call)
  }

  func erase(_ call: ReportCall) throws -> JSONValue {
    let body = try call.body()
    let subject: EventSubject
    switch (body["appInstanceId"], body["userId"]) {
    case (.string(let id)?, nil): subject = .instance(id)
    case (nil, .string(let id)?): subject = .user(id)
    default: throw ServiceError.invalidArgument("Either appInstanceId or userId is required.")
    }
    let erased = try analytics.erase(subject, of: call.project)
    return .object([.init("events", .integer(erased))])
  }

  func days(_ call: ReportCall) throws -> JSONValue {
    let days = try analytics.daysWithEvents(of: call.project)
    return .object([.init("days", .array(days.map { .string($0.text) }))])
  }
}
