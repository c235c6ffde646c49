import BaseRuntime
import DocumentStore
import KeyValueStore

extension EventBus {
  /// The end of one attempt, for the lane.
  enum AttemptResult: Sendable {
    /// The event is out of the trigger's queue.
    case ended
    case postponed(Int64)
    /// The event stays as it is: its target is not there, or the outcome could not be written.
    case absent
  }

  /// Reads events of a trigger's queue behind a place.
  func items(
    of trigger: Int64,
    behind position: EventSequence,
    limit: Int
  ) async throws -> [LaneItem] {
    try await threads.run(on: .intake) { [engine] in
      try engine.read { reader in
        let range = EventKey(.pending).number(trigger).range
        let cursor = try reader.cursor(over: range, reversed: false)
        var items: [LaneItem] = []
        let start = EventKey.pending(trigger, position)
        var isThere = try cursor.seek(start)
        while isThere, items.count < limit {
          let sequence = try EventKey.sequence(atEndOf: cursor.key)
          if sequence > position {
            let pending = try PendingEvent(decoding: cursor.value)
            items.append(LaneItem(sequence: sequence, order: pending.order, due: pending.due))
          }
          isThere = try cursor.next()
        }
        return items
      }
    }
  }

  /// Reads events without order whose time has come, and the time of the first one whose time has not.
  func dueItems(
    of trigger: Int64,
    until now: Int64,
    limit: Int
  ) async throws -> (items: [LaneItem], next: Int64?) {
    try await threads.run(on: .intake) { [engine] in
      try engine.read { reader in
        let cursor = try reader.cursor(over: EventKey(.due).number(trigger).range, reversed: false)
        var items: [LaneItem] = []
        while try cursor.next() {
          let time = try EventKey.number(in: cursor.key, at: 10)
          if time > now || items.count == limit { return (items, time) }
          let sequence = try EventKey.sequence(atEndOf: cursor.key)
          items.append(LaneItem(sequence: sequence, order: 0, due: time))
        }
        return (items, nil)
      }
    }
  }

  /// The first event of a key in a trigger's queue.
  func firstItem(of trigger: Int64, order: Int64) async throws -> LaneItem? {
    try await threads.run(on: .intake) { [engine] in
      try engine.read { reader in
        let range = EventKey(.order).number(trigger).number(order).range
        let cursor = try reader.cursor(over: range, reversed: false)
        guard try cursor.next() else { return nil }
        let sequence = try EventKey.sequence(atEndOf: cursor.key)
        let value = try reader.get(EventKey.pending(trigger, sequence))
        let pending = try value.map { try PendingEvent(decoding: $0) }
        return LaneItem(sequence: sequence, order: order, due: pending?.due ?? 0)
      }
    }
  }

  /// Makes one attempt and writes its outcome.
  func attempt(_ item: LaneItem, of trigger: Trigger) async -> AttemptResult {
    do {
      guard let (event, pending) = try await load(item, trigger.number) else { return .ended }
      let attempt = EventAttempt(
        trigger: trigger,
        event: event,
        id: event.id(item.sequence, for: trigger),
        failures: pending.attempts,
        lastStatus: pending.status,
        lastReason: pending.reason
      )
      if !trigger.stored.allowsLoops, let reason = loopReason(event, item, trigger.number) {
        return try await bury(trigger.number, item.sequence, status: 0, reason)
      }
      let outcome = await send(attempt)
      return try await settle(outcome, attempt, item, pending)
    } catch {
      report(error)
      return .absent
    }
  }

  /// The words for an event that is part of a loop; nil for all others.
  private func loopReason(_ event: StoredEvent, _ item: LaneItem, _ trigger: Int64) -> String? {
    let advice = "If this is intended, allow loops for the trigger and replay the event."
    // Tasks are enqueued on purpose, and have rates: one that enqueues the next is no loop.
    if event.family != nil, event.author.depth >= configuration.greatestDepth {
      let depth = event.author.depth
      return
        "The event is the last in a chain of \(depth) events that caused one another. \(advice)"
    }
    if loops.note(trigger, order: item.order, now: now) {
      return "\(event.subject) had more than \(LoopGuard.limit) events in a minute. \(advice)"
    }
    return nil
  }

