import FirestoreModel

/// What a payload says beside a message's content.
struct PayloadContext {
  var messageID: String
  /// The topic, or the project.
  var sender: String
  var project: String
  var installation: String

  /// As large as it comes for messages of a sender, for bounds: ids of messages have 18 characters and those of installations 22;
  /// a project's has 30 at most.
  static func largest(sender: String?) -> PayloadContext {
    let project = String(repeating: "p", count: 30)
    return PayloadContext(
      messageID: StoredMessage.name(of: 9_999_999_999_999_999),
      sender: sender ?? project,
      project: project,
      installation: String(repeating: "i", count: 22)
    )
  }
}

extension MessageContent {
  /// What a payload has beside what the message says, at most, in bytes.
  private static let frame = 512

  /// Throws INVALID_ARGUMENT where a payload of the message would be too large for a platform.
  ///
  /// No payload says anything twice, so that of a small message need not be made.
  ///
  /// - Parameter sender: What devices see as the sender; nil where it is the project.
  func checkSize(sender: String?) throws(MessagingError) {
    let rest = Self.frame + (sender?.utf8.count ?? 0)
    guard bytes.count + rest > PushChannel.webPush.payloadLimit else { return }
    for channel in PushChannel.allCases {
      let size = payload(channel, .largest(sender: sender)).compactBytes.count
      guard size <= channel.payloadLimit else {
        let message =
          "The message is too big: its payload for \(channel.name) has \(size) bytes, at most "
          + "\(channel.payloadLimit) are allowed."
        throw .invalid("message", message, .tooBig)
      }
    }
  }

  /// What the device gets.
  func payload(_ channel: PushChannel, _ context: PayloadContext) -> JSONText {
    switch channel {
    case .apns: applePayload(context)
    case .webPush, .direct: webPayload(context, priority: options(channel).priority)
    }
  }

  /// A payload as an installation gets it, made of one that is for nobody.
  static func payload(_ payload: JSONText, for installation: String) -> JSONText {
    guard case .object(var members) = payload,
      let index = members.lastIndex(where: { $0.key == installationKey })
    else { return payload }
    members[index] = .init(installationKey, .string(installation))
    return .object(members)
  }

  private static let installationKey = "google.c.fid"

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

  /// Where the message goes of a registration's address.
  func address(_ address: PushAddress) -> PushAddress {
    guard case .apns(_, let environment, let bundle) = address, let activityToken else {
      return address
    }
    return .apns(token: activityToken, environment: environment, bundle: bundle)
  }

  /// Whether an Apple device shows or plays something of a message.
  static func isShown(_ message: JSONText) -> Bool {
    let aps = message["apns"]?["payload"]?["aps"]
    return (alert(of: message) ?? aps?["sound"] ?? aps?["badge"]) != nil
  }

  /// The alert on an Apple device: the platform's own over the notification; nil without either.
  private static func alert(of message: JSONText) -> JSONText? {
    let generic = message["notification"]?.members ?? []
    let members = generic.filter { $0.key == "title" || $0.key == "body" }
    guard let own = message["apns"]?["payload"]?["aps"]?["alert"] else {
      return members.isEmpty ? nil : .object(members)
    }
    return own.members.map { merge(.object(members), $0) } ?? own
  }

  private func applePayload(_ context: PayloadContext) -> JSONText {
    let own = json["apns"]?["payload"]?.members ?? []
    var members = [JSONText.Member("aps", aps)]
    members += own.filter { $0.key != "aps" }
    members += (json["data"]?.members ?? []).filter { data in
      !members.contains { $0.key == data.key }
    }
    members += [
      .init("gcm.message_id", .string(context.messageID)),
      .init("google.c.sender.id", .string(context.project)),
      .init(Self.installationKey, .string(context.installation)),
      .init("from", .string(context.sender)),
    ]
    if let label = json["apns"]?["fcm_options"]?["analytics_label"]?.string ?? label {
      members += [.init("google.c.a.e", .string("1")), .init("google.c.a.m_l", .string(label))]
    }
    if let image = appleImage {
      members.append(.init("fcm_options", .object([.init("image", .string(image))])))
    }
    return .object(members)
  }

  private var appleImage: String? {
    json["apns"]?["fcm_options"]?["image"]?.string ?? json["notification"]?["image"]?.string
  }

  private var aps: JSONText {
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

  private func webPayload(
    _ context: PayloadContext,
    priority: PushParcel.Priority
  ) -> JSONText {
    let own = json["webpush"]
    let notification = Self.merge(json["notification"], own?["notification"]?.members ?? [])
    let data = Self.merge(json["data"], own?["data"]?.members ?? [])
    let link = own?["fcm_options"]?["link"]
    let label = own?["fcm_options"]?["analytics_label"]?.string ?? self.label
    let options = [
      link.map { JSONText.Member("link", $0) },
      label.map { JSONText.Member("analytics_label", .string($0)) },
    ].compactMap(\.self)
    var members: [JSONText.Member] = [
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
  private static func merge(_ base: JSONText?, _ members: [JSONText.Member]) -> JSONText {
    let names = Set(members.map { Text($0.key) })
    let kept = (base?.members ?? []).filter { !names.contains(Text($0.key)) }
    return .object(kept + members)
  }
}
