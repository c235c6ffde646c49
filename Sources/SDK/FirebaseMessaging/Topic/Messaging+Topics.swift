import Foundation

// Topics: changes are kept until the server knows them, in their order.

extension Messaging {
  /// Subscribes to a topic; returns when the server knows it.
  public func subscribe(toTopic topic: String) async throws {
    try await change(topic, isSubscription: true)
  }

  /// Subscribes to a topic no more; returns when the server knows it.
  public func unsubscribe(fromTopic topic: String) async throws {
    try await change(topic, isSubscription: false)
  }

  private func change(_ topic: String, isSubscription: Bool) async throws {
    let topic = try TopicName.checked(topic)
    let number = change { kept in
      defer { kept.nextChange += 1 }
      return kept.nextChange
    }
    try await withCheckedThrowingContinuation { waiter in
      let isDeleted = state.withLock { state in
        if !state.isDeleted { state.topicWaiters[number] = waiter }
        return state.isDeleted
      }
      if isDeleted { return waiter.resume(throwing: CancellationError()) }
      // Not before a caller waits: work in progress may be done with it at once.
      change { kept in
        kept.topicChanges.append(
          .init(number: number, topic: topic, isSubscription: isSubscription)
        )
      }
      startTopicWork()
    }
  }

  /// Ends the work and all waits for it.
  func endTopicWork() {
    let (work, waiters) = state.withLock { state in
      defer { (state.topicWork, state.topicWaiters) = (nil, [:]) }
      return (state.topicWork, state.topicWaiters.values)
    }
    work?.cancel()
    let error = MessagingError.error(
      .unknown,
      "The app's data was deleted before the server received the topic."
    )
    for waiter in waiters { waiter.resume(throwing: error) }
  }

  /// Sends the server the queued changes, unless that is in progress.
  func startTopicWork() {
    guard !kept.topicChanges.isEmpty else { return }
    state.withLock { state in
      guard state.topicWork == nil, !state.isDeleted else { return }
      state.topicWork = Task { await self.tellTopics() }
    }
  }

  private func tellTopics() async {
    var failures = 0
    while !Task.isCancelled, let next = nextTopicChange() {
      do {
        let token = try await token()
        try await backend.change(next.topic, isSubscription: next.isSubscription, token: token)
        finish(next, nil)
        failures = 0
      } catch {
        if let error = error as? MessagingError, [.invalidRequest, .noAccess].contains(error.code) {
          finish(next, error)
          continue
        }
        forgetIfUnregistered(error)
        failures += 1
        let full = min(Self.backoff.first * pow(2, Double(min(failures, 10))), Self.backoff.longest)
        do { try await sleep(full * Double.random(in: 0.5...1)) } catch {}
      }
    }
  }

  /// The oldest change; where there is none the work is over.
  private func nextTopicChange() -> MessagingState.TopicChange? {
    // Read before, if it never was: what follows must be one step.
    _ = kept
    return state.withLock { state in
      let next = state.kept?.topicChanges.first
      if next == nil { state.topicWork = nil }
      return next
    }
  }

  private func finish(_ change: MessagingState.TopicChange, _ error: (any Error)?) {
    self.change { kept in kept.topicChanges.removeAll { $0.number == change.number } }
    let waiter = state.withLock { $0.topicWaiters.removeValue(forKey: change.number) }
    if let error { waiter?.resume(throwing: error) } else { waiter?.resume() }
  }
}
