import BaseJSON
import BaseStatus
import FunctionHost
import HTTPTypes
import ServiceModule

/// Schedules, queues and channels of functions, which their sources declare.
///
///     GET, PATCH, DELETE   /v1/projects/{project}/locations/{location}/jobs/{job}
///     POST                 /v1/projects/{project}/locations/{location}/jobs
///     GET, PATCH           /v2/projects/{project}/locations/{location}/queues/{queue}
///     POST                 /v2/projects/{project}/locations/{location}/queues/{queue}:purge, :getIamPolicy, :setIamPolicy
///     GET                  /v1/projects/{project}/locations/{location}/channels/{channel}
///
/// They come and go with their functions, so clients find them made. A change is accepted that says what the source says.
struct TriggerRoutes: FunctionsScoped {
  let environment: FunctionsAdminEnvironment

  private static let jobs = "/v1/projects/{project}/locations/{location}/jobs"
  private static let queues = "/v2/projects/{project}/locations/{location}/queues/{queue}"

  var routes: [HTTPRoute] { scheduling + queueing + [channel] }

  // MARK: Schedules

  private var scheduling: [HTTPRoute] {
    [
      route(.get, Self.jobs + "/{job}") { try await $0.job().json },
      route(.patch, Self.jobs + "/{job}") { call in
        try await Self.accept(try call.body(), call.parameter("job"), call)
      },
      route(.post, Self.jobs) { call in
        let body = try call.body()
        let name = body["name"]?.string?.split(separator: "/").last.map(String.init)
        return try await Self.accept(body, name ?? "", call)
      },
      // The schedule goes with the function, which clients delete next.
      route(.delete, Self.jobs + "/{job}") { call in
        _ = try await call.job()
        return .object([])
      },
    ]
  }

  private static func accept(
    _ body: JSONValue,
    _ name: String,
    _ call: FunctionsCall
  ) async throws -> JSONValue {
    let job = try await call.job(name)
    let schedule = body["schedule"]?.string ?? job.trigger.schedule
    let zone = body["timeZone"]?.string ?? job.zone
    guard schedule == job.trigger.schedule, zone == job.zone else {
      throw ServiceError(
        .failedPrecondition,
        "\(job.function.endpoint.name) runs \"\(job.trigger.schedule)\" (\(job.zone)): its source code sets this. Change it there."
      )
    }
    return job.json
  }

  // MARK: Queues

  private var queueing: [HTTPRoute] {
    [
      route(.get, Self.queues) { try await Self.queue($0, state: "RUNNING") },
      // The client closes a queue before it deletes the function, with which the queue goes.
      route(.patch, Self.queues) { call in
        try await Self.queue(call, state: try call.body()["state"]?.string ?? "RUNNING")
      },
      route(.post, Self.queues + ":purge") { call in
        _ = try await call.queueFunction()
        throw ServiceError(
          .unimplemented,
          "Purging a queue is not supported. Discard its tasks one by one with brasa events discard."
        )
      },
      route(.post, Self.queues + ":getIamPolicy") { call in
        _ = try await call.queueFunction()
        return Self.noPolicy
      },
      route(.post, Self.queues + ":setIamPolicy") { call in
        _ = try await call.queueFunction()
        let bindings = try call.body()["policy"]?["bindings"]?.elements ?? []
        let members = bindings.flatMap { $0["members"]?.elements ?? [] }.compactMap(\.string)
        guard members.allSatisfy({ $0.hasSuffix("gserviceaccount.com") }) else {
          throw ServiceError(
            .failedPrecondition,
            "Only administrators of the project can enqueue tasks. Remove other members."
          )
        }
        return Self.noPolicy
      },
    ]
  }

  private static let noPolicy = JSONValue.object([
    "version": .integer(1), "etag": .string("BwAAAAAAAAA="), "bindings": .array([]),
  ])

  private static func queue(_ call: FunctionsCall, state: String) async throws -> JSONValue {
    let function = try await call.queueFunction()
    guard case .taskQueue(let retry, let limits) = function.endpoint.trigger else {
      throw ServiceError(.notFound, "The queue does not exist.")
    }
    let root = "projects/\(call.project)/locations/\(function.region)/queues"
    // In the order and with the defaults of the CLI, which compares texts.
    let rates: [JSONValue.Member] = [
      number("maxConcurrentDispatches", in: limits, or: 1_000),
      number("maxDispatchesPerSecond", in: limits, or: 500),
    ]
    let retries: [JSONValue.Member] = [
      number("maxDoublings", in: retry, or: 16), number("maxAttempts", in: retry, or: 3),
      duration("maxBackoff", in: retry, or: "3600s"),
      duration("minBackoff", in: retry, or: "0.100s"),
    ]
    return .object([
      JSONValue.Member("rateLimits", .object(rates)), JSONValue.Member("state", .string(state)),
      JSONValue.Member("retryConfig", .object(retries)),
      JSONValue.Member("name", .string("\(root)/\(function.endpoint.name)")),
    ])
  }

