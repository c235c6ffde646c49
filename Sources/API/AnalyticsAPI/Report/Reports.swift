import BaseJSON
import EventAnalytics

/// Makes reports: decodes, makes one call of the service and encodes.
///
/// Calls may block.
struct Reports {
  let analytics: EventAnalytics

  func live(_ call: ReportCall) throws -> JSONValue {
    let (minutes, users) = analytics.liveMinutes(of: call.project)
    return .object([
      .init("users", .integer(users)),
      .init(
        "minutes",
        .array(
          minutes.map { minute in
            .object([
              .init("time", .string(EventTime.text(minute.number * 60_000_000))),
              .init("users", .integer(minute.users)),
              .init(
                "events",
                .object(
                  minute.events.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) }
                )
              ),
            ])
          }
        )
      ),
    ])
  }

  func debug(_ call: ReportCall) throws -> JSONValue {
    let wanted = call.parameter("device")
    let devices = analytics.debugDevices(of: call.project)
      .filter { wanted == nil || $0.instanceID == wanted }
    return .object([.init("devices", .array(devices.map(\.json)))])
  }
}

extension DebugDevice {
  fileprivate var json: JSONValue {
    .object([
      .init("appInstanceId", .string(instanceID)),
      .init("device", context.json),
      .init("lastSeen", .string(EventTime.text(lastSeen))),
      .init(
        "userProperties",
        .object(properties.map { .init($0.name, .string($0.value)) })
      ),
      .init("entries", .array(entries.map(\.json))),
    ])
  }
}

extension DebugEntry {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("time", .string(EventTime.text(time))),
      .init("received", .string(EventTime.text(received))),
    ]
    switch content {
    case .event(let event):
      members.append(.init("event", .string(event.name)))
      members.append(.init("params", event.parameters.json))
    case .drop(let drop): members.append(.init("dropped", drop.json))
    }
    return .object(members)
  }
}

extension EventContext {
  /// As batches have it.
  var json: JSONValue {
    .object([
      .init("appId", .string(appID)), .init("platform", .string(platform)),
      .init("model", .string(model)), .init("osVersion", .string(osVersion)),
      .init("appVersion", .string(appVersion)), .init("language", .string(language)),
      .init("country", .string(country)),
      .init("timeZoneOffsetSeconds", .integer(timeZoneOffsetSeconds)),
    ])
  }
}

extension [EventParameter] {
  /// Names and plain values.
  var json: JSONValue { .object(map { .init($0.name, $0.value.json) }) }
}

extension EventValue {
  /// The value by itself.
  var json: JSONValue {
    switch self {
    case .string(let text): .string(text)
    case .integer(let number): .integer(number)
    case .double(let number): .number("\(number)")
    case .items(let items): .array(items.map(\.json))
    }
  }
}
