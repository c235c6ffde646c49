import BaseText
import KeyValueStore

// Accepting messages.

extension PushService {
  /// The id that a message gets which was only checked.
  package static let trialID = "fake_message_id"

  /// Whom a request names, as far as the registry knows.
  enum Recipients {
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
    try await checkAudience(message.recipient, of: project)
    return try await withCheckedThrowingContinuation { continuation in
      submit(message, from: project, origin: origin) { continuation.resume(with: $0) }
    }
  }

  /// `send` to recipients other than audiences, for callers without a task.
  ///
  /// The completion runs on the engine's writing thread. Does not block.
  package func submit(
    _ message: OutgoingMessage,
    from project: Text,
    origin: String,
    completion: @escaping @Sendable (Result<String, any Error>) -> Void
  ) {
    let (limit, streams) = (limits.registrationsPerUser, streams)
    submitDeliveries { book in
      try Self.accept(message, from: project, origin: origin, limit: limit, streams, &book)
    } completion: { [self] outcome in
      if case .success((_, let isFannedOut)) = outcome {
        figures.accepted.add(1, ordering: .relaxed)
        if isFannedOut { signals.fanOuts.signal() }
      }
      completion(outcome.map { StoredMessage.name(of: $0.id) })
    }
  }

  private static func accept(
    _ message: OutgoingMessage,
    from project: Text,
    origin: String,
    limit: Int,
    _ streams: DirectStreams,
    _ book: inout DeliveryBook
  ) throws -> (id: Int64, isFannedOut: Bool) {
    let recipients =
      if case .token(let token) = message.recipient {
        try only(try book.registration(of: token, project), book.group)
      } else {
        try recipients(message.recipient, project, limit: limit, book.group)
      }
    try requireFit(message, recipients)
    let id = try book.group.allocateVersion()
    let isFannedOut = if case .everyone = recipients { true } else { false }
    var stored = StoredMessage(
      project: project,
      id: id,
      content: message.content,
      target: recipients.target(message.recipient),
      origin: origin,
      stage: isFannedOut ? .expanding : .expanded,
      start: book.now,
      cutoff: id
    )
    stored.cap = message.cap
    try book.make(stored)
    switch recipients {
    case .registrations(let known):
      for registration in known {
        let isConnected = streams.isConnected(registration.mailbox)
        let isSole = known.count == 1 && stored.target == .registration(registration.number)
        try book.add(stored, to: registration, isConnected: isConnected, isSole: isSole)
      }
    case .everyone:
      let entry = ProjectValue(project, 0).encoded
      try book.group.put(MessagingKey(.fanOut).number(id).bytes, entry)
    }
    return (id, isFannedOut)
  }

  /// Checks a message as `send` does, and stores nothing.
  package func check(_ message: OutgoingMessage, from project: Text) async throws -> String {
    try await checkAudience(message.recipient, of: project)
    let limit = limits.registrationsPerUser
    try await read { reader in
      let recipients = try Self.recipients(message.recipient, project, limit: limit, reader)
      try Self.requireFit(message, recipients)
    }
    return Self.trialID
  }

  /// Throws INVALID_ARGUMENT where the one device that a request names cannot be given a message of its size; of several, each
  /// that cannot has its delivery refused.
  private static func requireFit(
    _ message: OutgoingMessage,
    _ recipients: Recipients
  ) throws(MessagingError) {
    guard case .registrations(let known) = recipients, known.count == 1, let only = known.first
    else { return }
    let context = PayloadContext(
      messageID: StoredMessage.name(of: 9_999_999_999_999_999),
      sender: only.project.string,
      project: only.project.string,
      installation: only.installation,
      appID: only.appID
    )
    try message.content.checkPayload(only.address.channel, context)
  }

  static func put(_ message: StoredMessage, _ group: any KeyValueGroup) throws {
    let key = MessagingKey(.message, message.project, message.id).bytes
    try group.put(key, message.encoded)
    let entry = ProjectValue(message.project).encoded
    try group.put(MessagingKey.timed(.deadline, message.lastDeadline, message.id), entry)
  }

  // MARK: Recipients

  static func recipients(
    _ recipient: OutgoingMessage.Recipient,
    _ project: Text,
    limit: Int,
    _ reader: any KeyValueReader
  ) throws -> Recipients {
    switch recipient {
    case .token(let token):
      return try only(try registration(of: token, project, reader), reader)
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
    case .audience(let name): return .everyone(.audience(name))
    }
  }

  /// One registration, if messages can be handed over to it.
  private static func only(
    _ registration: Registration,
    _ reader: any KeyValueReader
  ) throws -> Recipients {
    try requireCredentials([registration], reader)
    return .registrations([registration])
  }

  /// Throws INVALID_ARGUMENT for an audience that the project does not have.
  func checkAudience(_ recipient: OutgoingMessage.Recipient, of project: Text) async throws {
    guard case .audience(let name) = recipient else { return }
    let audiences = audiences
    let isKnown = try await threads.run(on: .scans) {
      try audiences?.exists(name, in: project) == true
    }
    guard isKnown else {
      throw MessagingError.invalid("audience", "There is no audience \"\(name.prefix(100))\".")
    }
  }

  static func registrations(
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

  static func live(
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
          "The project has no APNs key for the app of the token."
        )
      }
    }
  }
}

extension MessageTarget {
  /// True if its registrations are known at once.
  var isDirect: Bool {
    switch self {
    case .registration, .user: true
    case .topic, .condition, .audience: false
    }
  }
}

extension Registration {
  /// The mailbox in which messages wait for a client that connects.
  package var mailbox: MailboxID { MailboxID(project: project, number: number) }
}
