import BaseJSON
import KeyValueStore

// The deliveries for clients with a connection.

/// A message on its way to a client that is connected.
package struct MailboxEntry: Sendable {
  /// The message's position in its mailbox, which the client acknowledges.
  package let sequence: Int64
  /// The message's number.
  let message: Int64
  /// Seconds.
  package let timeToLive: Int64
  /// `message` as clients of the web get it, or `push` as it came to a push resource.
  package let content: JSONValue.Member

  /// The message's id as clients know it.
  package var messageID: String { StoredMessage.name(of: message) }
}

/// A message that was written to a client's stream.
struct WrittenDelivery: Sendable {
  let mailbox: MailboxID
  let message: Int64
}

/// The facts that a client receives when it connects.
package struct ConnectionStart: Sendable {
  /// The mailbox of the client's registration.
  package let mailbox: MailboxID
  /// True if messages were dropped since it connected last.
  package let hasDropped: Bool
  /// True if no message waits for it.
  package let isEmpty: Bool
  /// The highest sequence that was given out.
  package let last: Int64
  /// The sequence that the client has acknowledged, behind which its messages come: 0 where it
  /// named a sequence that was never given out, as after the server was restored from a backup.
  package let acknowledged: Int64
}

extension PushService {
  /// Acknowledges the messages of a client with a connection.
  package func beginConnection(
    _ registration: Registration,
    acknowledged: Int64
  ) async throws -> ConnectionStart {
    try await writeDeliveries { book in try Self.begin(registration, acknowledged, &book) }
  }

  /// `beginConnection` of an installation's token, for callers without a task.
  ///
  /// The completion runs on the engine's writing thread, before any message that is not counted by `isEmpty` comes into the
  /// mailbox. Does not block.
  package func submitConnection(
    _ owner: TokenOwner,
    acknowledged: Int64,
    completion: @escaping @Sendable (Result<ConnectionStart, any Error>) -> Void
  ) {
    submitDeliveries { book in
      let registration = try owner.registration(&book)
      guard registration.address == .direct else { throw MessagingError.notDirect }
      return try Self.begin(registration, acknowledged, &book)
    } completion: {
      completion($0)
    }
  }

  /// Loads the data for messages to a client into memory before the first one, once its connection
  /// is open.
  ///
  /// Does not block.
  package func prepare(_ owner: TokenOwner) {
    guard streams.memory != nil else { return }
    submitDeliveries(.background) { book in
      _ = try book.head(try owner.registration(&book).mailbox)
    } completion: { _ in
    }
  }

  private static func begin(
    _ registration: Registration,
    _ acknowledged: Int64,
    _ book: inout DeliveryBook
  ) throws -> ConnectionStart {
    try acknowledge(registration.mailbox, upTo: acknowledged, &book)
    try hear(registration, &book)
    let head = try book.head(registration.mailbox)
    let hasDropped = head.hasDropped
    if hasDropped { try book.change(registration.mailbox) { $0.hasDropped = false } }
    return ConnectionStart(
      mailbox: registration.mailbox,
      hasDropped: hasDropped,
      isEmpty: head.count == 0,
      last: head.last,
      acknowledged: acknowledged <= head.last ? acknowledged : 0
    )
  }

  /// Returns the messages behind a sequence, the oldest first; empty where there are none.
  package func entries(
    of mailbox: MailboxID,
    after sequence: Int64,
    limit: Int
  ) async throws -> [MailboxEntry] {
    let now = now
    return try await read { reader in
      try Self.entries(of: mailbox, after: sequence, limit: limit, now: now, reader)
    }
  }

  /// `entries` for callers without a task.
  ///
  /// The completion runs on one of the engine's threads. Does not block.
  package func submitEntries(
    of mailbox: MailboxID,
    after sequence: Int64,
    limit: Int,
    completion: @escaping @Sendable (Result<[MailboxEntry], any Error>) -> Void
  ) {
    let now = now
    let isTaken = threads.submit(to: .reads) { [self] in
      completion(
        Result {
          try reading { reader in
            try Self.entries(of: mailbox, after: sequence, limit: limit, now: now, reader)
          }
        }
      )
    }
    if !isTaken { completion(.failure(MessagingError.engine(KeyValueError.noThread))) }
  }

  /// Messages as their client gets them now, without those that expired.
  package func entries(of arrivals: [MailboxArrival]) -> [MailboxEntry] {
    let now = now
    return arrivals.compactMap { arrival in
      guard let message = arrival.message, now <= message.deadline(.direct) else { return nil }
      return MailboxEntry(message, sequence: arrival.sequence, now: now)
    }
  }

  private static func entries(
    of mailbox: MailboxID,
    after sequence: Int64,
    limit: Int,
    now: Int64,
    _ reader: any KeyValueReader
  ) throws -> [MailboxEntry] {
    let prefix = MessagingKey(.mailbox, mailbox.project, mailbox.number)
    let cursor = try reader.cursor(over: prefix.range(after: sequence), reversed: false)
    var entries: [MailboxEntry] = []
    while entries.count < limit, try cursor.next() {
      let id = try NumberValue.decode(cursor.value)
      guard let message = try message(id, for: mailbox, reader),
        now <= message.deadline(.direct)
      else { continue }
      let sequence = try MessagingKey.number(in: cursor.key)
      entries.append(MailboxEntry(message, sequence: sequence, now: now))
    }
    return entries
  }

