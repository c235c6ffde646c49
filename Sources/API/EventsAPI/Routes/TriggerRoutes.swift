import Access
import BaseJSON
import BaseStatus
import BaseText
import Events
import FirestoreWire
import HTTPTypes
import ServiceModule

/// Triggers and their events for administrators, Brasa's own, below `/v1/projects/{project}`.
///
///     GET    /triggers             triggers, schedules, task queues and subscriptions
///     PUT    /triggers/{name}      a subscription {url, eventType, filters, pathPatterns, channel, retry, protobuf}
///     DELETE /triggers/{name}      removes a subscription
///     GET    /triggerEvents        events that wait; ?dead=true dead letters, ?trigger=, ?pageSize=
///     GET    /triggerEvents/{id}   an event with its data, once for each trigger
///     POST   /triggerEvents:replay   delivers dead letters {trigger, id} again
///     POST   /triggerEvents:discard  removes dead letters {trigger, id}
///     GET    /schedules            schedules with their next times
///     POST   /schedules:run        fires a schedule {codebase, name} now
///
/// Subscriptions are for owners, since their addresses may hold secrets. Viewers read events and schedules, and editors replay,
/// discard and fire.
struct TriggerRoutes: Sendable {
  let environment: EventsEnvironment

  private static let bodyLimit = 64 << 10
  private static let listLimit = 1_000

