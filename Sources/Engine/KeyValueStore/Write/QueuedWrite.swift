/// The priority of a write in a queue.
package enum WritePriority: Sendable {
  /// A caller waits for the response.
  case interactive
  /// No caller waits for it: sweeps, builds, erasing.
  ///
  /// Runs after the interactive writes of its group, within a bound, and at least one in each group.
  case background
}

/// A write on its way into a group: its body, and the receiver of its outcome.
package struct QueuedWrite: Sendable {
  /// The rank among the writes that wait for the same group.
  package let priority: WritePriority
  /// True if the thread that submits the write may do it, where it is alone and syncs are quick.
  ///
  /// The body and the completion run before `submit` returns then: the caller holds no lock that they
  /// take.
  package let mayLead: Bool
  /// Runs once, on the engine's writing thread or the leader's, in the order of the queue.
  ///
  /// A thrown error is its own outcome and undoes its own writes, not those of others in the group.
  package let body: @Sendable (any KeyValueGroup) throws -> Void
  /// Runs once, on that thread, when the group is durable or has failed, in the order of the bodies and
  /// before any later body.
  ///
  /// If no group can be begun it runs without the body; if the engine is closed, on the submitting
  /// thread.
  package let completion: @Sendable (Result<Void, any Error>) -> Void

  /// A write of that priority.
  package init(
    _ priority: WritePriority,
    mayLead: Bool = false,
    body: @escaping @Sendable (any KeyValueGroup) throws -> Void,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.priority = priority
    self.mayLead = mayLead
    self.body = body
    self.completion = completion
  }
}
