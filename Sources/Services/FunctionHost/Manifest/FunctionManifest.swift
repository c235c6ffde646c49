import BaseJSON
import BaseStatus

/// The functions of a codebase, as Google's SDKs describe them (`specVersion: v1alpha1`).
package struct FunctionManifest: Sendable, Hashable {
  /// The endpoints, by name.
  package var endpoints: [FunctionEndpoint] = []
  /// The parameters that the source declares.
  package var parameters: [FunctionParameter] = []

  /// A manifest without functions.
  package init() {}
}

/// A parameter of a codebase, which `.env` files or secrets give its value.
package struct FunctionParameter: Sendable, Hashable {
  /// The name of the parameter and of its environment variable.
  package let name: String
  /// True for a secret.
  package let isSecret: Bool
  /// The value where no file has one.
  package let fallback: String?
}

/// One function of a manifest, with values for everything that the manifest leaves open.
package struct FunctionEndpoint: Sendable, Hashable {
  /// The form in which Google's frameworks call the code.
  package enum Signature: String, Sendable, Hashable {
    case http
    case cloudEvent = "cloudevent"
    case background = "event"
  }

  /// The cause of the function's runs.
  package enum Trigger: Sendable, Hashable {
    case http
    case callable
    case event(EventTrigger)
    case schedule(ScheduleTrigger)
    case taskQueue(retry: JSONValue?, rateLimits: JSONValue?)
    case blocking(eventType: String, options: JSONValue?)

    /// The word for lists.
    package var word: String {
      switch self {
      case .http: "http"
      case .callable: "callable"
      case .event(let event): event.eventType
      case .schedule(let schedule): "schedule \(schedule.schedule)"
      case .taskQueue: "task queue"
      case .blocking(let eventType, _): String(eventType.split(separator: "/").last ?? "blocking")
      }
    }
  }

  /// An `eventTrigger` as the manifest has it.
  package struct EventTrigger: Sendable, Hashable {
    /// The type of the events, of either generation.
    package var eventType: String
    /// `eventFilters`.
    package var filters: [String: String] = [:]
    /// `eventFilterPathPatterns`.
    package var pathPatterns: [String: String] = [:]
    /// The channel of custom events.
    package var channel: String?
    /// True where failed deliveries are repeated.
    package var retries = false
  }

  /// A `scheduleTrigger` as the manifest has it.
  package struct ScheduleTrigger: Sendable, Hashable {
    /// Cron or App Engine's English.
    package var schedule: String
    /// The time zone's name.
    package var timeZone: String?
    /// `retryConfig`.
    package var retry: JSONValue?
  }

  /// The name in URLs and lists.
  package let name: String
  /// The name in the source.
  package let entryPoint: String
  /// The regions that the function is served in.
  package var regions: [String]
  /// True for functions of the second generation.
  package let isSecondGeneration: Bool
  /// The cause of calls.
  package let trigger: Trigger
  /// True where administrators of the project alone may call the function by HTTP.
  package let isPrivate: Bool
  /// The memory that one instance may take.
  package let memoryMegabytes: Int
  /// Seconds that a call may take.
  package let timeoutSeconds: Int
  /// The number of instances that are kept running.
  package let minInstances: Int
  /// The largest number of instances.
  package let maxInstances: Int
  /// The number of calls that an instance takes at once.
  package let concurrency: Int
  /// The names of the secrets that the function reads, by environment variable.
  package let secrets: [String: String]
  /// Variables that the manifest sets.
  package let variables: [String: String]

  /// The signature that the framework is started with.
  package var signature: Signature {
    switch trigger {
    case .http, .callable, .taskQueue, .blocking: .http
    case .schedule: isSecondGeneration ? .http : .background
    case .event: isSecondGeneration ? .cloudEvent : .background
    }
  }
}