  private var bus: EventBus { environment.bus }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}"
    return [
      route(.get, root + "/triggers", .readTriggers, list),
      route(.put, root + "/triggers/{name}", .changeTriggers, subscribe),
      route(.delete, root + "/triggers/{name}", .changeTriggers, unsubscribe),
      route(.get, root + "/triggerEvents", listEvents).openToViewers(),
      route(.get, root + "/triggerEvents/{id}", showEvent).openToViewers(),
      route(.post, root + "/triggerEvents:replay") { request, project in
        try await change(request, project) { try $0.replay($1) }
      },
      route(.post, root + "/triggerEvents:discard") { request, project in
        try await change(request, project) { try $0.discard($1) }
      },
      route(.get, root + "/schedules", listSchedules).openToViewers(),
      route(.post, root + "/schedules:run", runSchedule),
    ]
  }

  /// A route for administrators of its project.
  private func route(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ handler: @escaping @Sendable (ServiceRequest, String) async throws -> ServiceResponse
  ) -> HTTPRoute {
    HTTPRoute(method, RoutePattern(path), for: .administrators) { request in
      try await handler(request, try await environment.project(of: request))
    }
  }

  private func route(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ act: AdministrativeAct,
    _ handler: @escaping @Sendable (ServiceRequest, String) async throws -> ServiceResponse
  ) -> HTTPRoute {
    HTTPRoute(method, RoutePattern(path), for: .administrators) { request in
      let (access, context) = (environment.access, request.context)
      let project = request.project ?? ""
      try await environment.threads.run(caller: context.network) {
        _ = try access.caller(for: act, of: project, context)
      }
      return try await handler(request, project.string)
    }
    .performing(act)
  }

  private func list(_ request: ServiceRequest, _ project: String) async throws -> ServiceResponse {
    let triggers = try await environment.threads.run { [bus] in try bus.triggers(of: project) }
    return .of([.init("triggers", .array(triggers.map { Self.json($0) }))])
  }

  private static func json(_ trigger: StoredTrigger) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(trigger.name)), .init("kind", .string(trigger.role)),
    ]
    func add(_ name: String, _ value: String?) {
      if let value { members.append(.init(name, .string(value))) }
    }
    add("codebase", trigger.codebase)
    add("eventType", trigger.eventType)
    add("url", trigger.target?.url)
    switch trigger.cause {
    case .event(let declared):
      let filters = declared.filters.merging(declared.pathPatterns) { first, _ in first }
      let pairs = filters.sorted { $0.key < $1.key }
      members.append(
        .init("filters", .object(pairs.map { .init($0.key, .string($0.value)) }))
      )
      members.append(.init("retry", .boolean(declared.retries)))
    case .schedule(let declared): add("schedule", declared.schedule)
    case .queue(let declared): add("location", declared.region)
    }
    return .object(members)
  }

  private func subscribe(
    _ request: ServiceRequest,
    _ project: String
  ) async throws -> ServiceResponse {
    let body = try await request.jsonObject(upTo: Self.bodyLimit)
    guard let url = body["url"]?.string, let type = body["eventType"]?.string else {
      throw ServiceError(.invalidArgument, "A subscription needs a url and an eventType.")
    }
    var declared = TriggerDeclaration(function: request.variable("name"), eventType: type)
    declared.filters = Self.texts(body["filters"])
    declared.pathPatterns = Self.texts(body["pathPatterns"])
    declared.channel = body["channel"]?.string
    declared.retries = body["retry"]?.boolean ?? false
    var target = URLTarget(url: url)
    target.isJSON = body["protobuf"]?.boolean != true
    try await environment.threads.run { [bus, declared, target] in
      try bus.subscribe(declared, project: project, target: target)
    }
    return .of([])
  }

  private static func texts(_ json: JSONValue?) -> [String: String] {
    let pairs = (json?.members ?? []).compactMap { member in
      member.value.string.map { (member.key, $0) }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private func unsubscribe(
    _ request: ServiceRequest,
    _ project: String
  ) async throws -> ServiceResponse {
    let name = request.variable("name")
    let isRemoved = try await environment.threads.run { [bus] in
      try bus.unsubscribe(name, project: project)
    }
    guard isRemoved else {
      throw ServiceError(.notFound, "The project \(project) has no subscription \(name).")
    }
    return .of([])
  }

  private func listEvents(
    _ request: ServiceRequest,
    _ project: String
  ) async throws -> ServiceResponse {
    let parameters = try QueryParameters(request.query).parameters
    func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
    let isDead = value("dead") == "true"
    let limit = min(value("pageSize").flatMap { Int($0) } ?? 100, Self.listLimit)
    let trigger = value("trigger")
    let events = try await environment.threads.run { [bus] in
      try bus.list(project: project, isDead: isDead, trigger: trigger, limit: max(1, limit))
    }
    return .of([.init("events", .array(events.map { .object(Self.members(of: $0)) }))])
  }

  private func showEvent(
    _ request: ServiceRequest,
    _ project: String
  ) async throws -> ServiceResponse {
    let id = request.variable("id")
    let found = try await environment.threads.run { [bus] in try bus.find(id, project: project) }
    guard let first = found.first else {
      throw ServiceError(.notFound, "There is no pending event or dead letter \(id.prefix(100)).")
    }
    return .of([
      .init("events", .array(found.map { .object(Self.members(of: $0)) })),
      .init("data", try EventReport.data(of: first.event)),
    ])
  }

  private static func members(of event: ListedEvent) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = [
      .init("id", .string(event.id)), .init("trigger", .string(event.trigger.name)),
      .init("time", .string(EventTime.text(event.event.time))),
      .init("subject", .string(event.event.subject)),
      .init("attempts", .number("\(event.attempts)")), .init("dead", .boolean(event.isDead)),
    ]
    if let type = event.trigger.eventType { members.append(.init("eventType", .string(type))) }
    if let reason = event.reason { members.append(.init("reason", .string(reason))) }
    // Zero is at once; a dead letter has the time of its death.
    if event.time > 0 {
      members.append(.init(event.isDead ? "died" : "due", .string(EventTime.text(event.time))))
    }
    return members
  }

  private func listSchedules(
    _ request: ServiceRequest,
    _ project: String
  ) async throws -> ServiceResponse {
    let found = try await environment.threads.run { [bus] in
      try bus.triggers(of: project).compactMap { trigger -> JSONValue? in
        guard case .schedule(let declared) = trigger.cause else { return nil }
        let next = try bus.nextFirings(of: trigger, count: Self.nextTimes)
        return .object([
          "name": .string(trigger.name), "codebase": .string(trigger.codebase ?? ""),
          "schedule": .string(declared.schedule),
          "timeZone": .string(declared.timeZone ?? Schedule.defaultTimeZone),
          "next": .array(next.map { .string(EventTime.text($0)) }),
        ])
      }
    }
    return .of([.init("schedules", .array(found))])
  }

  /// The number of next times that a list has of a schedule.
  private static let nextTimes = 3

  private func runSchedule(
    _ request: ServiceRequest,
    _ project: String
  ) async throws -> ServiceResponse {
    let body = try await request.jsonObject(upTo: Self.bodyLimit)
    guard let name = body["name"]?.string, let codebase = body["codebase"]?.string else {
      throw ServiceError(.invalidArgument, "The name and the codebase of a schedule are required.")
    }
    request.context.actor?.note(subject: "fire \(name) of \(codebase)")
    guard try await bus.fireNow(name, codebase: codebase, project: project) else {
      throw ServiceError(
        .notFound,
        "The codebase \(codebase.prefix(100)) of \(project) has no schedule \(name.prefix(100))."
      )
    }
    return .of([])
  }

  private func change(
    _ request: ServiceRequest,
    _ project: String,
    _ act: @escaping @Sendable (EventBus, DeadLetterSelection) throws -> Int
  ) async throws -> ServiceResponse {
    let body = try await request.jsonObject(upTo: Self.bodyLimit)
    let selection = DeadLetterSelection(
      project: project,
      trigger: body["trigger"]?.string,
      id: body["id"]?.string
    )
    request.context.actor?.note(
      subject: "event \(selection.id ?? "any") of trigger \(selection.trigger ?? "any")"
    )
    let count = try await environment.threads.run { [bus] in try act(bus, selection) }
    return .of([.init("count", .number("\(count)"))])
  }
}
