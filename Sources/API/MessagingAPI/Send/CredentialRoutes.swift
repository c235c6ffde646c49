import BaseJSON
import BaseStatus
import BaseText
import HTTPTypes
import PushMessaging
import ServiceModule

/// The credentials by which a project reaches push services, Brasa's own; no response has a secret.
///
///     GET    /v1/projects/{project}/pushCredentials            APNs keys, and the VAPID key that pages subscribe with
///     POST   /v1/projects/{project}/pushCredentials            keeps the APNs key {keyId, teamId, bundleId, privateKey}
///     DELETE /v1/projects/{project}/pushCredentials/{bundle}   forgets the key of a bundle, `-` that of all apps
struct CredentialRoutes: Sendable {
  let environment: MessagingEnvironment

  private static let bodyLimit = 16 << 10

  private var service: PushService { environment.service }

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/pushCredentials"
    return [
      messagingRoute(.get, root, for: .administrators, handler: list).openToViewers(),
      messagingRoute(.post, root, for: .administrators, handler: add)
        .performing(.changePushCredentials),
      messagingRoute(.delete, root + "/{bundle}", for: .administrators, handler: remove)
        .performing(.changePushCredentials),
    ]
  }

  private func list(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let found = try await service.credentials(of: Text(request.variable("project")))
    let keys = found.apnsKeys.map { key in
      JSONValue.object([
        .init("keyId", .string(key.keyID)), .init("teamId", .string(key.teamID)),
        .init("bundleId", .string(key.bundle)),
      ])
    }
    let vapid = found.vapid.map { JSONValue.string(Base64.url($0.publicKey)) } ?? .null
    return .json(.object([.init("apnsKeys", .array(keys)), .init("vapidPublicKey", vapid)]))
  }

  private func add(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let body = try await request.object(upTo: Self.bodyLimit)
    let text = { (name: String) in body[name]?.string ?? "" }
    let bundle = text("bundleId")
    guard bundle.utf8.count <= 255 else {
      throw MessagingError.invalid("bundleId", "The bundle ID is too long.")
    }
    let key = APNsKey(
      keyID: text("keyId"),
      teamID: text("teamId"),
      privateKey: text("privateKey"),
      bundle: bundle
    )
    try await service.addAPNsKey(key, to: Text(request.variable("project")))
    return .emptyObject
  }

  private func remove(_ request: ServiceRequest) async throws -> ServiceResponse {
    try await environment.requireSender(request)
    let bundle = request.variable("bundle")
    let isRemoved = try await service.removeAPNsKey(
      bundle: bundle == "-" ? "" : bundle,
      of: Text(request.variable("project"))
    )
    guard isRemoved else {
      throw ServiceError(.notFound, "There is no APNs key for this bundle.")
    }
    return .emptyObject
  }
}
