import BaseJSON
import BaseText
import Crypto
import Foundation
import Synchronization

/// A stand-in of Apple's push service: checks each request as Apple documents it, and keeps what it accepts.
package final class APNsStandIn: Sendable {
  /// The keys and topics of a team that may send.
  package struct Team: Sendable {
    package let teamID: String
    package let keyID: String
    package let bundle: String
    package let publicKey: P256.Signing.PublicKey

    /// A team with one key and one app.
    package init(teamID: String, keyID: String, bundle: String, publicKey: P256.Signing.PublicKey) {
      self.teamID = teamID
      self.keyID = keyID
      self.bundle = bundle
      self.publicKey = publicKey
    }
  }

  private struct State {
    var pushes: [StandInRequest] = []
    var count = 0
    var replies: [String: [StandInReply]] = [:]
    var unknown: Set<String> = []
    /// When the provider token that came last was issued.
    var issued: Int?
  }

  private let team: Team
  private let clock: @Sendable () -> Int
  private let state = Mutex(State())

  private let keepsPushes: Bool

  private init(_ team: Team, keepsPushes: Bool, clock: @escaping @Sendable () -> Int) {
    self.team = team
    self.keepsPushes = keepsPushes
    self.clock = clock
  }

  /// Starts one; `clock` is in seconds since 1970.
  ///
  /// For measurements it need not keep what it accepts.
  package static func start(
    _ team: Team,
    certificate: StandInCertificate,
    limits: StandInServer.StreamLimits = .init(),
    port: Int = 0,
    keepsPushes: Bool = true,
    clock: @escaping @Sendable () -> Int
  ) async throws -> (APNsStandIn, StandInServer) {
    let standIn = APNsStandIn(team, keepsPushes: keepsPushes, clock: clock)
    let server = try await StandInServer(
      certificate: certificate,
      limits: limits,
      port: port,
      handler: { standIn.reply(to: $0) }
    )
    return (standIn, server)
  }

  /// The requests that were accepted, in order.
  package var pushes: [StandInRequest] { state.withLock { $0.pushes } }

  /// The number of requests that were accepted.
  package var count: Int { state.withLock { $0.count } }

  /// Has the next requests for a device get these replies instead of being checked.
  package func script(_ device: String, _ replies: [StandInReply]) {
    state.withLock { $0.replies[device] = replies }
  }

  /// Has a device be none of this environment.
  package func forget(_ device: String) {
    _ = state.withLock { $0.unknown.insert(device) }
  }

  /// A response as Apple gives it.
  package static func refusal(
    _ status: Int,
    _ reason: String,
    timestamp: Int64? = nil,
    retryAfter: Int? = nil
  ) -> StandInReply {
    let time = timestamp.map { ",\"timestamp\":\($0)" } ?? ""
    let headers = retryAfter.map { ["retry-after": "\($0)"] } ?? [:]
    return .answer(status: status, headers: headers, body: "{\"reason\":\"\(reason)\"\(time)}")
  }

  /// The answer, which names the request's id or a new one, as Apple's do.
  private func reply(to request: StandInRequest) -> StandInReply {
    let decision = decision(on: request)
    guard case .answer(let status, var headers, let body) = decision else {
      return decision
    }
    headers["apns-id"] = request.headers["apns-id"] ?? UUID().uuidString
    return .answer(status: status, headers: headers, body: body)
  }

  private func decision(on request: StandInRequest) -> StandInReply {
    let device = String(request.path.split(separator: "/").last ?? "")
    let scripted = state.withLock { state -> StandInReply? in
      guard let next = state.replies[device]?.first else { return nil }
      state.replies[device]?.removeFirst()
      return next
    }
    if let scripted { return scripted }
    if let (status, reason) = refusal(of: request, device) { return Self.refusal(status, reason) }
    state.withLock { state in
      state.count += 1
      if keepsPushes { state.pushes.append(request) }
    }
    return .answer(status: 200)
  }

  private func refusal(of request: StandInRequest, _ device: String) -> (Int, String)? {
    guard request.path.hasPrefix("/3/device/") else { return (404, "BadPath") }
    guard request.method == "POST" else { return (405, "MethodNotAllowed") }
    if let reason = tokenRefusal(request.headers["authorization"]) {
      return (reason == "TooManyProviderTokenUpdates" ? 429 : 403, reason)
    }
    if device.count != 64 || !device.utf8.allSatisfy({ Hexadecimal.digit($0) != nil })
      || state.withLock({ $0.unknown.contains(device) })
    {
      return (400, "BadDeviceToken")
    }
    if let reason = headerRefusal(request.headers) { return (400, reason) }
    if request.body.isEmpty { return (400, "PayloadEmpty") }
    return request.body.count > 4_096 ? (413, "PayloadTooLarge") : nil
  }

  private func headerRefusal(_ headers: [String: String]) -> String? {
    guard let topic = headers["apns-topic"], !topic.isEmpty else { return "MissingTopic" }
    let suffix = headers["apns-push-type"] == "liveactivity" ? ".push-type.liveactivity" : ""
    guard topic == team.bundle + suffix else { return "DeviceTokenNotForTopic" }
    let types = ["alert", "background", "voip", "complication", "fileprovider", "mdm"]
    let more = ["liveactivity", "location", "pushtotalk", "widgets", "controls"]
    let type = headers["apns-push-type"] ?? "alert"
    guard (types + more).contains(type) else { return "InvalidPushType" }
    let priority = headers["apns-priority"] ?? "10"
    let allowed = type == "background" ? ["1", "5"] : ["1", "5", "10"]
    guard allowed.contains(priority) else { return "BadPriority" }
    if let id = headers["apns-id"], UUID(uuidString: id) == nil { return "BadMessageId" }
    if let text = headers["apns-expiration"], Int64(text) == nil { return "BadExpirationDate" }
    return (headers["apns-collapse-id"] ?? "").utf8.count > 64 ? "BadCollapseId" : nil
  }

  private func tokenRefusal(_ header: String?) -> String? {
    guard let header, header.lowercased().hasPrefix("bearer ") else {
      return "MissingProviderToken"
    }
    let segments = header.dropFirst(7).split(separator: ".").map(String.init)
    guard segments.count == 3, let head = Self.json(segments[0]),
      let claims = Self.json(segments[1]),
      head["alg"]?.string == "ES256", head["kid"]?.string == team.keyID,
      claims["iss"]?.string == team.teamID, let issued = claims["iat"]?.integer.map(Int.init),
      isSigned(segments)
    else { return "InvalidProviderToken" }
    let now = clock()
    if issued < now - 3_600 { return "ExpiredProviderToken" }
    if issued > now + 300 { return "InvalidProviderToken" }
    return state.withLock { state in
      if let last = state.issued, last != issued, issued - last < 1_200 {
        return "TooManyProviderTokenUpdates"
      }
      state.issued = issued
      return nil
    }
  }

  private func isSigned(_ segments: [String]) -> Bool {
    guard let bytes = Base64.decode(segments[2].utf8),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes)
    else { return false }
    return team.publicKey.isValidSignature(
      signature,
      for: Array("\(segments[0]).\(segments[1])".utf8)
    )
  }

  private static func json(_ segment: String) -> JSONValue? {
    guard let bytes = Base64.decode(segment.utf8) else { return nil }
    return try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
  }
}
