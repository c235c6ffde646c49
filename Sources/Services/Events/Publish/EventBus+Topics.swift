import BaseJSON
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import KeyValueStore

/// A message to a topic.
package struct TopicMessage: Sendable, Hashable {
  /// The message's bytes as Base64.
  package var data = ""
  /// Attributes of the sender's own.
  package var attributes: [String: String] = [:]
  /// Messages of one key follow one another; empty for no order.
  package var orderingKey = ""

  /// An empty message.
  package init() {}
}

extension EventBus {
  /// Publishes messages and returns their ids once they are durable.
  ///
  /// Throws NOT_FOUND for a topic that was not made and that no trigger waits for.
  package func publish(
    _ messages: [TopicMessage],
    to topic: String,
    project: String,
    by author: CommitAuthor,
    timeText: @escaping @Sendable (Int64) -> String
  ) async throws -> [String] {
    try await write { [tap] group in
      let isKnown = try group.get(Self.topicKey(topic, project)) != nil
      guard isKnown || tap.follows(.topics, project: project, scope: topic) else {
        throw ServiceError(
          .notFound,
          "Resource not found (resource=\(topic)). Create the topic, or deploy a function that listens to it."
        )
      }
      return try messages.map { message in
        var event = StoredEvent(family: .topics, project: project)
        event.scope = topic
        event.author = author
        event.time = try group.allocateVersion()
        let id = String(event.time)
        event.data = Self.body(message, id, time: timeText(event.time), topic, project)
        let order = message.orderingKey.isEmpty ? nil : message.orderingKey
        try tap.record(event, order: order, in: group)
        return id
      }
    }
  }

  private static func body(
    _ message: TopicMessage,
    _ id: String,
    time: String,
    _ topic: String,
    _ project: String
  ) -> [UInt8] {
    let attributes = message.attributes.sorted { $0.key < $1.key }
    // Python's SDK reads one spelling, Node's the other.
    var members: [JSONValue.Member] = [
      .init("data", .string(message.data)),
      .init("attributes", .object(attributes.map { .init($0.key, .string($0.value)) })),
      .init("messageId", .string(id)), .init("message_id", .string(id)),
      .init("publishTime", .string(time)), .init("publish_time", .string(time)),
    ]
    if !message.orderingKey.isEmpty {
      members.append(.init("orderingKey", .string(message.orderingKey)))
    }
    let whole = JSONValue.object([
      JSONValue.Member("message", .object(members)),
      JSONValue.Member(
        "subscription",
        .string("projects/\(project)/subscriptions/brasa-\(topic)")
      ),
    ])
    return whole.compactBytes
  }

  private static func topicKey(_ topic: String, _ project: String) -> [UInt8] {
    EventKey(.topic).text(project).text(topic).bytes
  }

  /// Makes a topic; throws ALREADY_EXISTS for one that is there.
  package func createTopic(_ topic: String, project: String) async throws {
    let isName =
      (3...255).contains(topic.utf8.count)
      && topic.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || "-_.~+%".utf8.contains($0)
      }
      && topic.first?.isLetter == true
    guard isName else {
      throw ServiceError(.invalidArgument, "Invalid resource name given (name=\(topic)).")
    }
    try await write { group in
      let key = Self.topicKey(topic, project)
      guard try group.get(key) == nil else {
        throw ServiceError(
          .alreadyExists,
          "Resource already exists in the project (resource=\(topic))."
        )
      }
      try group.putMarker(key)
    }
  }

  /// Deletes a topic; throws NOT_FOUND where there is none.
  ///
  /// Triggers that wait for it stay.
  package func deleteTopic(_ topic: String, project: String) async throws {
    try await write { group in
      let key = Self.topicKey(topic, project)
      guard try group.get(key) != nil else {
        throw ServiceError(.notFound, "Resource not found (resource=\(topic)).")
      }
      try group.delete(key)
    }
  }

  /// The topics of a project, those that only triggers name included, in their order.
  package func topics(of project: String) async throws -> [String] {
    let waited = tap.triggers.triggers.values.filter {
      $0.stored.project == project && $0.source?.family == .topics
    }
    let made = try await threads.run(on: .reads) { [engine] in
      try engine.read { reader in
        let range = EventKey(.topic).text(project).range
        let cursor = try reader.cursor(over: range, reversed: false)
        var names: [String] = []
        while try cursor.next() {
          var position = range.lower.count
          guard let name = SegmentEncoding.decodeText(cursor.key, at: &position) else {
            throw EventKey.damaged
          }
          names.append(name.string)
        }
        return names
      }
    }
    return Set(made + waited.compactMap { $0.source?.scope }).sorted()
  }
}
