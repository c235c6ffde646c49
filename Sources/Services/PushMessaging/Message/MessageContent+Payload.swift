import BaseJSON
import BaseText

/// The parts of a payload beside a message's content.
struct PayloadContext {
  var messageID: String
  /// The topic, or the project.
  var sender: String
  var project: String
  var installation: String
  /// The ID of the installation's app; empty for a payload without a recipient yet.
  var appID = ""
}

extension MessageContent {
  /// Bytes of a message's data and notification, as Firebase counts them: names and values, without what a platform wraps around.
  package static let sizeLimit = 4_096
  /// Bytes of a payload beside what the message says, at most.
  private static let frame = 512

  /// Throws INVALID_ARGUMENT where the message's data and notification are too large for one of the platforms.
  ///
  /// A payload has a platform's envelope too: one that is then too large for a push service is
  /// refused for its devices (`checkPayload`).
  func checkSize() throws(MessagingError) {
    guard bytes.count > Self.sizeLimit else { return }
    guard PushChannel.allCases.allSatisfy({ size($0) <= Self.sizeLimit }),
      androidSize <= Self.sizeLimit
    else { throw Self.tooLarge }
  }

  private static let tooLarge = MessagingError.invalid(
    "message",
    "Message is too large. The maximum is 4K (4096 bytes).",
    .tooBig
  )

  /// Throws INVALID_ARGUMENT where the payload is larger than the push service of one device takes.
  func checkPayload(_ channel: PushChannel, _ context: PayloadContext) throws(MessagingError) {
    guard let limit = channel.payloadLimit,
      bytes.count + context.sender.utf8.count + Self.frame > limit
    else { return }
    let size = payload(channel, context).compactBytes.count
    guard size > limit else { return }
    let message =
      "Message is too large: with its envelope it has \(size) bytes, and the device's push service accepts \(limit)."
    throw .invalid("message", message, .tooBig)
  }

  /// Bytes of what a platform's devices get of data and notification.
  private func size(_ channel: PushChannel) -> Int {
    switch channel {
    case .apns:
      Self.size(json["data"]) + Self.size(json["notification"])
        + Self.size(json["apns"]?["payload"])
    case .webPush, .direct: size(of: json["webpush"])
    }
  }

  private var androidSize: Int { size(of: json["android"]) }

  /// The same where a platform's own members take the place of those for all.
  private func size(of own: JSONValue?) -> Int {
    ["data", "notification"].reduce(0) { sum, part in
      sum + Self.size(Self.merge(json[part], own?[part]?.members ?? []))
    }
  }

  private static func size(_ object: JSONValue?) -> Int {
    (object?.members ?? []).reduce(0) { sum, member in
      sum + member.key.utf8.count
        + (member.value.string?.utf8.count ?? member.value.compactBytes.count)
    }
  }

  /// Returns the payload for the device.
  func payload(_ channel: PushChannel, _ context: PayloadContext) -> JSONValue {
    switch channel {
    case .apns: applePayload(context)
    case .webPush: webPayload(context, priority: options(channel).priority)
    case .direct: directPayload(context)
    }
  }

  /// A payload for an installation of an app, from one without a recipient: with its ID, and with
  /// the number of the app's sender, if the app's ID has one.
  static func payload(
    _ payload: JSONValue,
    for installation: String,
    of appID: String
  ) -> JSONValue {
    guard case .object(var members) = payload,
      let index = members.lastIndex(where: { $0.key == installationKey })
    else { return payload }
    members[index] = .init(installationKey, .string(installation))
    if let sender = senderID(of: appID),
      let index = members.lastIndex(where: { $0.key == senderKey })
    {
      members[index] = .init(senderKey, .string(sender))
    }
    return .object(members)
  }

  private static let installationKey = "google.c.fid"
  private static let senderKey = "google.c.sender.id"

