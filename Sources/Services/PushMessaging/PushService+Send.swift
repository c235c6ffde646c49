import FirestoreModel
import KeyValueStore

// Accepting messages.

extension PushService {
  /// The id that a message gets which was only checked.
  package static let trialID = "fake_message_id"

  /// Whom a request names, as far as the registry knows.
  private enum Recipients {
    case registrations([Registration])
    /// Gone through later, step by step.
    case everyone(MessageTarget)

    func target(_ recipient: OutgoingMessage.Recipient) -> MessageTarget {
      switch (self, recipient) {
      case (.everyone(let target), _): target
      case (_, .user(let uid)): .user(uid)
      case (.registrations(let known), _): .registration(known.first?.number ?? 0)
      }
    }
  }

  /// Accepts a message and gives its id; durable when it returns.
  package func send(
    _ message: OutgoingMessage,
    from project: Text,
    origin: String
  ) async throws -> String {
    let limit = limits.registrationsPerUser
    let streams = streams
    let (id, isFannedOut) = try await writeDeliveries { book in
      let recipients = try Self.recipients(message.recipient, project, limit: limit, book.group)
      let id = try book.group.allocateVersion()
      let isFannedOut = if case .everyone = recipients { true } else { false }
      let stored = StoredMessage(
        project: project,
        id: id,
        content: message.content,
        target: recipients.target(message.recipient),
        origin: origin,
        stage: isFannedOut ? .expanding : .expanded,
        start: book.now,
        cutoff: id
      )
      try Self.put(stored, book.group)
      switch recipients {
      case .registrations(let known):
        for registration in known {
          let isConnected = streams.isConnected(registration.mailbox)
          try book.add(stored, to: registration, isConnected: isConnected)
        }
      case .everyone:
        let entry = ProjectValue(project, 0).encoded
        try book.group.put(MessagingKey(.fanOut).number(id).bytes, entry)
      }
      return (id, isFannedOut)
    }
    figures.accepted.add(1, ordering: .relaxed)
    if isFannedOut { signals.fanOuts.signal() }
    return StoredMessage.name(of: id)
  }

  /// Checks a message as `send` does, and stores nothing.
  package func check(_ message: OutgoingMessage, from project: Text) async throws -> String {
    let limit = limits.registrationsPerUser
    _ = try await read { reader in
      try Self.recipients(message.recipient, project, limit: limit, reader)
    }
    return Self.trialID
  }

  /// Accepts a message that is sent at a time, in microseconds; INVALID_ARGUMENT for one that is past or too far.
  package func schedule(
    _ message: OutgoingMessage,
    from project: Text,
    origin: String,
    at time: Int64
  ) async throws -> String {
    let longest = OutgoingMessage.longestLife * 13 * 1_000_000
    guard time > now, time - now < longest else {
      throw MessagingError.invalid("scheduleTime", "The time is in the next 364 days.")
    }
    let limit = limits.registrationsPerUser
    let id = try await write { group in
      let recipients = try Self.recipients(message.recipient, project, limit: limit, group)
      let id = try group.allocateVersion()
      let stored = StoredMessage(
        project: project,
        id: id,
        content: message.content,
        target: recipients.target(message.recipient),
        origin: origin,
        stage: .scheduled,
        start: time,
        cutoff: 0
      )
      let entry = ProjectValue(project).encoded
      try group.put(MessagingKey.timed(.schedule, time, id), entry)
      try group.put(MessagingKey(.message, project, id).bytes, stored.encoded)
      return id
    }
    return StoredMessage.name(of: id)
  }

  /// Takes back a message whose time has not come; false where it was sent or never was.
  package func cancel(_ id: Int64, of project: Text) async throws -> Bool {
    try await write { group in
      guard let message = try StoredMessage.read(project, id, group), message.stage == .scheduled
      else { return false }
      try group.delete(MessagingKey.timed(.schedule, message.start, id))
      try group.delete(MessagingKey(.message, project, id).bytes)
      return true
    }
  }

  private static func put(_ message: StoredMessage, _ group: any KeyValueGroup) throws {
    let key = MessagingKey(.message, message.project, message.id).bytes
    try group.put(key, message.encoded)
    let entry = ProjectValue(message.project).encoded
    try group.put(MessagingKey.timed(.deadline, message.lastDeadline, message.id), entry)
  }

  // MARK: Recipients

