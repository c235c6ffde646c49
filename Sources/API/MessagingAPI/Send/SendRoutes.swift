import BaseJSON
import BaseText
import FirestoreModel
import FirestoreWire
import HTTPTypes
import PushMessaging
import ServiceModule

/// The routes that back ends call, with an administrator's credentials.
///
/// Below `/v1/projects/{project}`:
///
///     POST   /messages:send          sends {message, validate_only}
///     POST   /messages:sendToUser    Brasa's own: to every registration of the user {uid}
///     POST   /messages:sendToAudience  Brasa's own: to every installation in the {audience} of analytics
///     POST   /messages:schedule      Brasa's own: at {scheduleTime}, or at {localTime} of each device; see `ScheduleForm`
///     GET    /messages               Brasa's own: the newest with what became of them; ?pageSize=, ?pageToken=
///     GET    /messages:listTopics    Brasa's own: topics with their registrations; ?pageSize=, ?pageToken=
///     GET    /messages/{id}          Brasa's own: one of them, with its content
///     GET    /messages/{id}/deliveries  its deliveries; ?pageSize=, ?pageToken=
///     DELETE /messages/{id}          takes back a message whose time has not come
struct SendRoutes: Sendable {
  let environment: MessagingEnvironment

  /// The largest body: the payloads of all platforms, escaped.
  private static let bodyLimit = 64 << 10

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/messages"
    var send = messagingRoute(.post, root + ":send", for: .administrators, handler: self.send)
    send.loop = HTTPRoute.LoopHandling(upTo: Self.bodyLimit, handler: submitSend)
    return [
      send,
      messagingRoute(.post, root + ":sendToUser", for: .administrators, handler: sendToUser),
      messagingRoute(
        .post,
        root + ":sendToAudience",
        for: .administrators,
        handler: sendToAudience
      ),
      messagingRoute(.post, root + ":schedule", for: .administrators, handler: schedule),
      reading(root, list), reading(root + ":listTopics", listTopics),
      reading(root + "/{id}", get), reading(root + "/{id}/deliveries", deliveries),
      messagingRoute(.delete, root + "/{id}", for: .administrators, handler: cancel),
    ]
  }

  /// A route that changes nothing.
  private func reading(_ path: String, _ handler: @escaping HTTPRoute.Handler) -> HTTPRoute {
    messagingRoute(.get, path, for: .administrators, handler: handler).openToViewers()
  }

  private func send(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let body = try await body(of: request, members: [])
    let message = try OutgoingMessage(json: body.json["message"], now: service.now)
    return try await send(message, body, request)
  }

  /// `send` without a task.
  private func submitSend(
    _ request: ServiceRequest,
    _ bytes: [UInt8],
    _ answer: @escaping @Sendable (LoopAnswer) -> Void
  ) throws -> Bool {
    guard try environment.isSenderInMemory(request) else { return false }
    let body = try Self.body(request.object(bytes), members: [])
    guard !body.isTrial else { return false }
    let message = try OutgoingMessage(json: body.json["message"], now: service.now)
      .capped(body.cap)
    let project = Text(request.variable("project"))
    service.submit(message, from: project, origin: "v1") { outcome in
      answer(LoopAnswer(request) { .response(Self.accepted(try outcome.get(), in: project)) })
    }
    return true
  }

  private func sendToUser(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await send(request, to: "uid", Self.user)
  }

  private func sendToAudience(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await send(request, to: "audience", Self.audience)
  }

  private static func user(
    _ json: JSONValue?
  ) throws(MessagingError) -> OutgoingMessage.Recipient {
    guard let uid = json?.string, !uid.isEmpty, uid.utf8.count <= 128 else {
      throw .invalid("uid", "The user's ID is missing.")
    }
    return .user(uid)
  }

  private static func audience(
    _ json: JSONValue?
  ) throws(MessagingError) -> OutgoingMessage.Recipient {
    guard let name = json?.string, !name.isEmpty else {
      throw .invalid("audience", "The audience's name is missing.")
    }
    return .audience(name)
  }

  /// The user or the audience that a body names; nil where its message has the recipient.
  private static func recipient(
    in body: JSONValue
  ) throws(MessagingError) -> OutgoingMessage.Recipient? {
    switch (body.present("uid"), body.present("audience")) {
    case (nil, nil): return nil
    case (let uid?, nil): return try user(uid)
    case (nil, let name?): return try audience(name)
    default: throw .invalid("uid", "One of uid and audience is expected.")
    }
  }

  /// Sends to the recipients in a member of the body.
  private func send(
    _ request: ServiceRequest,
    to member: String,
    _ recipient: (JSONValue?) throws -> OutgoingMessage.Recipient
  ) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let body = try await body(of: request, members: [member])
    let message = try OutgoingMessage(
      json: body.json["message"],
      recipient: try recipient(body.json[member]),
      now: service.now
    )
    return try await send(message, body, request)
  }

  private func send(
    _ message: OutgoingMessage,
    _ body: Body,
    _ request: ServiceRequest
  ) async throws -> ServiceResponse {
    let project = Text(request.variable("project"))
    let message = try message.capped(body.cap)
    let id =
      body.isTrial
      ? try await service.check(message, from: project)
      : try await service.send(message, from: project, origin: "v1")
    return Self.accepted(id, in: project)
  }

  private static func accepted(_ id: String, in project: Text) -> ServiceResponse {
    .json(.object([.init("name", .string("projects/\(project.string)/messages/\(id)"))]))
  }

  private func schedule(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let body = try await body(
      of: request,
      members: ScheduleForm.members.union(["uid", "audience"])
    )
    let form = try ScheduleForm(body.json)
    let message = try OutgoingMessage(
      json: body.json["message"],
      recipient: try Self.recipient(in: body.json),
      now: form.reference
    ).capped(body.cap)
    let project = Text(request.variable("project"))
    let id: String
    if body.isTrial {
      try service.check(form.schedule)
      id = try await service.check(message, from: project)
    } else {
      id = try await service.schedule(
        message,
        from: project,
        origin: "v1",
        by: form.schedule
      )
    }
    return Self.accepted(id, in: project)
  }

  /// The body of a request that sends.
  private struct Body {
    let json: JSONValue
    /// True if everything is checked and nothing sent.
    let isTrial: Bool
    /// Brasa's own: the maximum number of messages with the message's label for a user.
    let cap: FrequencyCap?
  }

  private func body(
    of request: ServiceRequest,
    members: Set<String>
  ) async throws -> Body {
    try Self.body(await request.object(upTo: Self.bodyLimit), members: members)
  }

  private static func body(_ json: JSONValue, members: Set<String>) throws -> Body {
    let known = members.union(["message", "validate_only", "validateOnly", "frequencyCap"])
    if let unknown = json.members?.first(where: { !known.contains($0.key) }) {
      let message =
        "Invalid JSON payload received. Unknown name \"\(unknown.key.prefix(100))\": Cannot find field."
      throw MessagingError.invalid("", message)
    }
    let cap = try json["frequencyCap"].map(Self.cap)
    return Body(json: json, isTrial: try isTrial(json), cap: cap)
  }

  /// True if nothing is to be sent; refuses other values than a boolean, with which the message would be sent.
  private static func isTrial(_ json: JSONValue) throws(MessagingError) -> Bool {
    for name in ["validate_only", "validateOnly"] {
      guard let value = json.present(name) else { continue }
      guard let flag = value.boolean else {
        let text = "Invalid value at '\(name)' (TYPE_BOOL), \(value.compact.prefix(100))"
        throw .invalid(name, text)
      }
      return flag
    }
    return false
  }

  /// Reads `{"messages": 3, "period": "86400s"}`.
  private static func cap(_ json: JSONValue) throws(MessagingError) -> FrequencyCap {
    guard let messages = json["messages"]?.integer,
      let text = json["period"]?.string, text.hasSuffix("s"), let period = Int64(text.dropLast())
    else {
      throw .invalid(
        "frequencyCap",
        "A cap must have the form {\"messages\": 3, \"period\": \"86400s\"}."
      )
    }
    return try FrequencyCap(messages: messages, period: period)
  }

  // MARK: Reports

  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let page = try Page(request)
    let project = Text(request.variable("project"))
    let reports = try await service.reports(
      of: project,
      before: try page.token { StoredMessage.id(of: $0) } ?? .max,
      limit: page.size
    )
    let next = reports.count == page.size ? reports.last?.message.name : nil
    return page.answer("messages", reports.map(\.json), next: next)
  }

  private func listTopics(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let page = try Page(request)
    let project = Text(request.variable("project"))
    let found = try await service.topics(of: project, after: page.token ?? "", limit: page.size)
    let next = found.count == page.size ? found.last?.topic.text : nil
    let topics = found.map { topic, registrations in
      JSONValue.object([
        .init("name", .string(topic.text)), .init("registrations", .integer(registrations)),
      ])
    }
    return page.answer("topics", topics, next: next)
  }

  private func get(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let (project, id) = try Self.message(of: request)
    guard let report = try await service.report(id, of: project) else {
      throw MessagingError.unregistered
    }
    // How each way delivers is kept beside the message and no part of what was sent.
    let sent = (report.message.content.json.members ?? []).filter { $0.key != "options" }
    return .json(.object((report.json.members ?? []) + [.init("message", .object(sent))]))
  }

  private func deliveries(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let (project, id) = try Self.message(of: request)
    let page = try Page(request)
    let found = try await service.deliveries(
      of: id,
      in: project,
      after: try page.token { Int64($0) } ?? 0,
      limit: page.size
    )
    let next = found.count == page.size ? found.last.map { "\($0.registration)" } : nil
    return page.answer("deliveries", found.map(\.json), next: next)
  }

  private func cancel(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let (project, id) = try Self.message(of: request)
    guard try await service.cancel(id, of: project) else {
      throw MessagingError(.unregistered, "There is no scheduled message with that ID.")
    }
    return .emptyObject
  }

  private static func message(
    of request: ServiceRequest
  ) throws(MessagingError) -> (Text, Int64) {
    guard let id = StoredMessage.id(of: request.variable("id")) else {
      throw MessagingError.unregistered
    }
    return (Text(request.variable("project")), id)
  }
}

