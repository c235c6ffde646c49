extension EventBus {
  /// Returns true if a trigger waits for a key event of analytics; reads memory alone.
  package func followsKeyEvent(_ name: String, project: String) -> Bool {
    tap.follows(.analytics, project: project, scope: name)
  }

  /// Writes key events of analytics into the queues of their triggers, all of them or none; returns when they are durable.
  ///
  /// - Parameter events: Events whose scope is their name, whose subject is the installation, and that have an attribute `id`.
  ///   Those of one installation are delivered in order.
  package func publish(keyEvents events: [StoredEvent]) async throws {
    try await write { [tap] group in
      for event in events {
        let order = event.subject.isEmpty ? nil : event.subject
        try tap.record(event, order: order, in: group)
      }
    }
  }
}
