import BaseStatus
import DocumentStore

/// An event of an application's own.
package struct CustomEvent: Sendable, Hashable {
  /// The attributes of CloudEvents by name: `id`, `source` and `type` are among them.
  package var attributes: [String: String]
  /// The data.
  package var data: [UInt8]

  /// An event of these attributes.
  package init(attributes: [String: String], data: [UInt8]) {
    self.attributes = attributes
    self.data = data
  }
}

extension EventBus {
  /// Publishes events on a channel, and returns when they are durable.
  ///
  /// Events that no trigger waits for are gone.
  package func publish(
    _ events: [CustomEvent],
    on channel: String,
    project: String,
    by author: CommitAuthor
  ) async throws {
    for event in events {
      for name in ["id", "source", "type"] where event.attributes[name, default: ""].isEmpty {
        throw ServiceError(.invalidArgument, "An event has no \(name).")
      }
    }
    try await write { [tap] group in
      for custom in events {
        var event = StoredEvent(family: .custom, project: project)
        event.scope = channel
        event.subject = custom.attributes["subject"] ?? ""
        event.attributes = custom.attributes
        event.data = custom.data
        event.author = author
        try tap.record(event, order: nil, in: group) { trigger in
          trigger.source?.attributes.allSatisfy { custom.attributes[$0.key] == $0.value } ?? false
        }
      }
    }
  }
}
