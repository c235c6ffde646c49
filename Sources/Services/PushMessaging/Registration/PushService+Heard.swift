import BaseText

// Recording that apps are still active, once a day, so that their registrations do not expire as
// unused.

extension PushService {
  private static let day: Int64 = 86_400_000_000

  /// Records an app's sign of life.
  static func hear(_ registration: Registration, _ book: inout DeliveryBook) throws {
    guard book.now - registration.heard > day,
      var known = try Registration.read(registration.project, registration.number, book.group),
      known.gone == nil
    else { return }
    known.lastCall = book.now
    try book.save(known)
  }

  /// Records an app's sign of life, on its stream too; writes once a day.
  package func hear(_ registration: Registration) async throws {
    streams.hear(registration.mailbox)
    guard now - registration.heard > Self.day else { return }
    try await writeDeliveries(.background) { try Self.hear(registration, &$0) }
  }

  /// Records an installation's sign of life.
  package func hear(installation: String, of project: Text) async throws {
    for known in try await registrations(ofInstallation: installation, project) {
      try await hear(known)
    }
  }

  /// Ends the registrations of an installation that is no more.
  package func end(installation: String, of project: Text) async throws {
    let known = try await registrations(ofInstallation: installation, project)
    guard !known.isEmpty else { return }
    try await writeDeliveries { book in
      for found in known {
        guard let known = try Registration.read(project, found.number, book.group) else { continue }
        try Self.end(known, reason: "installation-deleted", &book)
      }
    }
    for registration in known { streams.end(registration.mailbox) }
  }

  /// An installation's live registrations, one for each of its apps.
  private func registrations(
    ofInstallation id: String,
    _ project: Text
  ) async throws -> [Registration] {
    try await read { reader in
      let prefix = MessagingKey(.identity, project).text(id)
      let numbers = try Self.numbers(under: prefix, atMost: 100, reader) {
        try NumberValue.decode($0.value)
      }
      return try Self.live(numbers, project, reader)
    }
  }
}
