import BaseJSON
import BaseText
import KeyValueStore

/// A message as it is kept.
package struct StoredMessage: Sendable {
  /// The stage of a message on its way to its deliveries.
  package enum Stage: UInt8, Sendable {
    /// Waits for its time.
    case scheduled = 0
    /// Its registrations are being gone through.
    case expanding = 1
    /// Every delivery is made.
    case expanded = 2
    /// Its content and its deliveries are forgotten; the counts are left.
    case summarized = 3
  }

  /// The id of the project that sent it.
  package let project: Text
  /// A version of the engine: when it was accepted.
  package let id: Int64
  /// The content as it was accepted; only its label once the message is summarized.
  package let content: MessageContent
  /// In the form of `MessageTarget.stored`.
  package let target: MessageTarget
  /// The API that it came by, as `v1` or `legacy`.
  package let origin: String
  /// The stage that the message reached last.
  package var stage: Stage
  /// The instant that its lives and deadlines count from: when it was accepted, or its scheduled
  /// time.
  package var start: Int64
  /// Registrations that subscribed later do not get it.
  var cutoff: Int64
  /// When it is sent, while it waits; later only where that is by each device's clock.
  package var schedule: MessageSchedule?
  /// The most messages of its label that one person gets; nil without a bound.
  package var cap: FrequencyCap?
  /// The id of the message that it repeats; 0 for all others.
  private(set) var original: Int64 = 0

  /// The id as devices and back ends see it.
  package var name: String { Self.name(of: id) }

  /// The id of the message that it repeats; nil for all others.
  package var originalName: String? { original == 0 ? nil : Self.name(of: original) }

  /// A message's id as text.
  package static func name(of id: Int64) -> String { "0:\(id)" }

  /// The number in a message's id; nil for a text that is none.
  package static func id(of name: some StringProtocol) -> Int64? {
    name.hasPrefix("0:") ? Int64(name.dropFirst(2)) : nil
  }

  /// When deliveries of a way expire; a life of zero has ten seconds to be handed over in.
  func deadline(_ channel: PushChannel) -> Int64 {
    start + max(content.options(channel).timeToLive, 10) * 1_000_000
  }

  /// When no delivery lives any more.
  var lastDeadline: Int64 { PushChannel.allCases.map(deadline).max() ?? start }

  /// The message as one device sees it whose clock showed its time at an instant; 0 is that of all others.
  func started(at instant: Int64) -> StoredMessage {
    var message = self
    if instant != 0 { message.start = instant }
    return message
  }

  /// The message that one which is repeated makes at a time of its schedule.
  func repeated(_ id: Int64, by schedule: MessageSchedule) -> StoredMessage {
    var message = StoredMessage(
      project: project,
      id: id,
      content: content,
      target: target,
      origin: origin,
      stage: stage,
      start: start,
      cutoff: cutoff
    )
    message.schedule = schedule.alone
    message.original = self.id
    message.cap = cap
    return message
  }

  /// The message without its content; its label, by which it is known, stays.
  var summarized: StoredMessage {
    let label = content.label.map { label in
      [JSONValue.Member("fcm_options", .object([.init("analytics_label", .string(label))]))]
    }
    var summary = StoredMessage(
      project: project,
      id: id,
      content: MessageContent(label ?? [], options: content.options(.direct)),
      target: target,
      origin: origin,
      stage: .summarized,
      start: start,
      cutoff: cutoff
    )
    (summary.schedule, summary.original) = (schedule, original)
    return summary
  }

  init(
    project: Text,
    id: Int64,
    content: MessageContent,
    target: MessageTarget,
    origin: String,
    stage: Stage,
    start: Int64,
    cutoff: Int64
  ) {
    self.project = project
    self.id = id
    self.content = content
    self.target = target
    self.origin = origin
    self.stage = stage
    self.start = start
    self.cutoff = cutoff
  }

  init(decoding value: some Collection<UInt8>, project: Text, id: Int64) throws {
    var reader = try RecordReader(Array(value))
    var (content, target, origin) = (Array("{}".utf8), "", "")
    var stage: Stage?
    var schedule: MessageSchedule?
    (start, cutoff, original) = (0, 0, 0)
    while let field = try reader.next() {
      switch field.tag {
      case 1: content = field.raw
      case 2: target = try field.string()
      case 3: origin = try field.string()
      case 4: stage = field.raw.first.flatMap(Stage.init(rawValue:))
      case 5: start = try field.number()
      case 6: cutoff = try field.number()
      case 7: schedule = try MessageSchedule(try field.record())
      case 8: original = try field.number()
      case 9: cap = try FrequencyCap(decoding: field.raw)
      default: break
      }
    }
    guard let stage, let target = MessageTarget(stored: target) else {
      throw RecordReader.corrupt("no message")
    }
    self.project = project
    self.id = id
    self.content = try MessageContent(stored: content)
    self.target = target
    self.origin = origin
    self.stage = stage
    self.schedule = schedule
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, bytes: content.bytes)
    writer.put(2, target.stored)
    writer.put(3, origin)
    writer.put(4, bytes: [stage.rawValue])
    writer.put(5, start)
    writer.put(6, cutoff)
    if let schedule { writer.put(7) { schedule.write(to: &$0) } }
    writer.put(8, original)
    writer.put(9, bytes: cap?.encoded)
    return writer.bytes
  }

  static func read(
    _ project: Text,
    _ id: Int64,
    _ reader: any KeyValueReader
  ) throws -> StoredMessage? {
    try reader.get(MessagingKey(.message, project, id).bytes).map {
      try StoredMessage(decoding: $0, project: project, id: id)
    }
  }
}

/// Whom a message is for.
package enum MessageTarget: Sendable, Equatable {
  /// A registration by its number; tokens are not kept.
  case registration(Int64)
  case topic(TopicName)
  case condition(String)
  /// Every registration of a signed-in user.
  case user(String)
  /// The registrations of installations that are in an audience when they are gone through.
  case audience(String)

  /// As text: a letter, then the value.
  var stored: String {
    switch self {
    case .registration(let number): "r\(number)"
    case .topic(let name): "t\(name.text)"
    case .condition(let text): "c\(text)"
    case .user(let uid): "u\(uid)"
    case .audience(let name): "a\(name)"
    }
  }

  init?(stored: String) {
    let rest = stored.dropFirst()
    switch stored.first {
    case "r":
      guard let number = Int64(rest) else { return nil }
      self = .registration(number)
    case "t":
      guard let name = TopicName(rest) else { return nil }
      self = .topic(name)
    case "c": self = .condition(String(rest))
    case "u": self = .user(String(rest))
    case "a": self = .audience(String(rest))
    default: return nil
    }
  }

  /// For people.
  package var description: String {
    switch self {
    case .registration(let number): "registration \(number)"
    case .topic(let name): "topic \(name.text)"
    case .condition(let text): "condition \(text)"
    case .user(let uid): "user \(uid)"
    case .audience(let name): "audience \(name)"
    }
  }

  /// The sender that devices see; nil where it is the project.
  var sender: String? {
    if case .topic(let name) = self { "/topics/\(name.text)" } else { nil }
  }
}
