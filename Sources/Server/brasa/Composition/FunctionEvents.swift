import BaseJSON
import Events
import FunctionHost

/// Joins the host of functions with the event bus: the triggers of a codebase are registered where it is deployed, and the
/// bus delivers to the instances.
struct FunctionEvents: TriggerRegistry, FunctionTarget {
  let bus: EventBus
  let host: FunctionHost

  /// Has the bus deliver to the host, and the host register at the bus.
  func join(_ listeners: any InstanceListeners) async {
    await host.connect(listeners: listeners, triggers: self)
    bus.attach(self)
  }

  /// Throws INVALID_ARGUMENT for endpoints that can't be served; changes nothing.
  func check(_ endpoints: [FunctionEndpoint], project: String, codebase: String) throws {
    let name = CodebaseName(project: project, codebase: codebase)
    _ = try bus.plannedChanges(of: name, with: CodebaseDeclaration(endpoints))
  }

  /// Replaces everything that a codebase has registered.
  func replace(_ endpoints: [FunctionEndpoint], project: String, codebase: String) throws {
    let name = CodebaseName(project: project, codebase: codebase)
    let declaration = CodebaseDeclaration(endpoints)
    guard try bus.plannedChanges(of: name, with: declaration) != TriggerChanges() else { return }
    _ = try bus.replaceTriggers(of: name, with: declaration) { _ in }
  }

  /// Removes everything that a codebase has registered.
  func remove(project: String, codebase: String) throws {
    try bus.removeTriggers(of: CodebaseName(project: project, codebase: codebase)) { _ in }
  }

  /// Sends a delivery to an instance of its function.
  func deliver(_ delivery: FunctionDelivery) async -> DeliveryOutcome {
    let codebase = delivery.function.codebase
    let function = HostedFunction(
      project: codebase.project,
      codebase: codebase.codebase,
      name: delivery.function.name
    )
    var request = InvocationRequest()
    request.headers = delivery.headers.map { ($0.name, $0.value) }
    if delivery.headers.contains(where: { $0.name == "x-cloudtasks-queuename" }) {
      request.headers.append(("authorization", Self.taskCredential))
    }
    request.body = delivery.body
    request.timeoutSeconds = delivery.timeoutSeconds
    request.depth = delivery.depth
    switch await host.invoke(function, request) {
    case .responded(let status, _) where (200..<300).contains(status): return .delivered
    case .responded(let status, let body):
      let text = String(decoding: body.prefix(300), as: UTF8.self)
      return .failed(status: status, reason: text.isEmpty ? "The function failed." : text)
    case .timedOut: return .failed(status: nil, reason: "The function did not finish in time.")
    case .failed(let reason): return .failed(status: nil, reason: reason)
    case .absent: return .absent
    }
  }
}

extension FunctionEvents {
  /// Google's SDK for Node demands a token of tasks' service account, which it reads and doesn't verify.
  fileprivate static let taskCredential =
    "Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2FjY291bnRzLmdvb2dsZS5jb20iLCJzdWIiOiJ0YXNrcyJ9."
}

extension CodebaseDeclaration {
  /// The endpoints of a manifest that events, schedules or tasks call.
  fileprivate init(_ endpoints: [FunctionEndpoint]) {
    self.init()
    for endpoint in endpoints {
      switch endpoint.trigger {
      case .http, .callable, .blocking: continue
      case .event(let event): triggers.append(TriggerDeclaration(event, of: endpoint))
      case .schedule(let schedule): schedules.append(ScheduleDeclaration(schedule, of: endpoint))
      case .taskQueue(let retry, let limits):
        queues.append(QueueDeclaration(retry, limits, of: endpoint))
      }
    }
  }
}

extension TriggerDeclaration {
  fileprivate init(_ event: FunctionEndpoint.EventTrigger, of endpoint: FunctionEndpoint) {
    self.init(function: endpoint.name, eventType: event.eventType)
    filters = event.filters
    pathPatterns = event.pathPatterns
    channel = event.channel
    retries = event.retries
    region = endpoint.regions.first ?? region
    // No more at once than all instances take.
    concurrency = max(1, min(concurrency, endpoint.concurrency * endpoint.maxInstances))
    timeoutSeconds = endpoint.timeoutSeconds
  }
}

extension ScheduleDeclaration {
  fileprivate init(_ declared: FunctionEndpoint.ScheduleTrigger, of endpoint: FunctionEndpoint) {
    self.init(function: endpoint.name, schedule: declared.schedule)
    // The defaults with which Google's command line makes jobs.
    timeZone =
      declared.timeZone ?? (endpoint.isSecondGeneration ? "UTC" : "America/Los_Angeles")
    region = endpoint.regions.first ?? region
    isFirstGeneration = !endpoint.isSecondGeneration
    // `retryCount` counts repetitions, the first attempt is none.
    retry.maxAttempts = 1 + (declared.retry?["retryCount"]?.wholeNumber ?? 0)
    retry.read(declared.retry)
    timeoutSeconds = endpoint.timeoutSeconds
  }
}

extension QueueDeclaration {
  fileprivate init(_ retry: JSONValue?, _ limits: JSONValue?, of endpoint: FunctionEndpoint) {
    self.init(function: endpoint.name)
    region = endpoint.regions.first ?? region
    self.retry.maxAttempts = retry?["maxAttempts"]?.wholeNumber ?? self.retry.maxAttempts
    self.retry.read(retry)
    maxConcurrentDispatches =
      limits?["maxConcurrentDispatches"]?.wholeNumber ?? maxConcurrentDispatches
    maxDispatchesPerSecond =
      limits?["maxDispatchesPerSecond"]?.seconds ?? maxDispatchesPerSecond
    timeoutSeconds = endpoint.timeoutSeconds
  }
}

extension RetryDeclaration {
  /// Reads the pauses of a `retryConfig`; missing ones stay.
  fileprivate mutating func read(_ config: JSONValue?) {
    maxRetrySeconds = config?["maxRetrySeconds"]?.seconds ?? maxRetrySeconds
    minBackoffSeconds = config?["minBackoffSeconds"]?.seconds ?? minBackoffSeconds
    maxBackoffSeconds = config?["maxBackoffSeconds"]?.seconds ?? maxBackoffSeconds
    maxDoublings = config?["maxDoublings"]?.wholeNumber ?? maxDoublings
  }
}

extension JSONValue {
  /// A number of seconds, or of dispatches in one.
  fileprivate var seconds: Double? {
    guard case .number(let digits) = self, let number = Double(digits) else { return nil }
    return number >= 0 && number.isFinite ? number : nil
  }

  /// A number of attempts or the like.
  fileprivate var wholeNumber: Int? { seconds.flatMap { Int(exactly: $0) } }
}
