import BaseJSON
import BaseStatus
import BaseText
import Console
import FirestoreModel
import FirestoreWire
import MessagingAPI
import PushMessaging
import StorageAPI

extension LocalAdministration {
  /// Does what `brasa messages` asks.
  func messages(
    _ request: MessagesRequest,
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    do {
      switch request {
      case .send(let text, let user, let schedule, let validatesOnly):
        let form = try schedule.map { try ScheduleForm(try JSONValue(parsing: $0)) }
        let message = try Self.message(text, user: user, at: form?.reference, messages)
        let name = try send(message, by: form?.schedule, validatesOnly, project)
        try output(.finished(summary: validatesOnly ? "the message is valid" : "accepted \(name)"))
      case .cancel(let id): try cancel(id, of: project, output)
      case .erase(let user): try erase(user, of: project, output)
      case .list(let limit): try listMessages(limit, project, output)
      case .show(let id, let limit): try showMessage(id, limit, project, output)
      case .topics(let limit): try listTopics(limit, project, output)
      case .credentials, .addAPNsKey, .removeAPNsKey, .vapid:
        try credentials(request, of: project, output)
      case .exportSecrets: try exportSecrets(of: project, output)
      case .importSecrets(let text): try importSecrets(text, into: project, output)
      case .createServerKey, .listServerKeys, .revokeServerKey:
        try serverKeys(request, of: project, output)
      }
    } catch let error as MessagingError {
      throw error.firestoreError
    }
  }

  // MARK: Sending

  private static func message(
    _ text: String,
    user: String?,
    at time: Int64?,
    _ messages: PushService
  ) throws -> OutgoingMessage {
    let json = try JSONValue(parsing: text)
    return try OutgoingMessage(
      json: json["message"] ?? json,
      recipient: user.map { .user($0) },
      now: time ?? messages.now
    )
  }

  private func send(
    _ message: OutgoingMessage,
    by schedule: MessageSchedule?,
    _ validatesOnly: Bool,
    _ project: Text
  ) throws -> String {
    let messages = messages
    return try Waiting.run {
      if validatesOnly {
        if let schedule { try messages.check(schedule) }
        return try await messages.check(message, from: project)
      }
      guard let schedule else {
        return try await messages.send(message, from: project, origin: "command")
      }
      return try await messages.schedule(
        message,
        from: project,
        origin: "command",
        by: schedule
      )
    }
  }

  private func cancel(
    _ name: String,
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    let isCancelled = try StoredMessage.id(of: name).map { id in
      try Waiting.run { try await messages.cancel(id, of: project) }
    }
    guard isCancelled == true else {
      throw ServiceError(.notFound, "There is no scheduled message \(name).")
    }
    try output(.finished(summary: "cancelled \(name)"))
  }

  private func erase(
    _ user: String,
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    let erased = try Waiting.run { try await messages.erase(user: user, of: project) }
    let parts = [
      erased.registrations.counting("registration"), erased.messages.counting("message"),
    ]
    try output(.finished(summary: "erased \(parts.joined(separator: " and "))"))
  }

  // MARK: Reports

  private func listMessages(
    _ limit: Int,
    _ project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    let reports = try Waiting.run { try await messages.reports(of: project, limit: limit) }
    for report in reports { try output(.line(report.line)) }
    try output(.finished(summary: reports.count.counting("message")))
  }

  private func showMessage(
    _ name: String,
    _ limit: Int,
    _ project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    let id = StoredMessage.id(of: name)
    let report = try id.flatMap { id in
      try Waiting.run { try await messages.report(id, of: project) }
    }
    guard let id, let report else {
      throw ServiceError(.notFound, "The project \(project.string) has no message \(name).")
    }
    try output(.line(report.line))
    let deliveries = try Waiting.run {
      try await messages.deliveries(of: id, in: project, limit: limit)
    }
    for found in deliveries {
      let delivery = found.delivery
      let reason = delivery.reason.map { "  \($0)" } ?? ""
      try output(
        .line("\(found.registration)  \(delivery.channel.name)  \(delivery.state.name)\(reason)")
      )
    }
    try output(.finished(summary: deliveries.count.counting("delivery", plural: "deliveries")))
  }

