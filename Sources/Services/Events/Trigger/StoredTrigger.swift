import BaseStatus
import Foundation
import KeyValueStore

/// An HTTP address that events are sent to.
package struct URLTarget: Sendable, Hashable, Codable {
  /// An https URL, or one that the operator allows by name.
  package var url: String
  /// True if the data of documents is sent as JSON; false for protobuf.
  package var isJSON = true

  /// A target at that URL.
  package init(url: String) { self.url = url }
}

/// A registered trigger, schedule or task queue.
package struct StoredTrigger: Sendable, Hashable, Codable {
  /// The registration's kinds.
  package enum Cause: Sendable, Hashable, Codable {
    case event(TriggerDeclaration)
    case schedule(ScheduleDeclaration)
    case queue(QueueDeclaration)
  }

  /// A number that no other trigger ever has.
  package let number: Int64
  /// The project's id.
  package let project: String
  /// The codebase; nil for a subscription.
  package let codebase: String?
  /// The function's name, or the subscription's.
  package let name: String
  /// The declaration.
  package var cause: Cause
  /// The address of a subscription.
  package var target: URLTarget?
  /// The time of the registration in microseconds.
  package let registered: Int64

  /// The word for the cause in keys and lists.
  package var role: String {
    switch cause {
    case .event: "event"
    case .schedule: "schedule"
    case .queue: "queue"
    }
  }

  /// The event type; nil for schedules and queues.
  package var eventType: String? {
    if case .event(let declared) = cause { declared.eventType } else { nil }
  }

  var key: [UInt8] {
    EventKey(.trigger).text(project).text(codebase ?? "").text(name).text(role).bytes
  }

  /// The function that the trigger calls; nil for a subscription.
  package var function: FunctionName? {
    codebase.map {
      FunctionName(codebase: CodebaseName(project: project, codebase: $0), name: name)
    }
  }

  /// The largest number of deliveries at the same time.
  var concurrency: Int {
    switch cause {
    case .event(let declared): max(1, declared.concurrency)
    case .schedule: 1
    case .queue(let declared): max(1, declared.maxConcurrentDispatches)
    }
  }

  /// Seconds after which a delivery has failed.
  var timeoutSeconds: Int {
    switch cause {
    case .event(let declared): declared.timeoutSeconds
    case .schedule(let declared): declared.timeoutSeconds
    case .queue(let declared): declared.timeoutSeconds
    }
  }

  var allowsLoops: Bool {
    if case .event(let declared) = cause { declared.allowsLoops } else { false }
  }

  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(self))
  }

  init(decoding value: [UInt8]) throws {
    do {
      self = try JSONDecoder().decode(StoredTrigger.self, from: Data(value))
    } catch {
      throw KeyValueError(.corruption, "a trigger's record is damaged")
    }
  }

  init(
    number: Int64,
    project: String,
    codebase: String?,
    name: String,
    cause: Cause,
    target: URLTarget?,
    registered: Int64
  ) {
    self.number = number
    self.project = project
    self.codebase = codebase
    self.name = name
    self.cause = cause
    self.target = target
    self.registered = registered
  }
}

/// A trigger with its source read.
package struct Trigger: Sendable, Hashable {
  /// The registration.
  package let stored: StoredTrigger
  /// The cause of its events; nil for schedules and queues.
  package let source: EventSource?

  init(_ stored: StoredTrigger) throws {
    self.stored = stored
    if case .event(let declared) = stored.cause {
      source = try EventSource(declared, project: stored.project)
    } else {
      source = nil
    }
  }

  var number: Int64 { stored.number }
}
