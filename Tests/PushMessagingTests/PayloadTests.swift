import BaseJSON
import Testing

@testable import PushMessaging

/// Tests of the payload of a message for the devices of each platform.
@Suite struct PayloadTests {
  private static let context = PayloadContext(
    messageID: "0:1",
    sender: "shop",
    project: "shop",
    installation: "f1"
  )
  private static let now: Int64 = 1_800_000_000_000_000

  private static func content(_ json: String) throws -> MessageContent {
    let message = try OutgoingMessage(
      json: try JSONValue(parsing: json),
      recipient: .user("ana"),
      now: now
    )
    return message.content
  }

  /// The payload without what every one has.
  private static func apple(_ content: MessageContent) -> String {
    let common: Set<String> = ["gcm.message_id", "google.c.sender.id", "google.c.fid", "from"]
    let members = content.payload(.apns, context).members ?? []
    return JSONValue.object(members.filter { !common.contains($0.key) }).compact
  }

  @Test(arguments: [
    (
      #"{"notification": {"title": "T", "body": "B"}}"#,
      #"{"aps":{"alert":{"title":"T","body":"B"}},"google.c.a.e":"1"}"#, "alert", "high"
    ),
    (#"{"data": {"k": "v"}}"#, #"{"aps":{"content-available":1},"k":"v"}"#, "background", "normal"),
    (
      #"{"notification": {"title": "T", "image": "https://i"}}"#,
      #"{"aps":{"alert":{"title":"T"},"mutable-content":1},"google.c.a.e":"1","#
        + #""fcm_options":{"image":"https://i"}}"#,
      "alert", "high"
    ),
    (
      #"""
      {"notification": {"title": "T", "body": "B"},
       "apns": {"payload": {"aps": {"alert": {"body": "X", "loc-key": "L"}, "badge": 3}, "own": [1]}}}
      """#,
      #"{"aps":{"alert":{"title":"T","body":"X","loc-key":"L"},"badge":3},"own":[1],"#
        + #""google.c.a.e":"1"}"#, "alert", "high"
    ),
    (
      #"{"apns": {"payload": {"aps": {"alert": "Hi"}}, "headers": {"apns-priority": "5"}}}"#,
      #"{"aps":{"alert":"Hi"},"google.c.a.e":"1"}"#, "alert", "normal"
    ),
    (
      #"{"fcmOptions": {"analyticsLabel": "l"}, "apns": {"payload": {"aps": {"sound": "s"}}}}"#,
      #"{"aps":{"sound":"s"},"google.c.a.e":"1","google.c.a.m_l":"l"}"#, "alert", "high"
    ),
  ])
  func `an Apple device gets what the message says`(
    json: String,
    payload: String,
    type: String,
    priority: String
  ) throws {
    let content = try Self.content(json)
    #expect(Self.apple(content) == payload)
    #expect(content.headers(.apns)["apns-push-type"] == type)
    #expect("\(content.options(.apns).priority)" == priority)
  }

  @Test func `what every Apple device gets`() throws {
    let payload = try Self.content("{}").payload(.apns, Self.context)
    #expect(payload["gcm.message_id"]?.string == "0:1")
    #expect(payload["google.c.sender.id"]?.string == "shop" && payload["from"]?.string == "shop")
    #expect(payload["google.c.fid"]?.string == "f1")
  }

  @Test(arguments: PushChannel.allCases)
  func `a payload that was made for nobody is each installation's`(channel: PushChannel) throws {
    let content = try Self.content(
      #"{"notification": {"title": "a"}, "data": {"k": "v"}, "apns": {"payload": {"x": 1}}}"#
    )
    var nobody = Self.context
    nobody.installation = ""
    let made = MessageContent.payload(content.payload(channel, nobody), for: "f1", of: "shop")
    #expect(made == content.payload(channel, Self.context))
  }

  @Test(arguments: [
    ("1:42:ios:ab", "42"), ("br.shop", "shop"), ("1::ios:ab", "shop"), ("1:4a:ios:ab", "shop"),
    ("1:42:ios", "shop"), ("", "shop"),
  ])
  func `an app knows its sender by the number in its id`(appID: String, sender: String) throws {
    let content = try Self.content(#"{"data": {"k": "google.c.sender.id"}}"#)
    let made = MessageContent.payload(content.payload(.apns, Self.context), for: "f1", of: appID)
    #expect(made["google.c.sender.id"]?.string == sender && made["google.c.fid"]?.string == "f1")
    var known = Self.context
    known.appID = appID
    #expect(made == content.payload(.apns, known))
    // Of the web's payload, which says nothing of a sender, nothing changes.
    let web = content.payload(.webPush, Self.context)
    #expect(MessageContent.payload(web, for: "f1", of: appID) == web)
  }

  @Test func `the order message of the legacy form`() throws {
    let json = #"""
      {"to": "a:b", "priority": "high", "content_available": true, "collapse_key": "order", "time_to_live": 60,
       "notification": {"title": "Provedor", "body": "Status", "badge": "2", "click_action": "ORDER",
                        "orderInfo": {"orderID": 12, "newOrderStatus": "PAID"}}}
      """#
    let message = try LegacyMessage(try JSONValue(parsing: json), now: Self.now)
    let content = try message.content.get()
    #expect(
      Self.apple(content)
        == #"{"aps":{"alert":{"title":"Provedor","body":"Status"},"badge":2,"category":"ORDER","#
        + #""content-available":1},"gcm.notification.orderInfo":"#
        + #""{\"orderID\":12,\"newOrderStatus\":\"PAID\"}","google.c.a.e":"1"}"#
    )
    for channel in PushChannel.allCases {
      let options = content.options(channel)
      #expect(options == DeliveryOptions(priority: .high, timeToLive: 60, collapseKey: "order"))
    }
    let direct = content.payload(.direct, Self.context)
    #expect(direct["content_available"]?.boolean == true && direct["mutable_content"] == nil)
    #expect(content.payload(.webPush, Self.context)["content_available"] == nil)
    let shown = direct["notification"]
    #expect(shown?["orderInfo"]?.string == #"{"orderID":12,"newOrderStatus":"PAID"}"#)
  }

  @Test(arguments: [
    (#"{"to": "a:b", "data": {"from": "x"}}"#, MessagingError.Kind.dataKey),
    (#"{"to": "a:b", "time_to_live": 2419201}"#, .timeToLive),
    (#"{"to": "a:b", "time_to_live": "soon"}"#, .timeToLive),
  ])
  func `what is wrong with a message in the legacy form`(
    json: String,
    kind: MessagingError.Kind
  ) throws {
    let message = try LegacyMessage(try JSONValue(parsing: json), now: Self.now)
    let error = #expect(throws: MessagingError.self) { try message.content.get() }
    #expect(error?.kind == kind)
  }

  @Test func `a group of devices is refused by its name`() throws {
    let json = try JSONValue(parsing: #"{"notification_key": "k", "data": {"k": "v"}}"#)
    let error = #expect(throws: MessagingError.self) { try LegacyMessage(json, now: Self.now) }
    #expect(error?.violations.map(\.field) == ["notification_key"])
  }

  /// The largest text for which a message of a form is taken.
  private static func largest(_ form: (String) -> String) throws -> Int {
    var (fits, tooBig) = (0, 5_000)
    while tooBig - fits > 1 {
      let size = (fits + tooBig) / 2
      let json = try JSONValue(parsing: form(String(repeating: "x", count: size)))
      do throws(MessagingError) {
        _ = try OutgoingMessage(json: json, recipient: .user("ana"), now: now)
        fits = size
      } catch {
        #expect(error.message == "Message is too large. The maximum is 4K (4096 bytes).")
        tooBig = size
      }
    }
    return fits
  }

  @Test func `data and notification have 4,096 bytes, whatever is wrapped around them`() throws {
    #expect(try Self.largest { #"{"data": {"k": "\#($0)"}}"# } == 4_095)
    #expect(try Self.largest { #"{"notification": {"body": "\#($0)"}}"# } == 4_092)
    #expect(
      try Self.largest { #"{"data": {"k": "\#($0)"}, "notification": {"body": "12"}}"# } == 4_089
    )
    let options =
      #""android": {"priority": "HIGH", "ttl": "60s"}, "apns": {"headers": {"apns-priority": "5"}}"#
    #expect(try Self.largest { #"{"data": {"k": "\#($0)"}, \#(options)}"# } == 4_095)
    // A platform's own data stands in the place of that for all, and counts in it.
    #expect(
      try Self.largest { #"{"data": {"k": "1"}, "webpush": {"data": {"k": "\#($0)"}}}"# } == 4_095
    )
    #expect(
      try Self.largest { #"{"data": {"k": "1"}, "android": {"data": {"j": "\#($0)"}}}"# } == 4_093
    )
    #expect(try Self.largest { #"{"apns": {"payload": {"k": "\#($0)"}}}"# } == 4_095)
  }

  @Test(arguments: [
    (#"{}"#, PushParcel.Priority.normal, Int64(2_419_200), String?.none),
    (#"{"android": {"ttl": "3.5s", "priority": "high", "collapse_key": "k"}}"#, .high, 4, "k"),
    (
      #"{"webpush": {"headers": {"TTL": "9", "urgency": "high", "Topic": "t"}}, "android": {"ttl": "1s"}}"#,
      .high, 9, "t"
    ),
    (#"{"webpush": {"headers": {"Urgency": "very-low"}}}"#, .normal, 2_419_200, nil),
  ])
  func `how a message goes to browsers`(
    json: String,
    priority: PushParcel.Priority,
    life: Int64,
    key: String?
  ) throws {
    let options = try Self.content(json).options(.webPush)
    #expect(options == DeliveryOptions(priority: priority, timeToLive: life, collapseKey: key))
  }

  @Test func `an Apple expiration is counted from when the message is accepted`() throws {
    let end = Self.now / 1_000_000 + 90
    let json = #"{"apns": {"headers": {"apns-expiration": "\#(end)", "apns-collapse-id": "c"}}}"#
    let options = try Self.content(json).options(.apns)
    #expect(options.timeToLive == 90 && options.collapseKey == "c")
    let past = #"{"apns": {"headers": {"apns-expiration": "0"}}}"#
    #expect(try Self.content(past).options(.apns).timeToLive == 0)
  }

  @Test func `a content survives being stored`() throws {
    let json = #"{"data": {"k": "é"}, "android": {"ttl": "7s", "collapse_key": "k"}}"#
    let content = try Self.content(json)
    let read = try MessageContent(stored: content.bytes)
    #expect(read == content && read.options(.direct).timeToLive == 7)
  }
}
