import BaseText
import KeyValueStore

/// Reads all of messaging and says where it does not fit together.
package enum MessagingVerification {
  /// The numbers of what was found.
  package struct Seen: Sendable {
    /// Messages that are stored in full; summaries of old messages do not count.
    package var messages = 0
    /// Deliveries of those messages, in every state.
    package var deliveries = 0
    /// Registrations, with those that ended and are still kept.
    package var registrations = 0
  }

  /// Reports each difference, in words, and returns the number of checked items; blocks for as long
  /// as reading everything takes.
  package static func verify(
    _ service: PushService,
    difference: (String) throws -> Void
  ) throws -> Seen {
    try service.reading { reader in
      var seen = Seen()
      try messages(reader, &seen, difference)
      try slots(reader, .lane, difference)
      try slots(reader, .held, difference)
      try mailboxes(reader, difference)
      try registrations(reader, &seen, difference)
      try members(reader, difference)
      try resources(reader, difference)
      return seen
    }
  }

  /// Counts of messages against their deliveries, and the slots of those that wait.
  private static func messages(
    _ reader: any KeyValueReader,
    _ seen: inout Seen,
    _ difference: (String) throws -> Void
  ) throws {
    let cursor = try reader.cursor(over: MessagingKey(.message).range, reversed: false)
    while try cursor.next() {
      let (project, _) = try MessagingKey.project(of: cursor.key)
      let id = try MessagingKey.number(in: cursor.key)
      seen.messages += 1
      var counts = MessageCounts()
      let prefix = MessagingKey(.delivery, project, id)
      let deliveries = try reader.cursor(over: prefix.range, reversed: false)
      while try deliveries.next() {
        let delivery = try Delivery(decoding: deliveries.value)
        let number = try MessagingKey.number(in: deliveries.key)
        if !delivery.isSole { counts[delivery.channel, delivery.state] += 1 }
        seen.deliveries += 1
        guard delivery.hasSlot else { continue }
        let slot = slot(of: delivery, project, id, number)
        if try reader.get(slot) == nil {
          try difference("message 0:\(id): a delivery that waits has no slot")
        }
      }
      let kept = try reader.get(MessagingKey(.counts, project, id).bytes).map {
        try MessageCounts(decoding: $0)
      }
      // One that is being deleted has lost them first.
      let message = try StoredMessage(decoding: cursor.value, project: project, id: id)
      let deadline = MessagingKey.timed(.deadline, message.lastDeadline, id)
      let mayLackCounts = try reader.get(deadline) == nil
      if kept.map({ $0 != counts }) ?? (!mayLackCounts && counts != MessageCounts()) {
        try difference("message 0:\(id): its counts are not those of its deliveries")
      }
    }
  }

  private static func slot(
    of delivery: Delivery,
    _ project: Text,
    _ id: Int64,
    _ number: Int64
  ) -> [UInt8] {
    if delivery.isHeld { return MessagingKey.held(until: delivery.slot, id, number) }
    return delivery.channel == .direct
      ? MessagingKey(.mailbox, project, number, delivery.slot).bytes
      : MessagingKey.lane(delivery.lane, due: delivery.slot, id, number)
  }

  /// Entries of lanes, and of those that are held, against pending deliveries.
  private static func slots(
    _ reader: any KeyValueReader,
    _ kind: MessagingKey.Kind,
    _ difference: (String) throws -> Void
  ) throws {
    let cursor = try reader.cursor(over: MessagingKey(kind).range, reversed: false)
    while try cursor.next() {
      let project = try ProjectValue(decoding: cursor.value).project
      let due = try MessagingKey.number(in: cursor.key, fromEnd: 2)
      let id = try MessagingKey.number(in: cursor.key, fromEnd: 1)
      let number = try MessagingKey.number(in: cursor.key)
      let key = MessagingKey(.delivery, project, id, number).bytes
      let delivery = try reader.get(key).map { try Delivery(decoding: $0) }
      let isRight = delivery?.slot == due && delivery?.isHeld == (kind == .held)
      if delivery?.state != .waiting || !isRight {
        try difference("message 0:\(id): an entry under \(kind) is of no delivery that waits")
      }
    }
  }

  private static func mailboxes(
    _ reader: any KeyValueReader,
    _ difference: (String) throws -> Void
  ) throws {
    var counts: [MailboxID: Int64] = [:]
    let entries = try reader.cursor(over: MessagingKey(.mailbox).range, reversed: false)
    while try entries.next() {
      let (project, _) = try MessagingKey.project(of: entries.key)
      let number = try MessagingKey.number(in: entries.key, fromEnd: 1)
      let id = try NumberValue.decode(entries.value)
      counts[MailboxID(project: project, number: number), default: 0] += 1
      let key = MessagingKey(.delivery, project, id, number).bytes
      let delivery = try reader.get(key).map { try Delivery(decoding: $0) }
      let sequence = try MessagingKey.number(in: entries.key)
      if delivery?.hasSlot != true || delivery?.slot != sequence {
        try difference("message 0:\(id): an entry of a mailbox is of no delivery that waits")
      }
    }
    let heads = try reader.cursor(over: MessagingKey(.mailboxHead).range, reversed: false)
    while try heads.next() {
      let (project, _) = try MessagingKey.project(of: heads.key)
      let number = try MessagingKey.number(in: heads.key)
      let head = try MailboxHead(decoding: heads.value)
      let count = counts.removeValue(forKey: MailboxID(project: project, number: number)) ?? 0
      if head.count != count {
        try difference("registration \(number): \(head.count) messages are counted, \(count) wait")
      }
    }
    for mailbox in counts.keys {
      try difference("registration \(mailbox.number): a mailbox has no head")
    }
  }

  /// Registrations against their tokens and the numbers of their projects.
  private static func registrations(
    _ reader: any KeyValueReader,
    _ seen: inout Seen,
    _ difference: (String) throws -> Void
  ) throws {
    var live: [Text: Int64] = [:]
    let cursor = try reader.cursor(over: MessagingKey(.registration).range, reversed: false)
    while try cursor.next() {
      let (project, _) = try MessagingKey.project(of: cursor.key)
      let number = try MessagingKey.number(in: cursor.key)
      let known = try Registration(decoding: cursor.value, project: project, number: number)
      seen.registrations += 1
      let token = try reader.get(MessagingKey(.token, bytes: known.tokenHash).bytes)
      if try token.map({ try ProjectValue(decoding: $0).number }) != number {
        try difference("registration \(number): its token leads elsewhere")
      }
      if known.gone == nil { live[project, default: 0] += 1 }
    }
    // A directory from before the number was kept gets it with its next registration.
    let total = try reader.get(MessagingKey(.total).bytes).map { try NumberValue.decode($0) }
    if let total, total != seen.registrations {
      try difference("\(total) registrations are counted in all, \(seen.registrations) are there")
    }
    let projects = try reader.cursor(over: MessagingKey(.project).range, reversed: false)
    while try projects.next() {
      let (project, _) = try MessagingKey.project(of: projects.key)
      let record = try ProjectRecord(decoding: projects.value)
      let count = live[project] ?? 0
      if record.registrations != count {
        try difference(
          "project \(project): \(record.registrations) registrations are counted, \(count) are there"
        )
      }
    }
  }

  /// Members of topics against the topics of registrations.
  private static func members(
    _ reader: any KeyValueReader,
    _ difference: (String) throws -> Void
  ) throws {
    var (left, right) = (0, 0)
    let members = try reader.cursor(over: MessagingKey(.member).range, reversed: false)
    while try members.next() {
      let (project, _) = try MessagingKey.project(of: members.key)
      let topic = try MessagingKey.text(behindProjectIn: members.key)
      let number = try MessagingKey.number(in: members.key)
      left += 1
      let key = MessagingKey(.membership, project, number).bytes + Array(topic.utf8)
      if try reader.get(key) == nil {
        try difference("topic \(topic): registration \(number) does not know of it")
      }
    }
    let memberships = try reader.cursor(over: MessagingKey(.membership).range, reversed: false)
    while try memberships.next() { right += 1 }
    if left != right {
      try difference("\(left) subscriptions are kept by topic, \(right) by registration")
    }
  }

  /// Push resources against those that registrations have.
  private static func resources(
    _ reader: any KeyValueReader,
    _ difference: (String) throws -> Void
  ) throws {
    var (known, own) = (0, 0)
    let resources = try reader.cursor(over: MessagingKey(.resource).range, reversed: false)
    while try resources.next() {
      known += 1
      let resource = try PushResource(decoding: resources.value)
      let key = MessagingKey(.ownResource, resource.project, resource.registration)
        .text(resource.name).bytes
      if try reader.get(key).map({ Array($0) }) != Array(resources.key.dropFirst(2)) {
        try difference("registration \(resource.registration): a push resource is not its own")
      }
    }
    let owned = try reader.cursor(over: MessagingKey(.ownResource).range, reversed: false)
    while try owned.next() { own += 1 }
    if known != own {
      try difference("\(known) push resources are kept, registrations have \(own)")
    }
  }
}
