import BaseText
import KeyValueStore

// Subscribing registrations to topics.

extension PushService {
  /// The reason why a token was not subscribed, in the words of the topic API.
  package enum TopicFailure: String, Sendable {
    case invalidArgument = "INVALID_ARGUMENT"
    case notFound = "NOT_FOUND"
    case tooManyTopics = "TOO_MANY_TOPICS"
    case permissionDenied = "PERMISSION_DENIED"
  }

  /// Subscribes tokens to a topic, or ends that; the results are in the order of the tokens, nil where it went well.
  package func changeTopic(
    _ topic: TopicName,
    of tokens: [String],
    in project: Text,
    subscribing: Bool
  ) async throws -> [TopicFailure?] {
    let limit = limits.topics
    return try await write { group in
      try tokens.map { token in
        let registration: Registration
        do {
          registration = try Self.registration(of: token, project, group)
        } catch let error as MessagingError {
          return try Self.failure(error)
        }
        guard subscribing else {
          try Self.removeMember(registration, topic, group)
          return nil
        }
        return try Self.addMember(registration, topic, limit: limit, group)
      }
    }
  }

  private static func failure(_ error: MessagingError) throws -> TopicFailure {
    switch error.code {
    case .invalidArgument: .invalidArgument
    case .unregistered: .notFound
    case .senderIDMismatch: .permissionDenied
    default: throw error
    }
  }

  private static func addMember(
    _ registration: Registration,
    _ topic: TopicName,
    limit: Int,
    _ group: any KeyValueGroup
  ) throws -> TopicFailure? {
    let key = memberKey(registration.project, topic).number(registration.number).bytes
    guard try group.get(key) == nil else { return nil }
    guard try topics(of: registration, group).count < limit else { return .tooManyTopics }
    let since = NumberValue.encode(try group.allocateVersion())
    try group.put(key, since)
    try group.put(membershipKey(registration, topic), since)
    return nil
  }

  static func removeMember(
    _ registration: Registration,
    _ topic: TopicName,
    _ group: any KeyValueGroup
  ) throws {
    try group.delete(memberKey(registration.project, topic).number(registration.number).bytes)
    try group.delete(membershipKey(registration, topic))
  }

  /// The topics of a registration, and since which version.
  static func topics(
    of registration: Registration,
    _ reader: any KeyValueReader
  ) throws -> [TopicName: Int64] {
    let prefix = MessagingKey(.membership, registration.project, registration.number)
    let cursor = try reader.cursor(over: prefix.range, reversed: false)
    var topics: [TopicName: Int64] = [:]
    while try cursor.next() {
      let raw = Array(cursor.key)[prefix.bytes.count...]
      guard let topic = TopicName(String(decoding: raw, as: UTF8.self)) else {
        throw KeyValueError(.corruption, "a subscription's key is damaged")
      }
      topics[topic] = try NumberValue.decode(cursor.value)
    }
    return topics
  }

  /// The topics of a registration with the times of subscription in microseconds.
  package func topics(of registration: Registration) async throws -> [TopicName: Int64] {
    try await read { try Self.topics(of: registration, $0) }
  }

  /// The topics of a project with subscriptions, with the number of registrations, from a name on.
  package func topics(
    of project: Text,
    after: String = "",
    limit: Int
  ) async throws -> [(topic: TopicName, registrations: Int)] {
    try await read(on: .scans) { reader in
      let prefix = MessagingKey(.member, project)
      let cursor = try reader.cursor(over: prefix.range, reversed: false)
      var found: [(topic: TopicName, registrations: Int)] = []
      while try cursor.next() {
        guard let topic = TopicName(try MessagingKey.text(behindProjectIn: cursor.key)) else {
          throw KeyValueError(.corruption, "a subscription's key is damaged")
        }
        guard topic.text > after else { continue }
        if found.last?.topic == topic {
          found[found.count - 1].registrations += 1
        } else if found.count == limit {
          break
        } else {
          found.append((topic, 1))
        }
      }
      return found
    }
  }

  static func memberKey(_ project: Text, _ topic: TopicName) -> MessagingKey {
    MessagingKey(.member, project).text(topic.text)
  }

  private static func membershipKey(
    _ registration: Registration,
    _ topic: TopicName
  ) -> [UInt8] {
    MessagingKey(.membership, registration.project, registration.number).bytes
      + Array(topic.text.utf8)
  }
}
