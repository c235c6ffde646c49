import BaseJSON
import BaseStatus
import EventAnalytics

/// A request of the Measurement Protocol.
struct ProtocolMessage {
  let batch: EventBatch
  /// The faults of the request as a whole, for which none of it is kept.
  let problems: [EventDrop]
  /// The faults of members of the request that are checked and not kept; the rest of it is.
  let remarks: [EventDrop]

  /// Reads a request for an app, or a stream of the web; INVALID_ARGUMENT where it is not of the form.
  init(_ json: JSONValue, appID: String, isWeb: Bool, now: Int64) throws(ServiceError) {
    let fields = MessageFields(json)
    let check = ProtocolCheck(json, now: now)
    var problems: [EventDrop] = []
    remarks = check.remarks
    let field = isWeb ? "client_id" : "app_instance_id"
    let id = Self.text(fields[field]) ?? ""
    if id.isEmpty {
      problems.append(
        EventDrop(index: nil, field: field, .valueRequired, "The field [\(field)] is required.")
      )
    } else if id.utf8.count > EventLimits.instanceIDLength || (!isWeb && !Self.isInstance(id)) {
      problems.append(
        EventDrop(
          index: nil,
          field: field,
          .valueInvalid,
          "The field [\(field)] is not a valid ID."
        )
      )
    }
    let events = fields["events"]?.elements ?? []
    if events.isEmpty {
      problems.append(
        EventDrop(index: nil, field: "events", .valueRequired, "The request contains no events.")
      )
    }
    if events.count > EventLimits.protocolEvents {
      problems.append(
        EventDrop(
          index: nil,
          field: "events",
          .exceededMaxEntities,
          "A request can have at most \(EventLimits.protocolEvents) events."
        )
      )
    }
    let time = Self.time(fields["timestamp_micros"]) ?? now
    var batch = EventBatch(instanceID: id, context: EventContext(), events: [])
    batch.context = Self.context(fields["device"], appID, isWeb: isWeb)
    batch.context.country = check.country
    batch.userID = Self.text(fields["user_id"])
    batch.properties = Self.properties(fields["user_properties"], time)
    for (index, event) in events.enumerated() {
      batch.events.append(try Self.event(event, index, time, isDebug: &batch.isDebug))
    }
    self.batch = batch
    self.problems = problems
  }

  /// 32 hexadecimal digits as Google's SDKs have, or an installation's id.
  private static func isInstance(_ id: String) -> Bool {
    let isHexadecimal = id.utf8.count == 32 && id.allSatisfy(\.isHexDigit)
    let isInstallation =
      id.utf8.count == 22
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
    return isHexadecimal || isInstallation
  }

  private static func text(_ json: JSONValue?) -> String? {
    switch json {
    case .string(let text): text
    case .number(let digits): digits
    default: nil
    }
  }

  /// A time in microseconds, as a number or a text of its digits; nil for others, which count as none.
  static func time(_ json: JSONValue?) -> Int64? {
    let time = json?.integer ?? json?.string.flatMap { Int64($0) }
    return time.flatMap { BatchMessage.isTime($0) ? $0 : nil }
  }

  private static func context(
    _ device: JSONValue?,
    _ appID: String,
    isWeb: Bool
  ) -> EventContext {
    var context = EventContext()
    func field(_ name: String) -> String {
      String((text(device?[name]) ?? "").prefix(EventLimits.contextLength))
    }
    context.appID = String(appID.prefix(EventLimits.contextLength))
    let system = field("operating_system").uppercased()
    context.platform = isWeb ? "WEB" : system.isEmpty ? platform(ofApp: appID) : system
    context.model = field("model")
    context.osVersion = field("operating_system_version")
    context.language = field("language")
    return context
  }

  /// An app's id says its platform: `1:42:ios:ab`.
  private static func platform(ofApp id: String) -> String {
    let parts = id.split(separator: ":")
    return parts.count == 4 ? parts[2].uppercased() : ""
  }

  private static func properties(_ json: JSONValue?, _ time: Int64) -> [UserProperty] {
    (json?.members ?? []).prefix(100).compactMap { member in
      guard let value = text(member.value["value"]) else { return nil }
      let set = Self.time(member.value["timestamp_micros"]) ?? time
      return UserProperty(member.key, value, time: set)
    }
  }

  private static func event(
    _ json: JSONValue,
    _ index: Int,
    _ time: Int64,
    isDebug: inout Bool
  ) throws(ServiceError) -> AnalyticsEvent {
    guard json.members != nil else {
      throw .invalidArgument("Event at index: [\(index)] is not an object.")
    }
    var parameters: [EventParameter] = []
    for member in json["params"]?.members ?? [] {
      switch member.key {
      case "debug_mode":
        isDebug = isDebug || member.value != .boolean(false)
      case "session_id": append("ga_session_id", member.value, to: &parameters)
      default: append(member.key, member.value, to: &parameters)
      }
    }
    return AnalyticsEvent(
      text(json["name"]) ?? "",
      time: Self.time(json["timestamp_micros"]) ?? time,
      sequence: Int64(index),
      parameters: parameters
    )
  }

  private static func append(
    _ name: String,
    _ json: JSONValue,
    to parameters: inout [EventParameter]
  ) {
    if let value = value(json) { parameters.append(EventParameter(name, value)) }
  }

  /// The value of a parameter's JSON; nil for values that Google ignores.
  private static func value(_ json: JSONValue) -> EventValue? {
    switch json {
    case .null: return nil
    case .boolean(let flag): return .integer(flag ? 1 : 0)
    case .string(let text):
      return .string(text)
    case .number(let digits):
      return Int64(digits).map(EventValue.integer) ?? .double(Double(digits) ?? .nan)
    case .object: return nil
    case .array(let items):
      return .items(
        items.map { item in
          (item.members ?? []).compactMap { member in
            if case .array = member.value { return nil }
            return value(member.value).map { EventParameter(member.key, $0) }
          }
        }
      )
    }
  }
}
