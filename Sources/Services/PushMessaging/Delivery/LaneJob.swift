import FirestoreModel
import KeyValueStore

/// A delivery that is due in a lane, with what is needed to hand it over.
struct LaneJob: Sendable {
  /// What is to be done with it.
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

  init(
    _ key: [UInt8],
    _ entry: ProjectValue,
    _ ids: (message: Int64, registration: Int64),
    _ message: StoredMessage?,
    now: Int64,
    _ reader: any KeyValueReader
  ) throws {
    self.key = key
    project = entry.project
    self.message = ids.message
    registration = ids.registration
    attempt = entry.number + 1
    let known = try Registration.read(project, registration, reader)
    let deliveryKey = MessagingKey(.delivery, project, ids.message, registration).bytes
    let delivery = try reader.get(deliveryKey).map { try Delivery(decoding: $0) }
    renewed = known?.renewed ?? 0
    guard let delivery, delivery.state == .waiting, let message else {
      (deadline, action) = (0, .drop)
      return
    }
    deadline = message.deadline(delivery.channel)
    action = try Self.action(delivery, message, known, attempt: attempt, now: now, reader)
  }

  private static func action(
    _ delivery: Delivery,
    _ message: StoredMessage,
    _ registration: Registration?,
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
    if case .topic(let topic) = message.target {
      let key = PushService.memberKey(message.project, topic).number(registration.number).bytes
      guard try reader.get(key) != nil else { return .settle(.refused, reason: "unsubscribed") }
    }
    let record = try PushService.record(of: message.project, reader)
    guard let credentials = PushService.credentials(for: registration.address, of: record) else {
      return .settle(.refused, reason: "no-credentials")
    }
    let options = message.content.options(channel)
    let left = message.start + options.timeToLive * 1_000_000 - now
    let context = message.payloadContext(for: registration)
    return .hand(
      PushParcel(
        messageID: message.name,
        sender: message.project,
        address: registration.address,
        credentials: credentials,
        payload: message.content.payload(channel, context),
        headers: message.content.headers(channel),
        collapseKey: options.collapseKey,
        priority: options.priority,
        timeToLive: .microseconds(max(left, 0)),
        attempt: Int(attempt)
      )
    )
  }
}
