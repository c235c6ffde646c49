import BaseJSON

/// A message in the form of before HTTP v1, as `/fcm/send` takes it.
///
/// It becomes a content of today's form, in which the legacy form's common members are set for each
/// platform.
package struct LegacyMessage: Sendable {
  /// Whom it is for.
  package enum Target: Sendable {
    case tokens([String])
    case everyone(OutgoingMessage.Recipient)
  }

  /// The recipients, or why there are none.
  package let target: Result<Target, MessagingError>
  /// The content, or the error for each recipient.
  package let content: Result<MessageContent, MessagingError>
  /// The package that the apps of its tokens must have; nil for any.
  package let packageName: String?
  /// True if everything is checked and nothing sent.
  package let isTrial: Bool

  private static let tokenLimit = 1_000
  /// The members of a notification of the legacy form; others are passed on as
  /// `gcm.notification.…`.
  private static let notificationNames: Set<String> = [
    "title", "body", "sound", "badge", "click_action", "subtitle", "title_loc_key",
    "title_loc_args", "body_loc_key", "body_loc_args", "android_channel_id", "icon", "tag",
    "color", "image",
  ]

  /// Reads a message; throws INVALID_ARGUMENT for one to a group of devices, which there are none of.
  package init(_ json: JSONValue, now: Int64) throws(MessagingError) {
    guard json["notification_key"] == nil else {
      throw .invalid(
        "notification_key",
        "notification_key is not supported, because Brasa has no device groups. Use registration_ids."
      )
    }
    target = Self.target(of: json)
    isTrial = Self.flag(json["dry_run"])
    packageName = json["restricted_package_name"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    content = Result { () throws(MessagingError) in try Self.content(of: json, now: now) }
  }

  private static func content(
    of json: JSONValue,
    now: Int64
  ) throws(MessagingError) -> MessageContent {
    let data = Self.texts(json["data"])
    try MessageRules.checkData(data, at: "data")
    let life = try Self.timeToLive(json["time_to_live"])
    let notification = json["notification"]
    var members: [JSONValue.Member] = []
    if let data, data.members?.isEmpty == false { members.append(.init("data", data)) }
    if let notification {
      let shown = (notification.members ?? []).filter {
        ["title", "body", "image"].contains($0.key)
      }
      members.append(.init("notification", .object(shown)))
    }
    members.append(.init("android", Self.android(json, life: life)))
    members.append(.init("apns", Self.apple(json, life: life, now: now)))
    if let notification {
      let others = (notification.members ?? []).filter {
        !["title", "body", "image"].contains($0.key)
      }.map { JSONValue.Member($0.key, Self.text($0.value)) }
      members.append(.init("webpush", .object([.init("notification", .object(others))])))
    }
    return MessageContent(members, now: now)
  }

  // MARK: Recipients

  private static func target(of json: JSONValue) -> Result<Target, MessagingError> {
    if let condition = json["condition"]?.string {
      guard let parsed = TopicCondition(parsing: condition) else {
        return .failure(.invalid("condition", "Invalid condition expression provided."))
      }
      return .success(.everyone(.condition(parsed, condition)))
    }
    if let list = json["registration_ids"]?.elements {
      let tokens = list.compactMap(\.string)
      guard (1...tokenLimit).contains(list.count), tokens.count == list.count else {
        return .failure(
          .invalid(
            "registration_ids",
            "A message must have 1 to \(tokenLimit) tokens.",
            .missingRecipient
          )
        )
      }
      return .success(.tokens(tokens))
    }
    guard let to = json["to"]?.string, !to.isEmpty else {
      return .failure(.invalid("to", "The recipient is missing.", .missingRecipient))
    }
    guard to.hasPrefix("/topics/") else { return .success(.tokens([to])) }
    guard let topic = TopicName(to) else {
      return .failure(.invalid("to", "Topic name contains invalid characters.", .token))
    }
    return .success(.everyone(.topic(topic)))
  }

  // MARK: Options

  private static func flag(_ json: JSONValue?) -> Bool {
    json?.boolean ?? ["1", "true"].contains(json?.string ?? "")
  }

  private static func timeToLive(_ json: JSONValue?) throws(MessagingError) -> Int64 {
    guard let json, json != .null else { return OutgoingMessage.longestLife }
    guard let life = json.integer ?? json.string.flatMap({ Int64($0) }),
      (0...OutgoingMessage.longestLife).contains(life)
    else { throw .invalid("time_to_live", "Invalid time to live.", .timeToLive) }
    return life
  }

  private static func isHigh(_ json: JSONValue) -> Bool {
    json["priority"]?.string.map { $0.lowercased() == "high" } ?? (json["notification"] != nil)
  }

  private static func android(_ json: JSONValue, life: Int64) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("priority", .string(isHigh(json) ? "HIGH" : "NORMAL")),
      .init("ttl", .string("\(life)s")),
    ]
    if let key = json["collapse_key"]?.string {
      members.append(.init("collapse_key", .string(key)))
    }
    if let name = json["restricted_package_name"]?.string {
      members.append(.init("restricted_package_name", .string(name)))
    }
    return .object(members)
  }

  private static func apple(_ json: JSONValue, life: Int64, now: Int64) -> JSONValue {
    var headers: [JSONValue.Member] = [
      .init("apns-expiration", .string("\(now / 1_000_000 + life)"))
    ]
    if json["priority"] != nil {
      headers.append(.init("apns-priority", .string(isHigh(json) ? "10" : "5")))
    }
    if let key = json["collapse_key"]?.string, !key.isEmpty, key.utf8.count <= 64 {
      headers.append(.init("apns-collapse-id", .string(key)))
    }
    let notification = json["notification"]?.members ?? []
    let others = notification.filter { !notificationNames.contains($0.key) }.map {
      JSONValue.Member("gcm.notification.\($0.key)", text($0.value))
    }
    let aps = aps(json)
    let payload = (aps.isEmpty ? [] : [JSONValue.Member("aps", .object(aps))]) + others
    return .object([
      .init("headers", .object(headers)), .init("payload", .object(payload)),
    ])
  }

  private static func aps(_ json: JSONValue) -> [JSONValue.Member] {
    var aps: [JSONValue.Member] = []
    let notification = json["notification"]
    let alert = [
      ("subtitle", "subtitle"), ("title_loc_key", "title-loc-key"),
      ("title_loc_args", "title-loc-args"), ("body_loc_key", "loc-key"),
      ("body_loc_args", "loc-args"),
    ].compactMap { name, key in notification?[name].map { JSONValue.Member(key, list($0)) } }
    if !alert.isEmpty { aps.append(.init("alert", .object(alert))) }
    if let sound = notification?["sound"] { aps.append(.init("sound", sound)) }
    if let badge = notification?["badge"] {
      let number = badge.integer ?? badge.string.flatMap { Int64($0) }
      if let number { aps.append(.init("badge", .integer(number))) }
    }
    if let category = notification?["click_action"] { aps.append(.init("category", category)) }
    if flag(json["content_available"]) { aps.append(.init("content-available", .integer(1))) }
    if flag(json["mutable_content"]) { aps.append(.init("mutable-content", .integer(1))) }
    return aps
  }

  /// Arguments of localised texts may come as a text that is a JSON list.
  private static func list(_ json: JSONValue) -> JSONValue {
    guard let text = json.string, text.hasPrefix("["), let list = try? JSONValue(parsing: text)
    else {
      return json
    }
    return list
  }

  /// Returns a value as text for clients: values that are no text are JSON.
  private static func text(_ json: JSONValue) -> JSONValue { .string(json.string ?? json.compact) }

  /// Data as texts; the legacy form takes other values too.
  private static func texts(_ json: JSONValue?) -> JSONValue? {
    json?.members.map { members in
      .object(members.map { JSONValue.Member($0.key, text($0.value)) })
    }
  }
}
