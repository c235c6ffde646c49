import BaseJSON
import BaseStatus
import BaseText
import FirestoreWire
import HTTPTypes
import PushMessaging
import ServiceModule

/// The routes by which Apple's clients of Firebase register, with forms and plain texts.
///
///     POST /checkin         device-provisioning: an identity that we have no use for
///     POST /register        fcmtoken: a token for a device token, or its end with delete=true
///     POST /iid/register    iid: subscribes the token `sender` to a topic, or ends that
struct AppleRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 16 << 10

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    [
      HTTPRoute(.post, RoutePattern("/checkin"), for: .clients, handler: checkIn),
      HTTPRoute(.post, RoutePattern("/register"), for: .clients) { request in
        await Self.answer { try await register(request) }
      },
      HTTPRoute(.post, RoutePattern("/iid/register"), for: .clients) { request in
        await Self.answer { try await changeTopic(request) }
      },
    ]
  }

  /// Clients read a token behind `token=`, and a word behind `Error=`.
  private static func answer(_ token: () async throws -> String) async -> ServiceResponse {
    do {
      return .text("token=\(try await token())")
    } catch let error as MessagingError {
      return .text("Error=\(word(error))")
    } catch let error as ServiceError {
      let isAuthentication = [.unauthenticated, .permissionDenied].contains(error.code)
      return .text("Error=\(isAuthentication ? "AUTHENTICATION_FAILED" : "INVALID_PARAMETERS")")
    } catch {
      return .text("Error=SERVICE_NOT_AVAILABLE")
    }
  }

  private static func word(_ error: MessagingError) -> String {
    switch error.code {
    case .invalidArgument: "INVALID_PARAMETERS"
    case .unregistered: "INVALID_TOKEN"
    case .senderIDMismatch: "INVALID_SENDER"
    case .quotaExceeded: "QUOTA_EXCEEDED"
    case .unavailable, .internal, .thirdPartyAuthError: "SERVICE_NOT_AVAILABLE"
    }
  }

  /// Numbers that are not zero satisfy the client; nothing depends on them.
  private func checkIn(_ request: ServiceRequest) async throws -> ServiceResponse {
    _ = try await request.collectText(upTo: Self.bodyLimit)
    let now = service.now
    return .json(
      .object([
        .init("stats_ok", .boolean(true)), .init("time_msec", .integer(now / 1_000)),
        .init("android_id", .integer(now)), .init("security_token", .integer(now)),
        .init("digest", .string("brasa")), .init("version_info", .string("brasa")),
        .init("device_data_version_info", .string("brasa")), .init("setting", .array([])),
      ])
    )
  }

  private func register(_ request: ServiceRequest) async throws -> String {
    let form = try await form(of: request)
    // The sender is a number that says less than the installation's token.
    let installation = try environment.installation(of: request)
    let project = installation.project
    if form["delete"] == "true" || form["iid-operation"] == "delete" {
      return try await unregister(installation, in: project)
    }
    guard let apns = form["apns_token"], apns.hasPrefix("s_") || apns.hasPrefix("p_"),
      let bundle = form["app"]
    else { throw MessagingError.invalid("apns_token", "apns_token is missing.") }
    let json = JSONValue.object([
      .init(
        "ios",
        .object([
          .init("apns_token", .string(String(apns.dropFirst(2)))),
          .init("apns_environment", .string(apns.hasPrefix("s_") ? "SANDBOX" : "PROD")),
          .init("bundle_id", .string(bundle)),
          .init("app_version", .string(form["app_ver"] ?? "")),
        ])
      )
    ])
    let read = try RegistrationForm(json)
    var asked = RegistrationRequest(
      project: project,
      installation: installation.id,
      appID: installation.appID,
      address: read.address
    )
    asked.details = read.details
    return try await environment.register(asked, request)
  }

  private func unregister(
    _ installation: MessagingEnvironment.Installation,
    in project: Text
  ) async throws -> String {
    do {
      try await service.unregister(installation.id, of: project, installation: installation.id)
    } catch let error as MessagingError where error.code == .unregistered {
      // It is gone already.
    }
    return installation.id
  }

  /// The client has only the random token to show.
  private func changeTopic(_ request: ServiceRequest) async throws -> String {
    let form = try await form(of: request)
    let token = form["sender"] ?? ""
    guard let topic = TopicName(form["X-gcm.topic"] ?? ""), token.contains(":") else {
      throw MessagingError.invalid("X-gcm.topic", "Malformed topic name.")
    }
    let known = try await service.registration(of: token)
    try await environment.changeTopic(
      topic,
      of: token,
      in: known.project,
      subscribing: form["delete"] != "true",
      request
    )
    return token
  }

  private func form(of request: ServiceRequest) async throws -> [String: String] {
    let bytes = try await request.collectText(upTo: Self.bodyLimit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServiceError.invalidArgument("The body is not valid UTF-8.")
    }
    let pairs = try QueryParameters(text).parameters.map { ($0.name, $0.value) }
    return Dictionary(pairs) { _, last in last }
  }
}
