import BaseText
import HTTPTypes
import PushMessaging
import ServiceModule

/// The routes that apps call, with the project's API key and their installation's token.
///
/// Below `/v1/projects/{project}/registrations`:
///
///     POST                                              registers a web, ios or direct address
///     PATCH  /{token}                                   changes the address and keeps the token
///     DELETE /{token}                                   ends the registration
///     POST   /{token}/topicSubscriptions/{topic}:subscribe and :unsubscribe
///     GET    :vapidKey                                  Brasa's own: for which key pages subscribe
struct RegistrationRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 16 << 10

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/registrations"
    let topic = root + "/{token}/topicSubscriptions/{topic}"
    return [
      messagingRoute(.post, root, for: .clients, handler: register),
      messagingRoute(.get, root + ":vapidKey", for: .clients, handler: vapidKey),
      messagingRoute(.patch, root + "/{token}", for: .clients, handler: renew),
      messagingRoute(.delete, root + "/{token}", for: .clients, handler: delete),
      messagingRoute(.post, topic + ":subscribe", for: .clients) { request in
        try await changeTopic(request, subscribing: true)
      },
      messagingRoute(.post, topic + ":unsubscribe", for: .clients) { request in
        try await changeTopic(request, subscribing: false)
      },
    ]
  }

  private func register(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let asked = try await registration(request, in: project)
    if case .webPush = asked.address { _ = try await service.vapidPair(of: project) }
    let token = try await environment.register(asked, request)
    return Self.answer(token, in: project)
  }

  private func renew(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let asked = try await registration(request, in: project)
    let token = request.variable("token")
    try await environment.renew(token, asked, request)
    return Self.answer(token, in: project)
  }

  private static func answer(_ token: String, in project: Text) -> ServiceResponse {
    let name = "projects/\(project.string)/registrations/\(token)"
    return .json(.object([.init("name", .string(name)), .init("token", .string(token))]))
  }

  private func registration(
    _ request: ServiceRequest,
    in project: Text
  ) async throws -> RegistrationRequest {
    let installation = try environment.installation(of: request, in: project)
    let form = try RegistrationForm(try await request.object(upTo: Self.bodyLimit))
    var asked = RegistrationRequest(
      project: project,
      installation: installation.id,
      appID: installation.appID,
      address: form.address
    )
    asked.details = form.details
    asked.uid = try await environment.user(of: request, in: project)
    return asked
  }

  private func delete(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let installation = try environment.installation(of: request, in: project)
    try await service.unregister(
      request.variable("token"),
      of: project,
      installation: installation.id
    )
    return .emptyObject
  }

  private func changeTopic(
    _ request: ServiceRequest,
    subscribing: Bool
  ) async throws -> ServiceResponse {
    guard let topic = TopicName(request.variable("topic")) else {
      throw MessagingError.invalid("topic", "Malformed topic name.")
    }
    let known = try await environment.registration(of: request)
    try await environment.changeTopic(
      topic,
      of: request.variable("token"),
      in: known.project,
      subscribing: subscribing,
      request
    )
    return .emptyObject
  }

  private func vapidKey(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let pair = try await service.vapidPair(of: project)
    return .json(.object([.init("publicKey", .string(Base64.url(pair.publicKey)))]))
  }
}
