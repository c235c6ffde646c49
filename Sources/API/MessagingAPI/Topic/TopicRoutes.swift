import BaseJSON
import BaseText
import FirestoreModel
import FirestoreWire
import HTTPTypes
import PushMessaging
import ServiceModule

/// The routes by which back ends manage topics.
///
///     POST   /iid/v1:batchAdd                    subscribes {registration_tokens} to the topic {to}
///     POST   /iid/v1:batchRemove                 ends that
///     POST   /iid/v1/{token}/rel/topics/{topic}  subscribes one
///     GET    /iid/info/{token}                   what is known of a registration; ?details=true with its topics
///     POST   /v1/projects/{project}/registrations/{token}/topicSubscriptions?topic_name=
///     DELETE /v1/projects/{project}/registrations/{token}/topicSubscriptions/{topic}
///
/// The first ones have no project: with an administrator's credentials it is the tokens' own.
struct TopicRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 8 << 20
  private static let tokenLimit = 1_000

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/registrations/{token}/topicSubscriptions"
    return [
      HTTPRoute(.post, RoutePattern("/iid/v1:batchAdd"), for: .administrators) { request in
        try await batch(request, subscribing: true)
      },
      HTTPRoute(.post, RoutePattern("/iid/v1:batchRemove"), for: .administrators) { request in
        try await batch(request, subscribing: false)
      },
      messagingRoute(
        .post,
        "/iid/v1/{token}/rel/topics/{topic}",
        for: .administrators,
        handler: subscribe
      ),
      messagingRoute(.get, "/iid/info/{token}", for: .administrators, handler: info),
      messagingRoute(.post, root, for: .administrators) { request in
        try await change(request, topic: topicName(of: request), subscribing: true)
      },
      messagingRoute(.delete, root + "/{topic}", for: .administrators) { request in
        try await change(request, topic: request.variable("topic"), subscribing: false)
      },
    ]
  }

  // MARK: Many tokens

  private func batch(
    _ request: ServiceRequest,
    subscribing: Bool
  ) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    do {
      let body = try await request.object(upTo: Self.bodyLimit)
      let list = body["registration_tokens"]?.elements ?? []
      let tokens = list.compactMap(\.string)
      guard let topic = body["to"]?.string.flatMap({ TopicName($0) }), !tokens.isEmpty,
        tokens.count == list.count
      else { return Self.failure("InvalidRequest", .badRequest) }
      guard tokens.count <= Self.tokenLimit else {
        return Self.failure("InvalidRequest", .badRequest)
      }
      let results = try await change(tokens, topic, subscribing: subscribing).map { failure in
        JSONValue.object(failure.map { [.init("error", .string($0.rawValue))] } ?? [])
      }
      return .json(.object([.init("results", .array(results))]))
    } catch let error as MessagingError {
      request.logger.requestFailed(error.firestoreError)
      let status = HTTPResponse.Status(code: error.status.httpStatus)
      return Self.failure(error.status.name, status)
    }
  }

  /// Subscribes tokens, each in its own project.
  private func change(
    _ tokens: [String],
    _ topic: TopicName,
    subscribing: Bool
  ) async throws -> [PushService.TopicFailure?] {
    var projects: [Text: [Int]] = [:]
    var results = [PushService.TopicFailure?](repeating: nil, count: tokens.count)
    for (index, token) in tokens.enumerated() {
      do {
        let registration = try await service.registration(of: token)
        projects[registration.project, default: []].append(index)
      } catch let error as MessagingError {
        switch error.code {
        case .invalidArgument: results[index] = .invalidArgument
        case .unregistered: results[index] = .notFound
        default: throw error
        }
      }
    }
    for (project, indices) in projects {
      let answers = try await service.changeTopic(
        topic,
        of: indices.map { tokens[$0] },
        in: project,
        subscribing: subscribing
      )
      for (index, answer) in zip(indices, answers) { results[index] = answer }
    }
    return results
  }

  static func failure(
    _ code: String,
    _ status: HTTPResponse.Status
  ) -> ServiceResponse {
    .json(.object([.init("error", .string(code))]), status: status)
  }

  // MARK: One token

  private func subscribe(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    guard let topic = TopicName(request.variable("topic")) else {
      throw MessagingError.invalid("topic", "Malformed topic name.")
    }
    let token = request.variable("token")
    let project = try await service.registration(of: token).project
    return try await change(token, topic, in: project, subscribing: true)
  }

  private func topicName(of request: ServiceRequest) throws -> String {
    try QueryParameters(request.query).parameters.first {
      $0.name == "topic_name" || $0.name == "topicName"
    }?.value ?? ""
  }

  private func change(
    _ request: ServiceRequest,
    topic: String,
    subscribing: Bool
  ) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    guard let topic = TopicName(topic) else {
      throw MessagingError.invalid("topic_name", "Malformed topic name.")
    }
    let project = Text(request.variable("project"))
    return try await change(
      request.variable("token"),
      topic,
      in: project,
      subscribing: subscribing
    )
  }

  private func change(
    _ token: String,
    _ topic: TopicName,
    in project: Text,
    subscribing: Bool
  ) async throws -> ServiceResponse {
    // The owner of the token, in the words of one registration.
    _ = try await service.registration(of: token, in: project)
    let failure = try await service.changeTopic(
      topic,
      of: [token],
      in: project,
      subscribing: subscribing
    )
    switch failure.first ?? nil {
    case nil: return .emptyObject
    case .tooManyTopics:
      throw MessagingError(.quotaExceeded, "The registration has too many topics.")
    case .notFound, .invalidArgument, .permissionDenied: throw MessagingError.unregistered
    }
  }

  private func info(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let known = try await service.registration(of: request.variable("token"))
    let platform =
      switch known.address {
      case .apns: "IOS"
      case .webPush: "CHROME"
      case .direct: "ANDROID"
      }
    var members: [JSONValue.Member] = [
      .init("application", .string(known.appID)),
      .init("authorizedEntity", .string(known.project.string)),
      .init("applicationVersion", .string(known.details.appVersion)),
      .init("platform", .string(platform)),
    ]
    let parameters = try QueryParameters(request.query).parameters
    if parameters.contains(where: { $0.name == "details" && $0.value == "true" }) {
      let topics = try await service.topics(of: known).sorted { $0.key < $1.key }
      let list = topics.map { topic, since in
        let time = Timestamp(microseconds: since)
        let date = TimestampText.format(seconds: time.seconds, nanos: 0).prefix(10)
        return JSONValue.Member(topic.text, .object([.init("addDate", .string(String(date)))]))
      }
      members.append(.init("rel", .object([.init("topics", .object(list))])))
    }
    return .json(.object(members))
  }
}
