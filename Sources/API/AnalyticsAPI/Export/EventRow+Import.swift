import BaseJSON
import BaseStatus
import EventAnalytics

extension RecordedEvent {
  /// Reads a row of BigQuery's export; throws INVALID_ARGUMENT for any other input.
  init(row: JSONValue) throws(ServiceError) {
    guard let time = Self.integer(row["event_timestamp"]), let name = row["event_name"]?.string
    else {
      throw .invalidArgument("A line has no event_timestamp or no event_name.")
    }
    guard Self.times.contains(time) else {
      throw .invalidArgument("A line has the time \(time), which is not between 2000 and 2100.")
    }
    var event = AnalyticsEvent(name, time: time)
    event.sequence = Self.integer(row["batch_event_index"]) ?? 0
    for column in row["event_params"]?.elements ?? [] {
      guard let key = column["key"]?.string, let value = Self.value(column["value"]) else {
        continue
      }
      event.parameters.append(EventParameter(key, value))
    }
    if let items = row["items"]?.elements, !items.isEmpty {
      event.parameters.append(EventParameter("items", .items(items.map(Self.item))))
    }
    self.init(
      event: event,
      instanceID: row["user_pseudo_id"]?.string,
      userID: row["user_id"]?.string,
      context: Self.context(row),
      properties: Self.properties(row["user_properties"], time),
      received: time,
      clockOffset: Self.integer(row["event_server_timestamp_offset"]) ?? 0
    )
  }

  /// From 2000 to 2100: far enough for every history, and near enough for days to be walked through.
  private static let times: ClosedRange<Int64> = 946_684_800_000_000...4_102_444_800_000_000

  private static func integer(_ json: JSONValue?) -> Int64? {
    json?.integer ?? json?.string.flatMap { Int64($0) }
  }

  /// The one member of a value's columns that is set.
  private static func value(_ json: JSONValue?) -> EventValue? {
    if let text = json?["string_value"]?.string { return .string(text) }
    if let number = integer(json?["int_value"]) { return .integer(number) }
    for name in ["double_value", "float_value"] {
      if case .number(let digits) = json?[name], let number = Double(digits) {
        return .double(number)
      }
    }
    return nil
  }

  private static func item(_ json: JSONValue) -> [EventParameter] {
    (json.members ?? []).compactMap { member in
      switch member.value {
      case .string(let text): EventParameter(member.key, .string(text))
      case .number(let digits):
        EventParameter(
          member.key,
          Int64(digits).map(EventValue.integer) ?? .double(Double(digits) ?? 0)
        )
      default: nil
      }
    }
  }

  private static func context(_ row: JSONValue) -> EventContext {
    func text(_ group: String, _ name: String) -> String {
      String((row[group]?[name]?.string ?? "").prefix(EventLimits.contextLength))
    }
    var context = EventContext()
    context.platform = row["platform"]?.string ?? ""
    context.appID = text("app_info", "firebase_app_id")
    context.appVersion = text("app_info", "version")
    context.model = text("device", "mobile_os_hardware_model")
    if context.model.isEmpty { context.model = text("device", "mobile_model_name") }
    context.osVersion = text("device", "operating_system_version")
    context.language = text("device", "language")
    context.country = text("geo", "country")
    context.timeZoneOffsetSeconds = integer(row["device"]?["time_zone_offset_seconds"]) ?? 0
    return context
  }

  private static func properties(_ json: JSONValue?, _ time: Int64) -> [UserProperty] {
    (json?.elements ?? []).compactMap { column in
      guard let key = column["key"]?.string, let value = value(column["value"]) else { return nil }
      let text: String
      switch value {
      case .string(let string): text = string
      case .integer(let number): text = "\(number)"
      case .double(let number): text = "\(number)"
      case .items: return nil
      }
      let set = integer(column["value"]?["set_timestamp_micros"]).map {
        times.contains($0) ? $0 : time
      }
      return UserProperty(key, text, time: set ?? time)
    }
  }
}