  private func load(
    _ item: LaneItem,
    _ trigger: Int64
  ) async throws -> (StoredEvent, PendingEvent)? {
    try await threads.run(on: .intake) { [engine] in
      try engine.read { reader in
        guard let pending = try reader.get(EventKey.pending(trigger, item.sequence)),
          let event = try reader.get(EventKey.event(item.sequence))
        else { return nil }
        return (try StoredEvent(decoding: event), try PendingEvent(decoding: pending))
      }
    }
  }

  /// The outcome of one attempt; nil for an event that no attempt is to be made of.
  private func send(_ attempt: EventAttempt) async -> DeliveryOutcome {
    let stored = attempt.trigger.stored
    do {
      let request = try configuration.encoding.request(for: attempt)
      if let target = stored.target {
        return await configuration.posting.post(
          request,
          to: target.url,
          project: stored.project,
          timeoutSeconds: stored.timeoutSeconds
        )
      }
      guard let function = stored.function, let host = functionTarget else { return .absent }
      return await host.deliver(
        FunctionDelivery(
          function: function,
          signature: request.signature,
          eventID: attempt.id,
          attempt: attempt.failures + 1,
          depth: attempt.event.author.depth + (attempt.event.family == nil ? 0 : 1),
          headers: request.headers,
          body: request.body,
          timeoutSeconds: stored.timeoutSeconds
        )
      )
    } catch {
      return .failed(status: nil, reason: "The event can't be encoded: \(error)")
    }
  }

  private func settle(
    _ outcome: DeliveryOutcome,
    _ attempt: EventAttempt,
    _ item: LaneItem,
    _ pending: PendingEvent
  ) async throws -> AttemptResult {
    let (number, sequence, now) = (attempt.trigger.number, item.sequence, now)
    switch outcome {
    case .delivered:
      try await write { try EventBook($0).end(number, sequence) }
      figures.delivered.add(1, ordering: .relaxed)
      return .ended
    case .absent:
      guard now - attempt.event.time > configuration.deadLetterTime else { return .absent }
      return try await bury(number, sequence, status: 0, "The function was missing for days.")
    case .failed(let status, let reason):
      if Task.isCancelled { return .absent }
      figures.failed.add(1, ordering: .relaxed)
      let failures = pending.attempts + 1
      let verdict = attempt.trigger.stored.verdict(
        failures: failures,
        since: pending.since,
        now: now,
        jitter: configuration.jitter()
      )
      guard case .again(let due) = verdict else {
        return try await bury(number, sequence, status: status ?? 0, reason)
      }
      let text = String(reason.prefix(Self.reasonLength))
      try await write { group in
        try EventBook(group).postpone(number, sequence) { pending in
          pending.attempts += 1
          (pending.due, pending.status, pending.reason) = (due, status ?? 0, text)
        }
      }
      return .postponed(due)
    }
  }

  private static let reasonLength = 500

  private func bury(
    _ trigger: Int64,
    _ sequence: EventSequence,
    status: Int,
    _ reason: String
  ) async throws -> AttemptResult {
    let (now, text) = (now, String(reason.prefix(Self.reasonLength)))
    try await write { group in
      try EventBook(group).bury(trigger, sequence, at: now) { pending in
        pending.attempts += 1
        (pending.due, pending.status, pending.reason) = (0, status, text)
      }
    }
    figures.dead.add(1, ordering: .relaxed)
    return .ended
  }
}

extension StoredEvent {
  /// The event's id, which differs for events of different types with one cause; a custom event has its sender's,
  /// and a key event that of analytics.
  func id(_ sequence: EventSequence, for trigger: Trigger) -> String {
    switch trigger.source?.family {
    case .documents where trigger.source?.change == nil: sequence.text + "-w"
    case .custom, .analytics: attributes["id"] ?? sequence.text
    default: sequence.text
    }
  }
}
