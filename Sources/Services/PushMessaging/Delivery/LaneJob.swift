import BaseJSON
import BaseText
import KeyValueStore

/// A due delivery in a lane, with the data that it needs.
struct LaneJob: Sendable {
  /// The action to take with the delivery.
  enum Action: Sendable {
    case hand(PushParcel)
    /// Nothing is to be handed over any more.
    case settle(Delivery.State, reason: String?)
    /// The entry is of a delivery that waits no more.
    case drop
  }

  let key: [UInt8]
  let project: Text
  let message: Int64
  let registration: Int64
  let attempt: Int64
  /// When the delivery expires, in microseconds.
  let deadline: Int64
  /// When the registration was last renewed.
  let renewed: Int64
  let action: Action
  /// True if it goes to a Live Activity, whose end is not the registration's.
  let isForActivity: Bool

  init(
    _ key: [UInt8],
    _ entry: ProjectValue,
    _ ids: (message: Int64, registration: Int64),
    _ batch: inout LaneBatch,
    now: Int64,
    _ reader: any KeyValueReader
  ) throws {
    self.key = key
    project = entry.project
    self.message = ids.message
    registration = ids.registration
    attempt = entry.number + 1
    let stored = try batch.message(ids.message, of: project, reader)
    let known = try Registration.read(project, registration, reader)
    let deliveryKey = MessagingKey(.delivery, project, ids.message, registration).bytes
    let delivery = try reader.get(deliveryKey).map { try Delivery(decoding: $0) }
    renewed = known?.renewed ?? 0
    isForActivity = stored?.content.activityToken != nil
    guard let delivery, delivery.state == .waiting, !delivery.isHeld,
      let message = stored?.started(at: delivery.start)
    else {
      (deadline, action) = (0, .drop)
      return
    }
    deadline = message.deadline(delivery.channel)
    action = try Self.action(
      delivery,
      message,
      known,
      &batch,
      attempt: attempt,
      now: now,
      reader
    )
  }

  private static func action(
    _ delivery: Delivery,
    _ message: StoredMessage,
    _ registration: Registration?,
    _ batch: inout LaneBatch,
    attempt: Int64,
    now: Int64,
    _ reader: any KeyValueReader
  ) throws -> Action {
    let channel = delivery.channel
    guard let registration, registration.gone == nil else {
      return .settle(.gone, reason: registration?.gone?.reason)
    }
    guard now <= message.deadline(channel) else {
      return .settle(.expired, reason: delivery.reason)
    }
    guard registration.address.channel == channel else {
      return .settle(.gone, reason: "address-changed")
    }
    guard try isSubscribed(registration, to: message.target, reader) else {
      return .settle(.refused, reason: "unsubscribed")
    }
    let record = try batch.project(message.project, reader)
    guard let credentials = PushService.credentials(for: registration.address, of: record) else {
      return .settle(.refused, reason: "no-credentials")
    }
    let options = message.content.options(channel)
    let life = options.timeToLive * 1_000_000
    // A clock that went back makes no life longer.
    let left = min(max(message.start + life - now, 0), life)
    let form = batch.form(of: message, channel)
    return .hand(
      PushParcel(
        messageID: message.name,
        sender: message.project,
        address: message.content.address(registration.address),
        credentials: credentials,
        payload: MessageContent.payload(
          form.payload,
          for: registration.installation,
          of: registration.appID
        ),
        headers: form.headers,
        collapseKey: options.collapseKey,
        priority: options.priority,
        timeToLive: .microseconds(left),
        attempt: Int(attempt)
      )
    )
  }

  /// Returns true if a message to topics is still for a registration.
  private static func isSubscribed(
    _ registration: Registration,
    to target: MessageTarget,
    _ reader: any KeyValueReader
  ) throws -> Bool {
    let condition: TopicCondition
    switch target {
    case .registration, .user, .audience: return true
    case .topic(let topic): condition = .topic(topic)
    case .condition(let text):
      guard let parsed = TopicCondition(parsing: text) else { return false }
      condition = parsed
    }
    let subscribed = try condition.topics.filter { topic in
      let key = PushService.memberKey(registration.project, topic).number(registration.number)
      return try reader.get(key.bytes) != nil
    }
    return condition.holds(for: Set(subscribed))
  }
}

/// The common parts of the jobs of one read, which go by one channel; each is read and made once.
struct LaneBatch {
  /// The form of a message for devices, as one without an installation receives it.
  fileprivate struct Form {
    let payload: JSONValue
    let headers: [String: String]
  }

  private var messages: [Int64: StoredMessage] = [:]
  private var forms: [Int64: Form] = [:]
  private var projects: [Text: ProjectRecord] = [:]

  fileprivate mutating func message(
    _ id: Int64,
    of project: Text,
    _ reader: any KeyValueReader
  ) throws -> StoredMessage? {
    if let known = messages[id] { return known }
    let found = try StoredMessage.read(project, id, reader)
    messages[id] = found
    return found
  }

  fileprivate mutating func form(of message: StoredMessage, _ channel: PushChannel) -> Form {
    if let known = forms[message.id] { return known }
    let content = message.content
    let payload = content.payload(channel, message.payloadContext)
    let made = Form(payload: payload, headers: content.headers(channel))
    forms[message.id] = made
    return made
  }

  fileprivate mutating func project(
    _ project: Text,
    _ reader: any KeyValueReader
  ) throws -> ProjectRecord {
    if let known = projects[project] { return known }
    let found = try PushService.record(of: project, reader)
    projects[project] = found
    return found
  }
}
