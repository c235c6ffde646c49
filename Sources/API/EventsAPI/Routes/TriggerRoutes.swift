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
///     POST   /triggerEvents:replay   delivers dead letters {trigger, id} again
///     POST   /triggerEvents:discard  removes dead letters {trigger, id}
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
      route(.get, root + "/triggerEvents", .readTriggers, listEvents),
      route(.post, root + "/triggerEvents:replay", .changeTriggers) { request, project in
        try await change(request, project) { try $0.replay($1) }
      },
      route(.post, root + "/triggerEvents:discard", .changeTriggers) { request, project in
        try await change(request, project) { try $0.discard($1) }
      },
    ]
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
      throw ServiceError(.invalidArgument, "A subscription has a url and an eventType.")
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
    return .of([.init("events", .array(events.map(Self.json)))])
  }

  private static func json(_ event: ListedEvent) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .string(event.id)), .init("trigger", .string(event.trigger.name)),
      .init("time", .string(EventTime.text(event.event.time))),
      .init("subject", .string(event.event.subject)),
      .init("attempts", .number("\(event.attempts)")), .init("dead", .boolean(event.isDead)),
    ]
    if let reason = event.reason { members.append(.init("reason", .string(reason))) }
    return .object(members)
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
    let count = try await environment.threads.run { [bus] in try act(bus, selection) }
    return .of([.init("count", .number("\(count)"))])
  }
}
