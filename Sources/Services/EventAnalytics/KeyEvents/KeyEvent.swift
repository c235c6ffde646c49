import BaseText

/// A key event that was counted and that others wait for.
package struct KeyEvent: Sendable {
  /// The id, the same each time that the event is read.
  package let id: String
  /// The project's id.
  package let project: Text
  /// The event.
  package let event: AnalyticsEvent
  /// The batch that it came with: the installation, its app and its user.
  package let batch: EventBatch
  /// The day in the project's time zone, as `20261123`.
  package let day: String
}

/// The part of the program that waits for key events.
package struct KeyEventFollower: Sendable {
  /// Returns true if an event of that name has a follower; called with each batch that has one.
  let follows: @Sendable (_ name: String, _ project: Text) -> Bool
  /// Called when followed key events are durable; must not block.
  let landed: @Sendable () -> Void

  /// A follower of those parts.
  package init(
    follows: @escaping @Sendable (_ name: String, _ project: Text) -> Bool,
    landed: @escaping @Sendable () -> Void
  ) {
    self.follows = follows
    self.landed = landed
  }
}

/// The key events of one batch that waits in the outbox.
package struct WaitingKeyEvents: Sendable {
  /// The batch's place.
  let key: [UInt8]
  /// In the order of the batch.
  package let events: [KeyEvent]
}
