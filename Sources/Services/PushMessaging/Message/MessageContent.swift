import BaseJSON
import KeyValueStore

/// The options of a message's delivery by one channel.
package struct DeliveryOptions: Sendable, Equatable {
  /// The priority that the message asks for, or else the platform's default.
  package var priority: PushParcel.Priority
  /// Seconds.
  package var timeToLive: Int64
  /// A key by which a newer message replaces a pending one; nil for a message that replaces none.
  package var collapseKey: String?
}

/// The content of a message, without its recipients, in the form of the API with names in snake
/// case; with it `options`, which are the channels' own, in the order of `PushChannel`.
package struct MessageContent: Sendable, Equatable {
  /// The message's members, followed by `options`.
  package let json: JSONValue
  /// The same as bytes, as it is stored.
  let bytes: [UInt8]
  private let byChannel: [DeliveryOptions]

  /// The content of a message's members, which were checked; absolute times count from `now` in microseconds.
  init(_ members: [JSONValue.Member], now: Int64) {
    let message = JSONValue.object(members)
    self.init(members, PushChannel.allCases.map { Self.options($0, of: message, now: now) })
  }

  /// A content that is delivered in the same way by every way.
  init(_ members: [JSONValue.Member], options: DeliveryOptions) {
    self.init(members, PushChannel.allCases.map { _ in options })
  }

  private init(_ members: [JSONValue.Member], _ byChannel: [DeliveryOptions]) {
    self.byChannel = byChannel
    let options = byChannel.map { options in
      JSONValue.array(
        [.integer(options.priority.rawValue), .integer(options.timeToLive)]
          + (options.collapseKey.map { [.string($0)] } ?? [])
      )
    }
    json = .object(members + [.init("options", .array(options))])
    bytes = json.compactBytes
  }

  /// A content that was stored as those bytes.
  init(stored bytes: [UInt8]) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw RecordReader.corrupt("text that is not UTF-8")
    }
    self.bytes = bytes
    json = try JSONValue(parsing: text)
    let stored = json["options"]?.elements ?? []
    byChannel = PushChannel.allCases.map { channel in
      let index = Int(channel.rawValue)
      let parts = index < stored.count ? stored[index].elements ?? [] : []
      return DeliveryOptions(
        priority: parts.first?.integer == 0 ? .high : .normal,
        timeToLive: parts.count > 1 ? parts[1].integer ?? 0 : 0,
        collapseKey: parts.count > 2 ? parts[2].string : nil
      )
    }
  }

  /// Returns the options of the message's delivery by a channel.
  package func options(_ channel: PushChannel) -> DeliveryOptions {
    byChannel[Int(channel.rawValue)]
  }

  private static func options(
    _ channel: PushChannel,
    of message: JSONValue,
    now: Int64
  ) -> DeliveryOptions {
    switch channel {
    case .apns: appleOptions(message, now: now)
    case .webPush: webOptions(message)
    case .direct: androidOptions(message) ?? webOptions(message)
    }
  }

  private static func appleOptions(_ message: JSONValue, now: Int64) -> DeliveryOptions {
    let headers = headers(of: message["apns"])
    var life = OutgoingMessage.longestLife
    if let expiration = headers["apns-expiration"].flatMap({ Int64($0) }) {
      life = min(max(expiration - now / 1_000_000, 0), life)
    }
    let priority = headers["apns-priority"] ?? (isShown(message) ? "10" : "5")
    return DeliveryOptions(
      priority: priority == "10" ? .high : .normal,
      timeToLive: life,
      collapseKey: key(headers["apns-collapse-id"])
    )
  }

  private static func webOptions(_ message: JSONValue) -> DeliveryOptions {
    let headers = headers(of: message["webpush"])
    let other = androidOptions(message)
    let life = headers["ttl"].flatMap { Int64($0) } ?? other?.timeToLive
    let urgency = headers["urgency"].map { $0 == "high" ? PushParcel.Priority.high : .normal }
    return DeliveryOptions(
      priority: urgency ?? other?.priority ?? .normal,
      timeToLive: min(max(life ?? OutgoingMessage.longestLife, 0), OutgoingMessage.longestLife),
      collapseKey: key(headers["topic"]) ?? other?.collapseKey
    )
  }

  private static func androidOptions(_ message: JSONValue) -> DeliveryOptions? {
    guard let android = message["android"] else { return nil }
    let life = android["ttl"]?.string.flatMap(MessageShape.seconds)
    return DeliveryOptions(
      priority: android["priority"]?.string == "HIGH" ? .high : .normal,
      timeToLive: life.map { Int64($0.rounded(.up)) } ?? OutgoingMessage.longestLife,
      collapseKey: key(android["collapse_key"]?.string)
    )
  }

  private static func key(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

  /// A platform's header fields with lower-case names.
  static func headers(of platform: JSONValue?) -> [String: String] {
    let members = platform?["headers"]?.members ?? []
    let pairs = members.compactMap { member in
      member.value.string.map { (member.key.lowercased(), $0) }
    }
    return Dictionary(pairs) { _, last in last }
  }

  /// The message that was sent to a push resource; nil for messages of the API.
  package var pushed: JSONValue? { json["push"] }

  /// The label by which analytics group messages.
  package var label: String? { json["fcm_options"]?["analytics_label"]?.string }
}