  private static func message(
    _ id: Int64,
    for mailbox: MailboxID,
    _ reader: any KeyValueReader
  ) throws -> StoredMessage? {
    let message = try StoredMessage.read(mailbox.project, id, reader)
    guard message?.schedule != nil else { return message }
    let key = MessagingKey(.delivery, mailbox.project, id, mailbox.number).bytes
    let delivery = try reader.get(key).map { try Delivery(decoding: $0) }
    return message?.started(at: delivery?.start ?? 0)
  }

  /// Notes what was written to a client's stream, which its report says within about a second.
  ///
  /// Most devices acknowledge before that, which saves the write. Does not block; if too many
  /// records are queued, their deliveries stay pending in the report until they are acknowledged.
  package func noteWritten(_ entries: [MailboxEntry], to mailbox: MailboxID) {
    written.withLock { written in
      for entry in entries where written.count < Self.writtenLimit {
        written.append(WrittenDelivery(mailbox: mailbox, message: entry.message))
      }
    }
  }

  private static let writtenLimit = 100_000
  private static let writtenStep = 1_000

  /// Keeps what was noted as written.
  package func keepWritten() async throws {
    let noted = written.withLock { written in
      defer { written = [] }
      return written
    }
    var rest = (streams.memory?.unsettled(noted) ?? noted)[...]
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

  /// Stores the messages that a client has received.
  package func acknowledge(_ registration: Registration, _ receipts: Receipts) async throws {
    try await writeDeliveries { book in
      try Self.hear(registration, &book)
      try Self.keep(receipts, of: registration.mailbox, &book)
    }
  }

  /// `acknowledge` for callers without a task, of an installation's token; also records the
  /// client's activity.
  ///
  /// The completion runs on the engine's writing thread. Does not block.
  package func submit(
    _ receipts: Receipts,
    of owner: TokenOwner,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    submitDeliveries { book in
      let registration = try owner.registration(&book)
      try Self.hear(registration, &book)
      try Self.keep(receipts, of: registration.mailbox, &book)
      return registration.mailbox
    } completion: { [streams] outcome in
      if case .success(let mailbox) = outcome { streams.hear(mailbox) }
      completion(outcome.map { _ in })
    }
  }

  private static func keep(
    _ receipts: Receipts,
    of mailbox: MailboxID,
    _ book: inout DeliveryBook
  ) throws {
    try acknowledge(mailbox, upTo: receipts.sequence, &book)
    let (project, number) = (mailbox.project, mailbox.number)
    for id in receipts.received.compactMap({ StoredMessage.id(of: $0) }) {
      try book.move(project, id, number, to: .acknowledged)
    }
    for id in receipts.opened.compactMap({ StoredMessage.id(of: $0) }) {
      try book.move(project, id, number, to: .opened)
    }
  }

  private static func acknowledge(
    _ mailbox: MailboxID,
    upTo sequence: Int64,
    _ book: inout DeliveryBook
  ) throws {
    // A sequence that was never given out is of another time: nothing says how much of it the client has.
    guard sequence > 0, try sequence <= book.head(mailbox).last else { return }
    if let waiting = try book.waiting(mailbox) {
      for each in waiting where each.delivery.slot <= sequence {
        try book.move(mailbox.project, each.message, mailbox.number, to: .acknowledged)
      }
      return
    }
    let prefix = MessagingKey(.mailbox, mailbox.project, mailbox.number)
    if let id = try onlyMessage(mailbox, at: sequence, &book) {
      return try acknowledge(mailbox, id, at: prefix.number(sequence).bytes, &book)
    }
    var range = prefix.range
    if sequence < .max { range.upper = prefix.number(sequence + 1).bytes }
    let cursor = try book.group.cursor(over: range, reversed: false)
    while try cursor.next() {
      let id = try NumberValue.decode(cursor.value)
      try acknowledge(mailbox, id, at: Array(cursor.key), &book)
    }
  }

  /// The message at a sequence where it is the only one that waits: most clients acknowledge each as it comes, and
  /// looking for others costs more than all else.
  private static func onlyMessage(
    _ mailbox: MailboxID,
    at sequence: Int64,
    _ book: inout DeliveryBook
  ) throws -> Int64? {
    guard try book.head(mailbox).count == 1 else { return nil }
    let key = MessagingKey(.mailbox, mailbox.project, mailbox.number, sequence).bytes
    return try book.group.get(key).map { try NumberValue.decode($0) }
  }

  private static func acknowledge(
    _ mailbox: MailboxID,
    _ id: Int64,
    at key: [UInt8],
    _ book: inout DeliveryBook
  ) throws {
    if try !book.move(mailbox.project, id, mailbox.number, to: .acknowledged) {
      // Its message was pruned.
      try book.group.delete(key)
    }
  }
}

extension MailboxEntry {
  /// A message at a sequence of a mailbox.
  init(_ message: StoredMessage, sequence: Int64, now: Int64) {
    let life = message.content.options(.direct).timeToLive
    let passed = (now - message.start) / 1_000_000
    self.sequence = sequence
    self.message = message.id
    timeToLive = min(max(life - passed, 0), life)
    content =
      message.content.pushed.map { .init("push", $0) }
      ?? .init("message", message.content.payload(.direct, message.payloadContext))
  }
}

extension StoredMessage {
  /// For a payload that is for no installation yet.
  var payloadContext: PayloadContext {
    PayloadContext(
      messageID: name,
      sender: target.sender ?? project.string,
      project: project.string,
      installation: ""
    )
  }
}
