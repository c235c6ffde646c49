import BaseJSON
import BaseStatus
import EventAnalytics

/// A batch as our SDK sends it; `docs/analytics.md` has the form.
struct BatchMessage {
  let batch: EventBatch
  /// The app's clock when it sent the batch, in microseconds.
  let sent: Int64
  /// The proof of the batch's installation where its token is another one's, as after an app's data were reset.
  let secret: String?

  /// Reads a batch of an app; INVALID_ARGUMENT names the fault.
  init(_ json: JSONValue, appID: String) throws(ServiceError) {
    guard appID.utf8.count <= EventLimits.contextLength else { throw Self.wrong("appId") }
    let fields = MessageFields(json)
    let isDenied =
      try fields.object("consent")?.choice("analyticsStorage", ["GRANTED", "DENIED"]) == "DENIED"
    let id = try fields.text("appInstanceId", atMost: EventLimits.instanceIDLength) ?? ""
    guard isDenied || !id.isEmpty else { throw Self.wrong("appInstanceId") }
    let number = try fields.integer("batchNumber")
    guard number.map({ $0 > 0 }) ?? isDenied else { throw Self.wrong("batchNumber") }
    guard let millis = try fields.integer("sentTimeMillis"), let sent = Self.micros(millis) else {
      throw Self.wrong("sentTimeMillis")
    }
    guard let events = fields["events"]?.elements, events.count <= EventLimits.batchEvents else {
      throw Self.wrong("events")
    }
    var batch = EventBatch(instanceID: isDenied ? nil : id, number: number, events: [])
    batch.context = try Self.context(fields.object("device"), appID: appID)
    batch.isDebug = try fields.flag("debug") ?? false
    if !isDenied {
      batch.userID = try fields.text("userId", atMost: 4_096)
      batch.properties = try Self.properties(fields["userProperties"], sent)
    }
    for event in events { batch.events.append(try Self.event(event)) }
    self.batch = batch
    self.sent = sent
    secret = isDenied ? nil : try fields.text("appInstanceSecret", atMost: 64)
  }

  static func wrong(_ field: String) -> ServiceError {
    .invalidArgument("Invalid value at '\(field)'.")
  }

  static func micros(_ millis: Int64) -> Int64? {
    let (micros, overflows) = millis.multipliedReportingOverflow(by: 1_000)
    return overflows || !isTime(micros) ? nil : micros
  }

  /// Returns true if a client's number can be a time in microseconds, so that differences of such
  /// do not overflow.
  static func isTime(_ micros: Int64) -> Bool { micros.magnitude < 1 << 61 }

  private static func context(
    _ device: MessageFields?,
    appID: String
  ) throws(ServiceError) -> EventContext {
    var context = EventContext()
    context.appID = appID
    guard let device else { return context }
    let limit = EventLimits.contextLength
    context.platform = try device.text("platform", atMost: limit)?.uppercased() ?? ""
    context.model = try device.text("model", atMost: limit) ?? ""
    context.osVersion = try device.text("osVersion", atMost: limit) ?? ""
    context.appVersion = try device.text("appVersion", atMost: limit) ?? ""
    context.language = try device.text("language", atMost: limit) ?? ""
    context.country = try device.text("country", atMost: limit)?.uppercased() ?? ""
    let offset = try device.integer("timeZoneOffsetSeconds") ?? 0
    context.timeZoneOffsetSeconds = min(max(offset, -86_400), 86_400)
    return context
  }

  private static func properties(
    _ json: JSONValue?,
    _ sent: Int64
  ) throws(ServiceError) -> [UserProperty] {
    guard let json, json != .null else { return [] }
    guard let members = json.members, members.count <= 100 else { throw wrong("userProperties") }
    var properties: [UserProperty] = []
    for member in members {
      let fields = MessageFields(member.value)
      let value: String
      switch fields["value"] {
      case .string(let text): value = text
      case .number(let digits): value = digits
      case .null, nil: continue
      default: throw wrong("userProperties.\(member.key.prefix(60))")
      }
      let set = try fields.integer("setTimeMillis").flatMap(micros) ?? sent
      properties.append(UserProperty(member.key, value, time: set))
    }
    return properties
  }