  private static func recipients(
    _ recipient: OutgoingMessage.Recipient,
    _ project: Text,
    limit: Int,
    _ reader: any KeyValueReader
  ) throws -> Recipients {
    switch recipient {
    case .token(let token):
      let registration = try registration(of: token, project, reader)
      try requireCredentials([registration], reader)
      return .registrations([registration])
    case .installation(let installation):
      let prefix = MessagingKey(.identity, project).text(installation)
      let numbers = try numbers(under: prefix, atMost: limit, reader) {
        try NumberValue.decode($0.value)
      }
      let known = try live(numbers, project, reader)
      guard !known.isEmpty else { throw MessagingError.unregistered }
      try requireCredentials(known, reader)
      return .registrations(known)
    case .user(let uid):
      let known = try registrations(ofUser: uid, project, limit: limit, reader)
      guard !known.isEmpty else { throw MessagingError.unregistered }
      return .registrations(known)
    case .topic(let topic): return .everyone(.topic(topic))
    case .condition(_, let text): return .everyone(.condition(text))
    }
  }

  private static func registrations(
    ofUser uid: String,
    _ project: Text,
    limit: Int,
    _ reader: any KeyValueReader
  ) throws -> [Registration] {
    let prefix = MessagingKey(.user, project).text(uid)
    let numbers = try numbers(under: prefix, atMost: limit, reader) {
      try MessagingKey.number(in: $0.key)
    }
    return try live(numbers, project, reader)
  }

  private static func live(
    _ numbers: [Int64],
    _ project: Text,
    _ reader: any KeyValueReader
  ) throws -> [Registration] {
    try numbers.compactMap { try Registration.read(project, $0, reader) }
      .filter { $0.gone == nil }
  }

  /// Throws THIRD_PARTY_AUTH_ERROR where the project has no credentials for an address.
  private static func requireCredentials(
    _ registrations: [Registration],
    _ reader: any KeyValueReader
  ) throws {
    for registration in registrations where registration.address.channel == .apns {
      let record = try record(of: registration.project, reader)
      guard credentials(for: registration.address, of: record) != nil else {
        throw MessagingError(
          .thirdPartyAuthError,
          "The project has no APNs key for the app that the token is of."
        )
      }
    }
  }

  // MARK: Scheduled messages

  /// Sends the messages whose time has come, a few at once; true where there are more.
  package func releaseScheduled() async throws -> Bool {
    let now = now
    let due = try await read { reader -> [(time: Int64, id: Int64, project: Text)] in
      var range = MessagingKey(.schedule).range
      range.upper = MessagingKey(.schedule).number(now + 1).bytes
      let cursor = try reader.cursor(over: range, reversed: false)
      var due: [(time: Int64, id: Int64, project: Text)] = []
      while due.count < 32, try cursor.next() {
        let (time, id) = (
          try MessagingKey.number(in: cursor.key, fromEnd: 1),
          try MessagingKey.number(in: cursor.key)
        )
        due.append((time, id, try ProjectValue(decoding: cursor.value).project))
      }
      return due
    }
    for entry in due { try await release(entry.id, of: entry.project, at: entry.time) }
    return due.count == 32
  }

  private func release(_ id: Int64, of project: Text, at time: Int64) async throws {
    let limit = limits.registrationsPerUser
    let streams = streams
    try await writeDeliveries { book in
      let group = book.group
      let key = MessagingKey.timed(.schedule, time, id)
      guard try group.get(key) != nil, var message = try StoredMessage.read(project, id, group)
      else { return }
      try group.delete(key)
      message.cutoff = try group.allocateVersion()
      message.start = max(time, book.now)
      let known: [Registration]
      switch message.target {
      case .registration(let number): known = try Self.live([number], project, group)
      case .user(let uid):
        known = try Self.registrations(ofUser: uid, project, limit: limit, group)
      case .topic, .condition:
        known = []
        let entry = ProjectValue(project, 0).encoded
        try group.put(MessagingKey(.fanOut).number(id).bytes, entry)
      }
      message.stage = .expanding
      if message.target.isDirect { message.stage = .expanded }
      try Self.put(message, group)
      for registration in known {
        let isConnected = streams.isConnected(registration.mailbox)
        try book.add(message, to: registration, isConnected: isConnected)
      }
    }
    signals.fanOuts.signal()
  }
}

extension MessageTarget {
  /// Whether its registrations are known at once.
  fileprivate var isDirect: Bool {
    switch self {
    case .registration, .user: true
    case .topic, .condition: false
    }
  }
}

extension Registration {
  /// Where messages wait for a client that connects.
  package var mailbox: MailboxID { MailboxID(project: project, number: number) }
}