  private static func number(
    _ name: String,
    in config: JSONValue?,
    or fallback: Int
  ) -> JSONValue.Member {
    JSONValue.Member(name, (config?[name]).given ?? .integer(fallback))
  }

  private static func duration(
    _ name: String,
    in config: JSONValue?,
    or fallback: String
  ) -> JSONValue.Member {
    let seconds = (config?["\(name)Seconds"]).given
    return JSONValue.Member(name, .string(seconds.map { "\($0.compact)s" } ?? fallback))
  }

  // MARK: Channels

  /// Every channel exists: events published on it go to the functions that name it.
  private var channel: HTTPRoute {
    route(.get, "/v1/projects/{project}/locations/{location}/channels/{channel}") { call in
      let root = "projects/\(call.project)/locations/\(call.parameter("location"))/channels"
      return .object([
        "name": .string("\(root)/\(call.parameter("channel"))"), "state": .string("ACTIVE"),
      ])
    }
  }
}

/// A schedule of a function as Cloud Scheduler has it.
struct ScheduledJob {
  let name: String
  let project: String
  let location: String
  let function: DeployedFunction
  let trigger: FunctionEndpoint.ScheduleTrigger
  let uri: String

  /// The time zone that counts, with the defaults of Google's clients.
  var zone: String {
    trigger.timeZone ?? (function.endpoint.isSecondGeneration ? "UTC" : "America/Los_Angeles")
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string("projects/\(project)/locations/\(location)/jobs/\(name)")),
      .init("schedule", .string(trigger.schedule)), .init("timeZone", .string(zone)),
      .init("state", .string("ENABLED")),
    ]
    if function.endpoint.isSecondGeneration {
      let target = JSONValue.object(["uri": .string(uri), "httpMethod": .string("POST")])
      members.append(.init("httpTarget", target))
    } else {
      let target = JSONValue.object([
        "topicName": .string("projects/\(project)/topics/\(name)"),
        "attributes": .object(["scheduled": .string("true")]),
      ])
      members.append(.init("pubsubTarget", target))
    }
    let retry = trigger.retry.map(Self.retry) ?? []
    if !retry.isEmpty { members.append(.init("retryConfig", .object(retry))) }
    return .object(members)
  }

  private static func retry(_ config: JSONValue) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    for name in ["retryCount", "maxDoublings"] {
      if let number = config[name].given { members.append(.init(name, number)) }
    }
    for name in ["maxRetry", "minBackoff", "maxBackoff"] {
      if let seconds = config["\(name)Seconds"].given {
        members.append(.init("\(name)Duration", .string("\(seconds.compact)s")))
      }
    }
    return members
  }
}

extension JSONValue? {
  /// The value, unless it is null.
  fileprivate var given: JSONValue? { self == .some(.null) ? nil : self }
}

extension FunctionsCall {
  /// The schedule that the path names, or that name: `firebase-schedule-FUNCTION-REGION`.
  ///
  /// Jobs of the first generation are all in one location, independent of the function's.
  func job(_ named: String? = nil) async throws -> ScheduledJob {
    let name = named ?? parameter("job")
    for function in try await host.deployed(project: project) {
      guard case .schedule(let trigger) = function.endpoint.trigger,
        name == "firebase-schedule-\(function.endpoint.name)-\(function.region)"
      else { continue }
      return ScheduledJob(
        name: name,
        project: project,
        location: parameter("location"),
        function: function,
        trigger: trigger,
        uri: "\(environment.origin())/\(project)/\(function.region)/\(function.endpoint.name)"
      )
    }
    throw ServiceError(.notFound, "There is no job \(name.prefix(100)).")
  }

  /// The function whose queue the path names.
  func queueFunction() async throws -> DeployedFunction {
    let found = try? await function(parameter("queue"), in: parameter("location"))
    guard let found, case .taskQueue = found.endpoint.trigger else {
      throw ServiceError(.notFound, "There is no queue \(parameter("queue").prefix(100)).")
    }
    return found
  }
}
