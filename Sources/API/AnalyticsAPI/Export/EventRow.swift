import BaseJSON
import EventAnalytics

// A line of an export has the columns of BigQuery's table `events_YYYYMMDD` that Brasa knows
// something of; integers are strings, as in BigQuery's own JSON. Other contents are skipped when
// the batch is read.

extension RecordedEvent {
  /// The event as a row of BigQuery's export.
  ///
  /// - Parameter isActive: True if the installation was active on the day.
  func row(on day: EventDay, isActive: Bool) -> JSONValue {
    .object([
      .init("event_date", .string(day.compactText)),
      .init("event_timestamp", .integerText(event.time)),
      .init("event_name", .string(event.name)),
      .init("event_params", .array(event.parameters.flatMap(\.columns))),
      .init("event_value_in_usd", dollars),
      .init("event_server_timestamp_offset", .integerText(clockOffset)),
      .init("batch_event_index", .integerText(event.sequence)),
      .init("user_id", userID.map(JSONValue.string) ?? .null),
      .init("user_pseudo_id", instanceID.map(JSONValue.string) ?? .null),
      .init("is_active_user", .boolean(isActive)),
      .init(
        "privacy_info",
        .object([
          .init("analytics_storage", .string(instanceID == nil ? "No" : "Yes")),
          .init("uses_transient_token", .string("No")),
        ])
      ),
      .init("user_properties", .array(properties.map(\.column))),
      .init("device", device),
      .init("geo", .object([.init("country", .string(context.country))])),
      .init(
        "app_info",
        .object([
          .init("version", .string(context.appVersion)),
          .init("firebase_app_id", .string(context.appID)),
        ])
      ),
      .init("collected_traffic_source", collectedSource),
      .init("stream_id", .string(context.appID)),
      .init("platform", .string(context.platform)),
      .init("event_dimensions", dimensions),
      .init("ecommerce", ecommerce),
      .init("items", .array((items ?? []).map(\.json))),
    ])
  }
}

extension EventParameter {
  /// The parameter as an element of `event_params`; none for items, which have a column of their own.
  fileprivate var columns: [JSONValue] {
    let value: JSONValue
    switch self.value {
    case .string(let text): value = .object([.init("string_value", .string(text))])
    case .integer(let number): value = .object([.init("int_value", .integerText(number))])
    case .double(let number): value = .object([.init("double_value", .number("\(number)"))])
    case .items: return []
    }
    return [.object([.init("key", .string(name)), .init("value", value)])]
  }
}

extension UserProperty {
  fileprivate var column: JSONValue {
    let members: [JSONValue.Member] = [
      .init("string_value", .string(value)), .init("set_timestamp_micros", .integerText(time)),
    ]
    return .object([.init("key", .string(name)), .init("value", .object(members))])
  }
}

extension JSONValue {
  /// A whole number as a string.
  fileprivate static func integerText(_ number: Int64) -> JSONValue { .string("\(number)") }
}
