import HTTPTypes
import PushMessaging
import ServiceModule

/// Push resources: Brasa as the push service (RFC 8030) of clients that connect to it.
///
/// The client's calls, below `/v1/projects/{project}/registrations/{token}`:
///
///     POST   /pushResources           makes the resource {name}, for the VAPID key {vapidKey} alone where it is there
///     DELETE /pushResources/{name}    ends it
///
/// The calls of senders, who have only the URL:
///
///     POST   /__/push/{capability}        sends a message, with TTL, Topic, Urgency and the encoding "aes128gcm"
///     GET    /__/push/{capability}/{id}   204 where the client has acknowledged it, 202 while it waits, 410 where it won't come
///     DELETE /__/push/{capability}/{id}   takes it back while it waits
///
/// RFC 8030 would send receipts by HTTP/2's server push, which clients have given up: senders ask.
struct ResourceRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 16 << 10
  private static let root = "/__/push/"

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let own = "/v1/projects/{project}/registrations/{token}/pushResources"
    return [
      messagingRoute(.post, own, for: .clients, handler: make),
      messagingRoute(.delete, own + "/{name}", for: .clients, handler: end),
      messagingRoute(.post, Self.root + "{capability}", for: .clients, handler: push),
      messagingRoute(.get, Self.root + "{capability}/{id}", for: .clients, handler: state),
      messagingRoute(.delete, Self.root + "{capability}/{id}", for: .clients, handler: withdraw),
    ]
  }

  // MARK: The client

  private func make(_ request: ServiceRequest) async throws -> ServiceResponse {
    let registration = try await environment.registration(of: request)
    let body = try await request.object(upTo: Self.bodyLimit)
    let name = body["name"]?.string ?? ""
    // A key of another kind is refused: without one, anyone with the URL could send.
    let vapidKey = try body.present("vapidKey").map { key throws(MessagingError) in
      try RegistrationForm.point(key.string, "vapidKey")
    }
    try environment.countSubscription(request)
    let origin = environment.origin(of: request)
    let capability = try await service.makePushResource(
      named: name,
      vapidKey: vapidKey,
      at: origin,
      for: registration
    )
    let endpoint = origin + Self.root + capability
    return .json(.object([.init("name", .string(name)), .init("endpoint", .string(endpoint))]))
  }

  private func end(_ request: ServiceRequest) async throws -> ServiceResponse {
    let registration = try await environment.registration(of: request)
    try await service.endPushResource(named: request.variable("name"), of: registration)
    return .emptyObject
  }

  // MARK: Senders

  private func push(_ request: ServiceRequest) async throws -> ServiceResponse {
    let capability = request.variable("capability")
    let resource = try await service.pushResource(capability)
    if let refusal = refusal(of: request, for: resource) { return refusal }
    let message = try await message(of: request)
    try environment.countPush(request)
    let id = try await service.push(message, to: resource)
    var response = ServiceResponse(status: .created)
    response.headers[.location] =
      environment.origin(of: resource) + Self.root + "\(capability)/\(id)"
    response.headers[.timeToLive] = "\(message.timeToLive)"
    return response
  }

  /// The response to a sender that does not match the resource (RFC 8292, 4.2); nil for one that
  /// may send.
  private func refusal(of request: ServiceRequest, for resource: PushResource) -> ServiceResponse? {
    guard let key = resource.vapidKey else { return nil }
    guard let proof = request.context.authorization.flatMap({ VAPIDProof($0) }) else {
      var response = ServiceResponse(status: .unauthorized)
      response.headers[.wwwAuthenticate] = "vapid"
      return response
    }
    // Never where the sender says that it is: a token for another push service would do then.
    let origins = Set([environment.origin(of: resource), resource.origin].compactMap(\.self))
    let isValid = proof.isValid(for: origins, now: service.now / 1_000_000)
    return isValid && proof.publicKey == key ? nil : ServiceResponse(status: .forbidden)
  }

  private func message(of request: ServiceRequest) async throws -> PushedMessage {
    let headers = request.headers
    guard let life = headers[.timeToLive].flatMap({ Int64($0) }) else {
      throw MessagingError.invalid("TTL", "TTL is missing or not a number of seconds.")
    }
    guard let urgency = PushedMessage.Urgency(rawValue: headers[.urgency] ?? "normal") else {
      throw MessagingError.invalid("Urgency", "Urgency must be very-low, low, normal or high.")
    }
    let body = try await request.body.collect(upTo: PushedMessage.bodyLimit)
    guard body.isEmpty || headers[.contentEncoding]?.lowercased() == "aes128gcm" else {
      throw MessagingError.invalid("Content-Encoding", "The content's encoding must be aes128gcm.")
    }
    return try PushedMessage(
      body: body,
      timeToLive: life,
      urgency: urgency,
      topic: headers[.topic]
    )
  }

  private func state(_ request: ServiceRequest) async throws -> ServiceResponse {
    let resource = try await service.pushResource(request.variable("capability"))
    let status: HTTPResponse.Status =
      switch try await service.state(of: request.variable("id"), sentTo: resource) {
      case .waiting, .handed: .accepted
      case .acknowledged, .opened: .noContent
      case .collapsed, .expired, .refused, .gone: .gone
      }
    return ServiceResponse(status: status)
  }

  private func withdraw(_ request: ServiceRequest) async throws -> ServiceResponse {
    let resource = try await service.pushResource(request.variable("capability"))
    try await service.withdraw(request.variable("id"), sentTo: resource)
    return ServiceResponse(status: .noContent)
  }
}

extension ServiceRequest {
  /// The origin by which the client reached the server.
  var origin: String {
    "\(context.isSecure ? "https" : "http")://\(head.authority ?? "localhost")"
  }
}

extension HTTPField.Name {
  /// The field `ttl` of RFC 8030.
  static let timeToLive = named("ttl")
  /// The field `urgency` of RFC 8030.
  static let urgency = named("urgency")
  /// The field `topic` of RFC 8030.
  static let topic = named("topic")
}