  /// The number in an app's id, such as `1:42:ios:ab`, by which the app knows its sender; nil of an id of another form.
  private static func senderID(of appID: String) -> String? {
    let parts = appID.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 4, !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (48...57).contains($0) })
    else {
      return nil
    }
    return String(parts[1])
  }

  /// The header fields of the platform that do not follow from the delivery's options.
  func headers(_ channel: PushChannel) -> [String: String] {
    switch channel {
    case .apns:
      var headers = Self.headers(of: json["apns"])
      for name in ["apns-priority", "apns-expiration", "apns-collapse-id", "apns-id"] {
        headers[name] = nil
      }
      let type =
        activityToken != nil ? "liveactivity" : Self.isShown(json) ? "alert" : "background"
      headers["apns-push-type"] = headers["apns-push-type"] ?? type
      return headers
    case .webPush:
      let urgency = Self.headers(of: json["webpush"])["urgency"]
      return urgency.map { $0.hasSuffix("low") ? ["urgency": $0] : [:] } ?? [:]
    case .direct: return [:]
    }
  }

  // MARK: Apple

  /// The token of the Live Activity that a message updates in place of the app; nil for all others.
  var activityToken: String? { json["apns"]?["live_activity_token"]?.string }

  /// Returns the address that the message goes to, for a registration's address.
  func address(_ address: PushAddress) -> PushAddress {
    guard case .apns(_, let environment, let bundle) = address, let activityToken else {
      return address
    }
    return .apns(token: activityToken, environment: environment, bundle: bundle)
  }

  /// Returns true if an Apple device shows or plays something of a message.
  static func isShown(_ message: JSONValue) -> Bool {
    let aps = message["apns"]?["payload"]?["aps"]
    return (alert(of: message) ?? aps?["sound"] ?? aps?["badge"]) != nil
  }

  /// The alert on an Apple device: the platform's own over the notification; nil without either.
  private static func alert(of message: JSONValue) -> JSONValue? {
    let generic = message["notification"]?.members ?? []
    let members = generic.filter { $0.key == "title" || $0.key == "body" }
    guard let own = message["apns"]?["payload"]?["aps"]?["alert"] else {
      return members.isEmpty ? nil : .object(members)
    }
    return own.members.map { merge(.object(members), $0) } ?? own
  }

  private func applePayload(_ context: PayloadContext) -> JSONValue {
    let own = json["apns"]?["payload"]?.members ?? []
    var members = [JSONValue.Member("aps", aps)]
    members += own.filter { $0.key != "aps" }
    members += (json["data"]?.members ?? []).filter { data in
      !members.contains { $0.key == data.key }
    }
    members += [
      .init("gcm.message_id", .string(context.messageID)),
      .init(Self.senderKey, .string(Self.senderID(of: context.appID) ?? context.project)),
      .init(Self.installationKey, .string(context.installation)),
      .init("from", .string(context.sender)),
    ]
    // Every notification counts for Analytics, and a message with a label does.
    let label = json["apns"]?["fcm_options"]?["analytics_label"]?.string ?? self.label
    if label != nil || json["notification"] != nil || aps["alert"] != nil {
      members.append(.init("google.c.a.e", .string("1")))
    }
    if let label { members.append(.init("google.c.a.m_l", .string(label))) }
    if let image = appleImage {
      members.append(.init("fcm_options", .object([.init("image", .string(image))])))
    }
    return .object(members)
  }

  private var appleImage: String? {
    json["apns"]?["fcm_options"]?["image"]?.string ?? json["notification"]?["image"]?.string
  }

  private var aps: JSONValue {
    let own = json["apns"]?["payload"]?["aps"]
    var members = (own?.members ?? []).filter { $0.key != "alert" }
    if let alert = Self.alert(of: json) { members.insert(.init("alert", alert), at: 0) }
    let names = Set(members.map(\.key))
    if appleImage != nil, !names.contains("mutable-content") {
      members.append(.init("mutable-content", .integer(1)))
    }
    if members.isEmpty { members.append(.init("content-available", .integer(1))) }
    return .object(members)
  }

  // MARK: The web, and clients that connect

  /// The web's payload, with what the message says of Apple's background work, from which clients that connect make the
  /// dictionary that Apple's get.
  private func directPayload(_ context: PayloadContext) -> JSONValue {
    let aps = json["apns"]?["payload"]?["aps"]
    let flags = [
      ("content-available", "content_available"), ("mutable-content", "mutable_content"),
    ].filter { aps?[$0.0]?.integer == 1 }
    return Self.merge(
      webPayload(context, priority: options(.direct).priority),
      flags.map { .init($0.1, .boolean(true)) }
    )
  }

  private func webPayload(
    _ context: PayloadContext,
    priority: PushParcel.Priority
  ) -> JSONValue {
    let own = json["webpush"]
    let notification = Self.merge(json["notification"], own?["notification"]?.members ?? [])
    let data = Self.merge(json["data"], own?["data"]?.members ?? [])
    let link = own?["fcm_options"]?["link"]
    let label = own?["fcm_options"]?["analytics_label"]?.string ?? self.label
    let options = [
      link.map { JSONValue.Member("link", $0) },
      label.map { JSONValue.Member("analytics_label", .string($0)) },
    ].compactMap(\.self)
    var members: [JSONValue.Member] = [
      .init("from", .string(context.sender)),
      .init("fcmMessageId", .string(context.messageID)),
      .init("priority", .string(priority == .high ? "high" : "normal")),
    ]
    if let key = self.options(.webPush).collapseKey {
      members.append(.init("collapse_key", .string(key)))
    }
    if notification.members?.isEmpty == false {
      members.append(.init("notification", notification))
    }
    if data.members?.isEmpty == false { members.append(.init("data", data)) }
    if !options.isEmpty { members.append(.init("fcmOptions", .object(options))) }
    return .object(members)
  }

  /// An object with some of its members replaced and others added.
  private static func merge(_ base: JSONValue?, _ members: [JSONValue.Member]) -> JSONValue {
    let names = Set(members.map { Text($0.key) })
    let kept = (base?.members ?? []).filter { !names.contains(Text($0.key)) }
    return .object(kept + members)
  }
}
