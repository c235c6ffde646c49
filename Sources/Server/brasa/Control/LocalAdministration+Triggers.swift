import BaseJSON
import BaseStatus
import BaseText
import Events
import EventsAPI
import FirestoreModel
import FirestoreWire
import StorageAPI

extension LocalAdministration {
  /// Does what `brasa events` asks.
  func triggers(
    _ request: TriggersRequest,
    of project: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    switch request {
    case .list(let isDead, let trigger, let limit):
      let events = try bus.list(project: project, isDead: isDead, trigger: trigger, limit: limit)
      for event in events { try output(.line(event.line)) }
      let word = isDead ? "dead letter" : "waiting event"
      try output(.finished(summary: events.count.counting(word)))
    case .show(let id): try show(id, project, output)
    case .replay(let trigger, let id):
      let selection = DeadLetterSelection(project: project, trigger: trigger, id: id)
      let count = try bus.replay(selection)
      try requireFound(count, id)
      try output(.finished(summary: "returned \(count.counting("dead letter")) to the queue"))
    case .discard(let trigger, let id):
      let selection = DeadLetterSelection(project: project, trigger: trigger, id: id)
      let count = try bus.discard(selection)
      try requireFound(count, id)
      try output(.finished(summary: "discarded \(count.counting("dead letter"))"))
    case .triggers:
      let triggers = try bus.triggers(of: project)
      for trigger in triggers { try output(.line(trigger.line(bus.nextFiring(of: trigger)))) }
      try output(.finished(summary: triggers.count.counting("trigger")))
    case .subscribe(let name, let type, let filters, let options):
      try subscribe(name, type, filters, options, project)
      try output(.finished(summary: "events go to \(options.url)"))
    case .unsubscribe(let name):
      guard try bus.unsubscribe(name, project: project) else {
        throw ServiceError(.notFound, "The project \(project) has no subscription \(name).")
      }
      try output(.finished(summary: "removed the subscription \(name)"))
    }
  }

  private func requireFound(_ count: Int, _ id: String?) throws {
    guard let id, count == 0 else { return }
    throw ServiceError(
      .notFound,
      "There is no dead letter \(id). List them: brasa events list --dead"
    )
  }

  private func show(
    _ id: String,
    _ project: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let events = try bus.find(id, project: project)
    guard let first = events.first else {
      throw ServiceError(.notFound, "There is no pending event or dead letter \(id).")
    }
    for event in events { try output(.line(event.line)) }
    try output(.line(try EventReport.data(of: first.event).compact))
    try output(.finished(summary: events.count.counting("delivery", plural: "deliveries")))
  }

  private func subscribe(
    _ name: String,
    _ type: String,
    _ filters: [String],
    _ options: SubscriptionOptions,
    _ project: String
  ) throws {
    var declared = TriggerDeclaration(function: name, eventType: type)
    for filter in filters {
      let parts = filter.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw ServiceError(.invalidArgument, "The filter \(filter) must have the form name=value.")
      }
      declared.filters[parts[0]] = parts[1]
    }
    declared.channel = options.channel
    declared.retries = options.retries
    declared.concurrency = options.concurrency
    declared.timeoutSeconds = options.timeoutSeconds
    var target = URLTarget(url: options.url)
    target.isJSON = !options.isProtobuf
    try bus.subscribe(declared, project: project, target: target)
  }
}

extension ListedEvent {
  /// The event in one line for people.
  fileprivate var line: String {
    let instant = Timestamp(microseconds: event.time)
    let when = TimestampText.format(seconds: instant.seconds, nanos: 0)
    let tries = attempts == 0 ? "" : "  \(attempts.counting("attempt"))"
    let failure = reason.map { "  \($0.prefix(100))" } ?? ""
    return "\(id)  \(trigger.name)  \(when)  \(event.subject)\(tries)\(failure)"
  }
}

extension StoredTrigger {
  /// The trigger in one line for people.
  fileprivate func line(_ next: Int64?) -> String {
    let place = codebase.map { "\($0)/\(name)" } ?? name
    let goal = target.map { "  \($0.url)" } ?? ""
    switch cause {
    case .event(let declared):
      let filters = (declared.filters.merging(declared.pathPatterns) { first, _ in first })
        .sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      let retry = declared.retries ? "  retry" : ""
      return "\(place)  \(declared.eventType)  \(filters)\(retry)\(goal)"
    case .schedule(let declared):
      let time = next.map { TimestampText.format(seconds: $0 / 1_000_000, nanos: 0) } ?? "-"
      return "\(place)  schedule \"\(declared.schedule)\"  next \(time)"
    case .queue(let declared): return "\(place)  task queue in \(declared.region)"
    }
  }
}