/// The part of a list that a request asks for.
struct Page {
  let size: Int
  let token: String?

  init(_ request: ServiceRequest) throws {
    let parameters = try QueryParameters(request.query).parameters
    let text = parameters.first { $0.name == "pageSize" }?.value ?? "100"
    guard let size = Int(text), (1...1_000).contains(size) else {
      throw MessagingError.invalid("pageSize", "pageSize must be between 1 and 1000.")
    }
    self.size = size
    let token = parameters.first { $0.name == "pageToken" }?.value
    self.token = token?.isEmpty == false ? token : nil
  }

  /// The place behind which the page begins; nil for the first page, INVALID_ARGUMENT for a token of another list.
  func token<Place>(_ read: (String) -> Place?) throws(MessagingError) -> Place? {
    guard let token else { return nil }
    guard let place = read(token) else {
      throw .invalid("pageToken", "pageToken does not belong to this list.")
    }
    return place
  }

  func answer(_ name: String, _ items: [JSONValue], next: String?) -> ServiceResponse {
    let rest = next.map { [JSONValue.Member("nextPageToken", .string($0))] } ?? []
    return .json(.object([.init(name, .array(items))] + rest))
  }
}

extension MessageReport {
  /// The message and its counts by transport and state, without those that are zero.
  package var json: JSONValue {
    let transports = PushChannel.allCases.compactMap { channel -> JSONValue.Member? in
      let states = Delivery.State.allCases.compactMap { state -> JSONValue.Member? in
        let count = counts[channel, state]
        return count == 0 ? nil : .init(state.name, .integer(count))
      }
      return states.isEmpty ? nil : .init(channel.name, .object(states))
    }
    let instant = Timestamp(microseconds: message.start)
    let time = TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
    let label = message.content.label.map { [JSONValue.Member("label", .string($0))] } ?? []
    let title = message.content.json["notification"]?["title"]?.string.map {
      [JSONValue.Member("title", .string($0))]
    }
    let schedule =
      message.schedule.map { [JSONValue.Member("schedule", .object($0.members))] } ?? []
    let original = message.originalName.map { [JSONValue.Member("repeats", .string($0))] } ?? []
    return .object(
      [
        .init("name", .string("projects/\(message.project.string)/messages/\(message.name)")),
        .init("target", .string(message.target.description)),
        .init("origin", .string(message.origin)), .init("stage", .string("\(message.stage)")),
        .init("time", .string(time)),
      ] + schedule + original + label + (title ?? []) + [.init("deliveries", .object(transports))]
    )
  }
}

extension DeliveryReport {
  /// The delivery with its registration's number.
  package var json: JSONValue {
    let instant = Timestamp(microseconds: delivery.at)
    let time = TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
    let reason = delivery.reason.map { [JSONValue.Member("reason", .string($0))] } ?? []
    return .object(
      [
        .init("registration", .string("\(registration)")),
        .init("transport", .string(delivery.channel.name)),
        .init("state", .string(delivery.state.name)), .init("time", .string(time)),
      ] + reason
    )
  }
}
