import BaseText

// Forgetting a user.

extension PushService {
  /// The numbers of a user's records that were erased.
  package struct Erased: Sendable, Equatable {
    /// The user's registrations, all of which are deleted.
    package var registrations = 0
    /// Messages to the user or to one of the registrations; those to topics do not count.
    package var messages = 0
  }

  /// Rows that one write deletes.
  private static let eraseStep = 200

  /// Deletes a user's registrations, and the messages that were sent to him or to one of them.
  ///
  /// The topics' deliveries to the user remain, to registrations without a known user. A crash in
  /// between leaves some of the data; another call continues.
  package func erase(user uid: String, of project: Text) async throws -> Erased {
    let numbers = try await registrations(ofUser: uid, project)
    var erased = Erased(registrations: numbers.count)
    let targets = [.user(uid)] + numbers.map(MessageTarget.registration)
    for id in try await messages(to: targets, project) {
      try await erase(message: id, of: project)
      erased.messages += 1
    }
    for number in numbers {
      try await writeDeliveries { book in
        guard let known = try Registration.read(project, number, book.group) else { return }
        try Self.end(known, reason: "erased", &book)
        try Self.delete(known, &book)
      }
      streams.end(MailboxID(project: project, number: number))
    }
    // After the registrations, whose last messages count here.
    try await write { try Self.deleteCaps(Self.capKey(ofUser: uid, project), $0) }
    return erased
  }

  private func registrations(ofUser uid: String, _ project: Text) async throws -> [Int64] {
    try await read(on: .scans) { reader in
      let prefix = MessagingKey(.user, project).text(uid)
      return try Self.numbers(under: prefix, atMost: .max, reader) {
        try MessagingKey.number(in: $0.key)
      }
    }
  }

  private func messages(to targets: [MessageTarget], _ project: Text) async throws -> [Int64] {
    let targets = Set(targets.map(\.stored))
    return try await read(on: .scans) { reader in
      let cursor = try reader.cursor(over: MessagingKey(.message, project).range, reversed: false)
      var found: [Int64] = []
      while try cursor.next() {
        let id = try MessagingKey.number(in: cursor.key)
        let message = try StoredMessage(decoding: cursor.value, project: project, id: id)
        if targets.contains(message.target.stored) { found.append(id) }
      }
      return found
    }
  }

  /// Deletes a message for single registrations with its deliveries, a few at a time.
  private func erase(message id: Int64, of project: Text) async throws {
    var isDone = false
    while !isDone {
      isDone = try await writeDeliveries { book in
        let prefix = MessagingKey(.delivery, project, id)
        let cursor = try book.group.cursor(over: prefix.range, reversed: false)
        var numbers: [Int64] = []
        while numbers.count < Self.eraseStep, try cursor.next() {
          numbers.append(try MessagingKey.number(in: cursor.key))
        }
        for number in numbers { try book.erase(project, id, number) }
        guard numbers.count < Self.eraseStep else { return false }
        guard let message = try StoredMessage.read(project, id, book.group) else { return true }
        try book.group.delete(MessagingKey.timed(.schedule, message.start, id))
        try book.group.delete(MessagingKey.timed(.deadline, message.lastDeadline, id))
        try book.group.delete(MessagingKey(.message, project, id).bytes)
        return true
      }
    }
  }
}
