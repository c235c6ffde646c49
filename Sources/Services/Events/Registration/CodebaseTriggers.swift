import KeyValueStore

/// The registry of triggers, as the host of functions uses it when a codebase is deployed or deleted.
///
/// `EventBus` conforms. Any thread that may block may call, outside the bodies and completions of writes.
package protocol CodebaseTriggers: Sendable {
  /// Replaces everything that a codebase has registered, in one atomic write.
  ///
  /// A trigger whose function and event type stay keeps its pending events, which are delivered by the new retry policy and
  /// concurrency. A trigger that goes loses its pending events and dead letters.
  /// Throws `ServiceError` with INVALID_ARGUMENT for a declaration that cannot be served, before anything is written.
  ///
  /// - Parameter alongside: Writes of the caller that belong to the same atomic group, such as its own manifest. A throw undoes
  ///   all. It runs on the writing thread and must not wait.
  /// - Returns: The differences, by function names.
  @discardableResult
  func replaceTriggers(
    of codebase: CodebaseName,
    with declaration: CodebaseDeclaration,
    alongside: @escaping @Sendable (any KeyValueGroup) throws -> Void
  ) throws -> TriggerChanges

  /// Removes everything that a codebase has registered, with its pending events, in one atomic write.
  func removeTriggers(
    of codebase: CodebaseName,
    alongside: @escaping @Sendable (any KeyValueGroup) throws -> Void
  ) throws

  /// The differences that `replaceTriggers` would make; writes nothing.
  ///
  /// Throws as `replaceTriggers` does for a declaration that cannot be served.
  func plannedChanges(
    of codebase: CodebaseName,
    with declaration: CodebaseDeclaration
  ) throws -> TriggerChanges

  /// The declaration that is in force; empty for a codebase that has none.
  func declaration(of codebase: CodebaseName) throws -> CodebaseDeclaration
}

/// A codebase of a project.
package struct CodebaseName: Sendable, Hashable {
  /// The project's id.
  package let project: String
  /// The codebase's name; `default` where the deployment names none.
  package let codebase: String

  /// A codebase of that project.
  package init(project: String, codebase: String) {
    self.project = project
    self.codebase = codebase
  }
}

/// A function of a codebase.
package struct FunctionName: Sendable, Hashable {
  /// The codebase that has the function.
  package let codebase: CodebaseName
  /// The endpoint's name in the manifest, unique in its codebase.
  package let name: String

  /// A function of that codebase.
  package init(codebase: CodebaseName, name: String) {
    self.codebase = codebase
    self.name = name
  }
}

/// Everything that one codebase registers.
package struct CodebaseDeclaration: Sendable, Hashable {
  /// The endpoints with an `eventTrigger`, one a function.
  package var triggers: [TriggerDeclaration] = []
  /// The endpoints with a `scheduleTrigger`.
  package var schedules: [ScheduleDeclaration] = []
  /// The endpoints with a `taskQueueTrigger`.
  package var queues: [QueueDeclaration] = []

  /// A declaration of nothing.
  package init() {}
}

/// An `eventTrigger` of a manifest, whose texts are passed on as they are there.
package struct TriggerDeclaration: Sendable, Hashable, Codable {
  /// The function's name.
  package var function: String
  /// The event type of either generation, such as `google.cloud.firestore.document.v1.written` or
  /// `providers/cloud.firestore/eventTypes/document.write`.
  package var eventType: String
  /// `eventFilters`: `database`, `document`, `bucket`, `topic`, `resource` or attributes of custom events.
  package var filters: [String: String] = [:]
  /// `eventFilterPathPatterns`, such as `document: products/{id}`.
  package var pathPatterns: [String: String] = [:]
  /// `channel` of custom events, such as `locations/us-central1/channels/firebase`.
  package var channel: String?
  /// The function's region, which channels without a location of their own are in.
  package var region = "us-central1"
  /// True if a failed delivery is repeated with growing pauses for 24 hours; false for one attempt.
  package var retries = false
  /// The largest number of events that are delivered at the same time.
  package var concurrency = 16
  /// Seconds after which a delivery without response has failed.
  package var timeoutSeconds = 60
  /// True if a chain of events from the function's own writes may continue without end.
  package var allowsLoops = false

  /// A trigger without filters.
  package init(function: String, eventType: String) {
    self.function = function
    self.eventType = eventType
  }
}

/// A `scheduleTrigger` of a manifest.
package struct ScheduleDeclaration: Sendable, Hashable, Codable {
  /// The function's name.
  package var function: String
  /// Five fields of cron, or App Engine's English, such as `every 5 minutes` or `1st monday of month 12:00`.
  package var schedule: String
  /// The time zone's name, such as `America/Sao_Paulo`; nil is `America/Los_Angeles`, as at Google.
  package var timeZone: String?
  /// The region, which is in the name of the job.
  package var region = "us-central1"
  /// True for a function of the first generation, whose firing is a message of Pub/Sub.
  package var isFirstGeneration = false
  /// The repetition of a firing that failed.
  package var retry = RetryDeclaration(maxAttempts: 1)
  /// Seconds after which a firing without response has failed.
  package var timeoutSeconds = 60

  /// A schedule of that function.
  package init(function: String, schedule: String) {
    self.function = function
    self.schedule = schedule
  }
}

/// A `taskQueueTrigger` of a manifest.
package struct QueueDeclaration: Sendable, Hashable, Codable {
  /// The function's name, which is the queue's as well.
  package var function: String
  /// The location in the queue's name.
  package var region = "us-central1"
  /// `retryConfig`.
  package var retry = RetryDeclaration(maxAttempts: 3)
  /// `rateLimits.maxConcurrentDispatches`.
  package var maxConcurrentDispatches = 1_000
  /// `rateLimits.maxDispatchesPerSecond`.
  package var maxDispatchesPerSecond = 500.0
  /// Seconds after which a task without response has failed.
  package var timeoutSeconds = 60

  /// A queue with Google's defaults.
  package init(function: String) { self.function = function }
}

/// The number of attempts, and the pauses between them.
package struct RetryDeclaration: Sendable, Hashable, Codable {
  /// The number of attempts, the first one included; nil is no limit.
  package var maxAttempts: Int?
  /// Seconds from the first attempt on in which it is repeated; nil is no limit.
  package var maxRetrySeconds: Double?
  /// The first pause in seconds.
  package var minBackoffSeconds = 0.1
  /// The longest pause in seconds.
  package var maxBackoffSeconds = 3_600.0
  /// The number of times that the pause doubles.
  package var maxDoublings = 16

  /// Google's pauses, with so many attempts.
  package init(maxAttempts: Int?) { self.maxAttempts = maxAttempts }
}

/// The differences between two declarations of a codebase, by function names in their order.
package struct TriggerChanges: Sendable, Hashable {
  /// Functions that had nothing registered.
  package var created: [String] = []
  /// Functions whose trigger, schedule or queue changes.
  package var updated: [String] = []
  /// Functions that have nothing registered any more.
  package var deleted: [String] = []

  /// No differences.
  package init() {}
}
