import BaseJSON
import BaseText
import KeyValueStore

/// A push resource of RFC 8030: a URL by which anybody who was given it sends to one client that connects to us.
package struct PushResource: Sendable, Equatable {
  /// The id of the project of the client's registration.
  package let project: Text
  /// The registration whose mailbox takes what is sent.
  let registration: Int64
  /// The client's name for the resource, which its messages carry.
  package let name: String
  /// The only VAPID key that may send (RFC 8292, 4); nil allows all.
  package let vapidKey: [UInt8]?
  /// The origin of the URL that the client received, for which senders' tokens are valid; nil if
  /// none was stored yet.
  package let origin: String?

  init(
    project: Text,
    registration: Int64,
    name: String,
    vapidKey: [UInt8]?,
    origin: String?
  ) {
    self.project = project
    self.registration = registration
    self.name = name
    self.vapidKey = vapidKey
    self.origin = origin
  }

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    var (project, number, name) = ("", Int64(0), "")
    var key: [UInt8]?
    var origin: String?
    while let field = try reader.next() {
      switch field.tag {
      case 1: project = try field.string()
      case 2: number = try field.number()
      case 3: name = try field.string()
      case 4: key = field.raw
      case 5: origin = try field.string()
      default: break
      }
    }
    self.init(
      project: Text(project),
      registration: number,
      name: name,
      vapidKey: key,
      origin: origin
    )
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, project.string)
    writer.put(2, registration)
    writer.put(3, name)
    writer.put(4, bytes: vapidKey)
    if let origin { writer.put(5, origin) }
    return writer.bytes
  }
}

/// A message that was sent to a push resource, as its header fields say (RFC 8030, 5).
package struct PushedMessage: Sendable {
  /// The urgency with which the client is to have it.
  package enum Urgency: String, Sendable {
    case veryLow = "very-low"
    case low, normal, high
  }

  /// In the encoding "aes128gcm", which only the client opens; empty is a message without content.
  package let body: [UInt8]
  /// Seconds, at most `OutgoingMessage.longestLife`.
  package let timeToLive: Int64
  /// The header field `Urgency`; only `high` raises the delivery's priority.
  package let urgency: Urgency
  /// A newer message of the topic takes the place of one that waits.
  package let topic: String?

  /// Bytes of a body.
  package static let bodyLimit = 4_096
  private static let topicLimit = 32

  /// A message of those parts; INVALID_ARGUMENT for a negative lifetime or an invalid topic.
  package init(
    body: [UInt8],
    timeToLive: Int64,
    urgency: Urgency,
    topic: String?
  ) throws(MessagingError) {
    guard timeToLive >= 0 else { throw .invalid("TTL", "TTL must be a number of seconds.") }
    if let topic {
      guard topic.utf8.count <= Self.topicLimit, topic.isURLSafe else {
        throw .invalid("Topic", "A topic must have 1 to \(Self.topicLimit) base64url characters.")
      }
    }
    self.body = body
    self.timeToLive = min(timeToLive, OutgoingMessage.longestLife)
    self.urgency = urgency
    self.topic = topic
  }

  /// Returns the content that is stored, for the client of a resource.
  func content(for resource: PushResource) -> MessageContent {
    let pushed = JSONValue.object([
      .init("resource", .string(resource.name)), .init("encoding", .string("aes128gcm")),
      .init("body", .string(Base64.url(body))),
    ])
    let options = DeliveryOptions(
      priority: urgency == .high ? .high : .normal,
      timeToLive: timeToLive,
      collapseKey: topic.map { "push \(resource.name) \($0)" }
    )
    return MessageContent([.init("push", pushed)], options: options)
  }
}
