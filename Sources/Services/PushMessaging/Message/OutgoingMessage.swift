import BaseJSON

/// A message that was checked and is to be sent.
package struct OutgoingMessage: Sendable {
  /// Whom a request names.
  package enum Recipient: Sendable, Equatable {
    case token(String)
    case installation(String)
    case topic(TopicName)
    case condition(TopicCondition, String)
    case user(String)
    /// An audience of analytics by its name.
    case audience(String)
  }

  /// The one recipient that the request names.
  package let recipient: Recipient
  /// The message without its recipient, within the bounds of its size.
  package let content: MessageContent
  /// The most messages of its label that one person gets; nil without a bound.
  package private(set) var cap: FrequencyCap?

  /// Seconds that a message lives at most: 28 days.
  package static let longestLife: Int64 = 2_419_200

  /// A message for a recipient, with its content checked.
  package init(to recipient: Recipient, _ content: MessageContent) throws(MessagingError) {
    self.recipient = recipient
    self.content = content
    try content.checkSize()
  }

  /// The same with a cap; INVALID_ARGUMENT for a message without a label to count by.
  package func capped(_ cap: FrequencyCap?) throws(MessagingError) -> OutgoingMessage {
    guard let cap else { return self }
    guard content.label != nil else {
      throw .invalid("frequencyCap", "A message with a cap needs fcm_options.analytics_label.")
    }
    var message = self
    message.cap = cap
    return message
  }

  /// Reads the `message` of a request to `messages:send`; throws INVALID_ARGUMENT with the field.
  ///
  /// - Parameter recipient: Takes the place of the message's own, which must be absent then.
  /// - Parameter now: The instant that absolute times count from, in microseconds.
  package init(
    json: JSONValue?,
    recipient: Recipient? = nil,
    now: Int64
  ) throws(MessagingError) {
    guard let json else {
      throw .invalid("message", "The message is not set.")
    }
    let message = try MessageShape.message.read(json, at: "message")
    let named = try Self.recipient(of: message)
    guard let target = recipient ?? named, recipient == nil || named == nil else {
      throw .invalid("message", "Recipient of the message is not set.", .missingRecipient)
    }
    try MessageRules.check(message)
    let names: Set<String> = ["name", "token", "topic", "condition", "fid"]
    let members = (message.members ?? []).filter { !names.contains($0.key) }
    try self.init(to: target, MessageContent(members, now: now))
  }

  private static func recipient(of message: JSONValue) throws(MessagingError) -> Recipient? {
    let set = ["token", "topic", "condition", "fid"].filter {
      message[$0]?.string?.isEmpty == false
    }
    guard set.count <= 1 else {
      throw .invalid(
        "message.\(set[1])",
        "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '\(set[1])'"
      )
    }
    guard let field = set.first, let text = message[field]?.string else { return nil }
    switch field {
    case "token": return .token(text)
    case "fid": return .installation(text)
    case "topic":
      guard let topic = TopicName(text) else {
        throw .invalid("message", "Topic name contains invalid characters.")
      }
      return .topic(topic)
    default:
      guard let condition = TopicCondition(parsing: text) else {
        throw .invalid("message", "Invalid condition expression provided.")
      }
      return .condition(condition, text)
    }
  }
}

/// The rules for a message's fields beside their types.
enum MessageRules {
  static func check(_ message: JSONValue) throws(MessagingError) {
    for platform in ["message", "message.android", "message.webpush"] {
      let object = platform.split(separator: ".").dropFirst().reduce(message as JSONValue?) {
        $0?[String($1)]
      }
      try checkData(object?["data"], at: "\(platform).data")
      try checkLabel(object?["fcm_options"], at: "\(platform).fcm_options")
    }
    try checkLabel(message["apns"]?["fcm_options"], at: "message.apns.fcm_options")
    try checkAndroid(message["android"])
    try checkApple(message["apns"])
    try checkWeb(message["webpush"])
  }

  static func checkData(_ data: JSONValue?, at path: String) throws(MessagingError) {
    for member in data?.members ?? [] {
      let key = member.key
      let isReserved =
        ["from", "message_type"].contains(key)
        || key.hasPrefix("google.") || key.hasPrefix("gcm.") || key.isEmpty
      if isReserved {
        throw .invalid(path, "Invalid data payload key: \(key.prefix(100))", .dataKey)
      }
    }
  }

  private static func checkLabel(
    _ options: JSONValue?,
    at path: String
  ) throws(MessagingError) {
    guard let label = options?["analytics_label"]?.string, !label.isEmpty else { return }
    guard label.utf8.count <= 50, label.utf8.allSatisfy(TopicName.isAllowed) else {
      throw .invalid("\(path).analytics_label", "Invalid analytics label.")
    }
  }

  private static func checkAndroid(_ android: JSONValue?) throws(MessagingError) {
    if let text = android?["ttl"]?.string, let seconds = MessageShape.seconds(text),
      !(0...Double(OutgoingMessage.longestLife)).contains(seconds)
    {
      throw .invalid(
        "message.android.ttl",
        "Invalid time to live: it must be between 0s and \(OutgoingMessage.longestLife)s.",
        .timeToLive
      )
    }
    if let color = android?["notification"]?["color"]?.string, !isColor(color) {
      throw .invalid("message.android.notification.color", "Invalid color: #rrggbb is expected.")
    }
  }

  private static func isColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy(\.isHexDigit)
  }

  private static func checkApple(_ apns: JSONValue?) throws(MessagingError) {
    let headers = MessageContent.headers(of: apns)
    if let priority = headers["apns-priority"], !["1", "5", "10"].contains(priority) {
      throw .invalid("message.apns.headers", "Invalid apns-priority: it must be 1, 5 or 10.")
    }
    if let expiration = headers["apns-expiration"], Int64(expiration) == nil {
      throw .invalid("message.apns.headers", "Invalid apns-expiration.", .timeToLive)
    }
    if let id = headers["apns-collapse-id"], id.utf8.count > 64 {
      throw .invalid(
        "message.apns.headers",
        "Invalid apns-collapse-id: it can have at most 64 bytes."
      )
    }
    if let token = apns?["live_activity_token"]?.string, !PushAddress.isDeviceToken(token) {
      throw .invalid("message.apns.live_activity_token", "The token must be hexadecimal.")
    }
    if let aps = apns?["payload"]?["aps"], aps.members == nil {
      throw .invalid("message.apns.payload.aps", "aps must be an object.")
    }
  }

  private static func checkWeb(_ webPush: JSONValue?) throws(MessagingError) {
    let headers = MessageContent.headers(of: webPush)
    if let text = headers["ttl"], Int64(text).map({ $0 >= 0 }) != true {
      throw .invalid(
        "message.webpush.headers.TTL",
        "TTL must be a non-negative integer.",
        .timeToLive
      )
    }
    if let urgency = headers["urgency"], !["very-low", "low", "normal", "high"].contains(urgency) {
      throw .invalid(
        "message.webpush.headers.Urgency",
        "Urgency must be very-low, low, normal or high."
      )
    }
    if let link = webPush?["fcm_options"]?["link"]?.string, !link.hasPrefix("https://") {
      throw .invalid("message.webpush.fcm_options.link", "The link must be an HTTPS URL.")
    }
  }
}
