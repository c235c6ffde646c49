import BaseJSON
import BaseStatus
import BaseText
import Events
import HTTPTypes
import ServiceModule

/// Pub/Sub's topics as back ends use them, below `/v1/projects/{project}/topics`.
///
///     POST   /{topic}:publish   publishes {messages: [{data, attributes, orderingKey}]}
///     PUT    /{topic}           makes a topic
///     GET    /{topic}           a topic
///     DELETE /{topic}           deletes a topic
///     GET    (none)             the topics
struct TopicRoutes: Sendable {
  let environment: EventsEnvironment

  /// Google's bound, and as much again for Base64.
  private static let bodyLimit = 14 << 20
  private static let messageLimit = 1_000

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/topics"
    return [
      HTTPRoute(
        .post,
        RoutePattern(root + "/{topic}:publish"),
        for: .administrators,
        handler: publish
      ),
      HTTPRoute(.put, RoutePattern(root + "/{topic}"), for: .administrators, handler: create),
      HTTPRoute(.get, RoutePattern(root + "/{topic}"), for: .administrators, handler: get)
        .openToViewers(),
      HTTPRoute(.delete, RoutePattern(root + "/{topic}"), for: .administrators, handler: delete),
      HTTPRoute(.get, RoutePattern(root), for: .administrators, handler: list).openToViewers(),
    ]
  }

  private func publish(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let body = try await request.jsonObject(upTo: Self.bodyLimit)
    let listed = body["messages"]?.elements ?? []
    guard (1...Self.messageLimit).contains(listed.count) else {
      throw ServiceError(.invalidArgument, "The value for message_count is too small or too large.")
    }
    let messages = try listed.map(Self.message)
    let ids = try await environment.bus.publish(
      messages,
      to: request.variable("topic"),
      project: project,
      by: environment.author(of: request),
      timeText: EventTime.text
    )
    return .of([.init("messageIds", .array(ids.map(JSONValue.string)))])
  }

  private static func message(_ json: JSONValue) throws -> TopicMessage {
    var message = TopicMessage()
    message.data = json["data"]?.string ?? ""
    guard message.data.isEmpty || Base64.decode(message.data) != nil else {
      throw ServiceError(.invalidArgument, "A message's data is not valid Base64.")
    }
    for member in json["attributes"]?.members ?? [] {
      guard let value = member.value.string else {
        throw ServiceError(.invalidArgument, "The attribute \(member.key) is not a string.")
      }
      message.attributes[member.key] = value
    }
    message.orderingKey = json["orderingKey"]?.string ?? json["ordering_key"]?.string ?? ""
    guard !message.data.isEmpty || !message.attributes.isEmpty else {
      throw ServiceError(
        .invalidArgument,
        "One or more messages in the publish request is empty. Each message must contain either non-empty data, or at "
          + "least one attribute."
      )
    }
    return message
  }

  private func create(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let topic = request.variable("topic")
    try await environment.bus.createTopic(topic, project: project)
    return Self.topic(topic, project)
  }

  private func get(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let topic = request.variable("topic")
    guard try await environment.bus.topics(of: project).contains(topic) else {
      throw ServiceError(.notFound, "Resource not found (resource=\(topic)).")
    }
    return Self.topic(topic, project)
  }

  private func delete(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    try await environment.bus.deleteTopic(request.variable("topic"), project: project)
    return .of([])
  }

  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let topics = try await environment.bus.topics(of: project)
    let listed = topics.map { JSONValue.object([.init("name", .string(Self.name($0, project)))]) }
    return .of(listed.isEmpty ? [] : [.init("topics", .array(listed))])
  }

  private static func topic(_ topic: String, _ project: String) -> ServiceResponse {
    .of([.init("name", .string(name(topic, project)))])
  }

  private static func name(_ topic: String, _ project: String) -> String {
    "projects/\(project)/topics/\(topic)"
  }
}