  private static func event(_ json: JSONValue) throws(ServiceError) -> AnalyticsEvent {
    let fields = MessageFields(json)
    guard let time = try fields.integer("timeMicros"), isTime(time) else {
      throw wrong("events.timeMicros")
    }
    return AnalyticsEvent(
      try fields.text("name", atMost: 4_096) ?? "",
      time: time,
      sequence: try fields.integer("sequence") ?? 0,
      parameters: try parameters(fields["params"], mayHaveItems: true)
    )
  }

  private static func parameters(
    _ json: JSONValue?,
    mayHaveItems: Bool
  ) throws(ServiceError) -> [EventParameter] {
    guard let json, json != .null else { return [] }
    guard let members = json.members else { throw wrong("events.params") }
    var parameters: [EventParameter] = []
    for member in members {
      let value = try value(member.value, member.key, mayHaveItems: mayHaveItems)
      parameters.append(EventParameter(member.key, value))
    }
    return parameters
  }

  private static func value(
    _ json: JSONValue,
    _ name: String,
    mayHaveItems: Bool
  ) throws(ServiceError) -> EventValue {
    guard let members = json.members, members.count == 1, let member = members.first else {
      throw wrong("events.params.\(name.prefix(60))")
    }
    switch (member.key, member.value) {
    case ("stringValue", .string(let text)): return .string(text)
    case ("intValue", let number):
      if let number = number.integer ?? number.string.flatMap({ Int64($0) }) {
        return .integer(number)
      }
    case ("doubleValue", .number(let digits)): return .double(Double(digits) ?? .nan)
    case ("items", .array(let items)) where mayHaveItems:
      var read: [[EventParameter]] = []
      for item in items { read.append(try parameters(item, mayHaveItems: false)) }
      return .items(read)
    default: break
    }
    throw wrong("events.params.\(name.prefix(60))")
  }
}

/// The members of a message's object, each of a type or absent.
struct MessageFields {
  private let members: [JSONValue.Member]

  /// The members of an object; empty for any other value.
  init(_ json: JSONValue?) { members = json?.members ?? [] }

  subscript(name: String) -> JSONValue? { members.first { $0.key == name }?.value }

  /// A text; INVALID_ARGUMENT where it is none or longer.
  func text(_ name: String, atMost length: Int) throws(ServiceError) -> String? {
    switch self[name] {
    case .null, nil: return nil
    case .string(let text) where text.unicodeScalars.count <= length: return text
    default: throw BatchMessage.wrong(name)
    }
  }

  /// A whole number, or a text of its digits.
  func integer(_ name: String) throws(ServiceError) -> Int64? {
    switch self[name] {
    case .null, nil: return nil
    case .string(let digits):
      guard let number = Int64(digits) else { throw BatchMessage.wrong(name) }
      return number
    case let json?:
      guard let number = json.integer else { throw BatchMessage.wrong(name) }
      return number
    }
  }

  /// A truth value.
  func flag(_ name: String) throws(ServiceError) -> Bool? {
    switch self[name] {
    case .null, nil: return nil
    case .boolean(let flag): return flag
    default: throw BatchMessage.wrong(name)
    }
  }

  /// An object.
  func object(_ name: String) throws(ServiceError) -> MessageFields? {
    switch self[name] {
    case .null, nil: return nil
    case .object(let members): return MessageFields(.object(members))
    default: throw BatchMessage.wrong(name)
    }
  }

  /// One of some words.
  func choice(_ name: String, _ words: [String]) throws(ServiceError) -> String? {
    guard let word = try text(name, atMost: 100) else { return nil }
    guard words.contains(word) else { throw BatchMessage.wrong(name) }
    return word
  }
}