  private func listTopics(
    _ limit: Int,
    _ project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    let topics = try Waiting.run { try await messages.topics(of: project, limit: limit) }
    for topic in topics { try output(.line("\(topic.topic.text)  \(topic.registrations)")) }
    try output(.finished(summary: topics.count.counting("topic")))
  }

  // MARK: Credentials

  private func credentials(
    _ request: MessagesRequest,
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    switch request {
    case .addAPNsKey(let keyID, let teamID, let bundle, let privateKey):
      let key = APNsKey(keyID: keyID, teamID: teamID, privateKey: privateKey, bundle: bundle)
      try Waiting.run { try await messages.addAPNsKey(key, to: project) }
      try output(.finished(summary: "added the APNs key \(keyID)"))
    case .removeAPNsKey(let bundle):
      let isRemoved = try Waiting.run {
        try await messages.removeAPNsKey(bundle: bundle, of: project)
      }
      guard isRemoved else {
        throw ServiceError(.notFound, "There is no APNs key for that bundle.")
      }
      try output(.finished(summary: "removed the APNs key"))
    case .vapid(let subject):
      let pair = try Waiting.run { try await messages.vapidPair(of: project, subject: subject) }
      try output(.line(Base64.url(pair.publicKey)))
      try output(.finished(summary: "contact for push services: \(pair.subject)"))
    default:
      let found = try Waiting.run { try await messages.credentials(of: project) }
      for key in found.apnsKeys {
        let bundle = key.bundle.isEmpty ? "every app" : key.bundle
        try output(.line("APNs  key \(key.keyID)  team \(key.teamID)  \(bundle)"))
      }
      if let vapid = found.vapid {
        try output(.line("VAPID  \(Base64.url(vapid.publicKey))  \(vapid.subject)"))
      }
      let count = found.apnsKeys.count + (found.vapid == nil ? 0 : 1)
      try output(.finished(summary: count.counting("credential")))
    }
  }

  private func exportSecrets(
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let known = try messages.storedCredentials(of: project)
    let secrets = CredentialsTransfer(apnsKeys: known.apnsKeys, vapid: known.vapid)
    try output(.line(secrets.json(withSecrets: true).compact))
    try output(.finished(summary: "secrets of messages"))
  }

  private func importSecrets(
    _ text: String,
    into project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    let secrets = try CredentialsTransfer(secrets: try JSONValue(parsing: text))
    try Waiting.run {
      for key in secrets.apnsKeys { try await messages.addAPNsKey(key, to: project) }
      if let pair = secrets.vapid { try await messages.setVAPIDPair(pair, of: project) }
    }
    let count = secrets.apnsKeys.count + (secrets.vapid == nil ? 0 : 1)
    try output(.finished(summary: "kept \(count.counting("credential"))"))
  }

  private func serverKeys(
    _ request: MessagesRequest,
    of project: Text,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let messages = messages
    switch request {
    case .createServerKey(let name):
      let key = try Waiting.run {
        try await messages.makeServerKey(named: name, of: project, by: IssuedKey.commandLine)
      }
      try output(.line(key))
      try output(.finished(summary: "created the server key \(name); it is shown only once"))
    case .revokeServerKey(let name):
      let isRevoked = try Waiting.run {
        try await messages.revokeServerKey(named: name, of: project)
      }
      guard isRevoked else { throw ServiceError(.notFound, "There is no server key \(name).") }
      try output(.finished(summary: "revoked the server key \(name)"))
    default:
      let keys = try Waiting.run { try await messages.serverKeys(of: project) }
      for key in keys {
        let instant = Timestamp(microseconds: key.created)
        let time = TimestampText.format(seconds: instant.seconds, nanos: 0)
        try output(.line("\(key.name)  \(key.hint)…  \(time)\(try note(ofMaker: IssuedKey(key)))"))
      }
      try output(.finished(summary: keys.count.counting("server key")))
    }
  }
}

extension MessageReport {
  /// The message in one line for people.
  fileprivate var line: String {
    let instant = Timestamp(microseconds: message.start)
    let time = TimestampText.format(seconds: instant.seconds, nanos: 0)
    let states = Delivery.State.allCases.compactMap { state in
      counts[state] == 0 ? nil : "\(counts[state]) \(state.name)"
    }.joined(separator: ", ")
    let figures = states.isEmpty ? "no deliveries" : states
    return "\(message.name)  \(time)  \(message.stage)  \(message.target.description)  \(figures)"
  }
}
