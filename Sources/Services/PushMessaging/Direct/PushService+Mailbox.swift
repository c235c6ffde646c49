import FirestoreModel
import KeyValueStore

// What waits for clients that connect.

/// A message on its way to a client that is connected.
package struct MailboxEntry: Sendable {
  package let sequence: Int64
  package let messageID: String
  /// Seconds.
  package let timeToLive: Int64
  /// `message` as clients of the web get it, or `push` as it came to a push resource.
  package let content: JSONText.Member
}

/// A message that was written to a client's stream.
struct WrittenDelivery: Sendable {
  let mailbox: MailboxID
  let message: Int64
}

extension PushService {
  /// Acknowledges what a client has, and says whether messages were dropped since it connected last.
  package func beginConnection(
    _ registration: Registration,
    acknowledged: Int64
  ) async throws -> Bool {
    try await writeDeliveries { book in
      try Self.acknowledge(registration, upTo: acknowledged, &book)
      try Self.renew(registration, &book)
      let key = MessagingKey(.mailboxHead, registration.project, registration.number).bytes
      guard var head = try book.group.get(key).map({ try MailboxHead(decoding: $0) }),
        head.hasDropped
      else { return false }
      head.hasDropped = false
      try book.group.put(key, head.encoded)
      return true
    }
  }

  /// Notes once a day that the app was heard of.
  private static func renew(_ registration: Registration, _ book: inout DeliveryBook) throws {
    guard book.now - registration.renewed > 86_400_000_000,
      var known = try Registration.read(registration.project, registration.number, book.group)
    else { return }
    known.renewed = book.now
    try save(known, book.group)
  }

  /// What waits behind a sequence, the oldest first; empty where there is nothing.
  package func entries(
    of registration: Registration,
    after sequence: Int64,
    limit: Int
  ) async throws -> [MailboxEntry] {
    let now = now
    return try await read { reader in
      let prefix = MessagingKey(.mailbox, registration.project, registration.number)
      let cursor = try reader.cursor(over: prefix.range(after: sequence), reversed: false)
      var entries: [MailboxEntry] = []
      while entries.count < limit, try cursor.next() {
        let id = try NumberValue.decode(cursor.value)
        guard let message = try Self.message(id, for: registration, reader),
          now <= message.deadline(.direct)
        else { continue }
        entries.append(
          Self.entry(message, try MessagingKey.number(in: cursor.key), registration, now)
        )
      }
      return entries
    }
  }

  private static func message(
    _ id: Int64,
    for registration: Registration,
    _ reader: any KeyValueReader
  ) throws -> StoredMessage? {
    let message = try StoredMessage.read(registration.project, id, reader)
    guard message?.schedule != nil else { return message }
    let key = MessagingKey(.delivery, registration.project, id, registration.number).bytes
    let delivery = try reader.get(key).map { try Delivery(decoding: $0) }
    return message?.started(at: delivery?.start ?? 0)
  }

  private static func entry(
    _ message: StoredMessage,
    _ sequence: Int64,
    _ registration: Registration,
    _ now: Int64
  ) -> MailboxEntry {
    let life = message.content.options(.direct).timeToLive
    let passed = (now - message.start) / 1_000_000
    return MailboxEntry(
      sequence: sequence,
      messageID: message.name,
      timeToLive: min(max(life - passed, 0), life),
      content: message.content.pushed.map { .init("push", $0) }
        ?? .init(
          "message",
          message.content.payload(.direct, message.payloadContext(for: registration))
        )
    )
  }

  /// Notes what was written to a client's stream, which its report says within about a second.
  ///
  /// Most devices acknowledge before that, which saves the write. Does not block; where too many wait to be noted
  /// their deliveries go on waiting in the report until they are acknowledged.
  package func noteWritten(_ entries: [MailboxEntry], to registration: Registration) {
    written.withLock { written in
      for entry in entries where written.count < Self.writtenLimit {
        guard let id = StoredMessage.id(of: entry.messageID) else { continue }
        written.append(WrittenDelivery(mailbox: registration.mailbox, message: id))
      }
    }
  }

  private static let writtenLimit = 100_000
  private static let writtenStep = 1_000

  /// Keeps what was noted as written.
  package func keepWritten() async throws {
    var rest = written.withLock { written in
      defer { written = [] }
      return written[...]
    }
    while !rest.isEmpty {
      let step = Array(rest.prefix(Self.writtenStep))
      rest = rest.dropFirst(step.count)
      try await writeDeliveries(.background) { book in
        for each in step {
          try book.noteWritten(each.mailbox.project, each.message, each.mailbox.number)
        }
      }
    }
  }

  /// What a client has received: everything by the stream up to a sequence, and single messages by any way.
  package func acknowledge(
    _ registration: Registration,
    upTo sequence: Int64,
    received: [String],
    opened: [String]
  ) async throws {
    streams.hear(registration.mailbox)
    guard sequence > 0 || !received.isEmpty || !opened.isEmpty else { return }
    let (project, number) = (registration.project, registration.number)
    try await writeDeliveries { book in
      try Self.acknowledge(registration, upTo: sequence, &book)
      for id in received.compactMap({ StoredMessage.id(of: $0) }) {
        try book.move(project, id, number, to: .acknowledged)
      }
      for id in opened.compactMap({ StoredMessage.id(of: $0) }) {
        try book.move(project, id, number, to: .opened)
      }
    }
  }

  private static func acknowledge(
    _ registration: Registration,
    upTo sequence: Int64,
    _ book: inout DeliveryBook
  ) throws {
    guard sequence > 0 else { return }
    let prefix = MessagingKey(.mailbox, registration.project, registration.number)
    var range = prefix.range
    if sequence < .max { range.upper = prefix.number(sequence + 1).bytes }
    let cursor = try book.group.cursor(over: range, reversed: false)
    while try cursor.next() {
      let id = try NumberValue.decode(cursor.value)
      let (project, number) = (registration.project, registration.number)
      if try !book.move(project, id, number, to: .acknowledged) {
        // Its message was pruned.
        try book.group.delete(Array(cursor.key))
      }
    }
  }
}

extension StoredMessage {
  func payloadContext(for registration: Registration) -> PayloadContext {
    PayloadContext(
      messageID: name,
      sender: target.sender ?? project.string,
      project: project.string,
      installation: registration.installation
    )
  }
}
