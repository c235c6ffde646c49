import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import EventAnalytics
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The routes that apps and servers send events to.
///
///     POST /v1/projects/{project}/apps/{app}/events:batch    a batch of our SDK, with the project's API key
///     POST /mp/collect                                       the Measurement Protocol: 204 whatever it holds
///     POST /debug/mp/collect                                 says what is wrong with such a request, keeps nothing
///
/// A batch is its installation's if the installation's token comes with it, and a request of the Measurement Protocol also if
/// an administrator's credentials do. Events of others are kept apart and have a small share.
struct IntakeRoutes: Sendable {
  let analytics: EventAnalytics
  let access: AccessControl
  let threads: EngineThreads
  let keys: ProjectKeys
  let proof: InstallationProof
  /// The apps of projects; asking may block.
  let apps: AnalyticsApps

  /// The largest batch, packed and unpacked.
  private static let batchBytes = 1 << 20
  /// The largest request of the Measurement Protocol.
  private static let protocolBytes = 130_000

  var routes: [HTTPRoute] {
    [
      HTTPRoute(
        .post,
        RoutePattern("/v1/projects/{project}/apps/{app}/events:batch"),
        for: .clients,
        handler: takeBatch
      ),
      HTTPRoute(.post, RoutePattern("/mp/collect"), for: .clients, handler: collect),
      HTTPRoute(.post, RoutePattern("/debug/mp/collect"), for: .clients, handler: validate),
    ]
  }

  // MARK: Batches

  private func takeBatch(_ request: ServiceRequest) async throws -> ServiceResponse {
    let key = try QueryParameters(request.query).apiKey ?? request.headers[.googleAPIKey]
    let project = try await project(key, path: request.parameters["project"], request)
    let body = try await request.collectUnpackedText(upTo: Self.batchBytes)
    let app = request.parameters["app"] ?? ""
    let batch = try await working(request) { [self] in
      let sender = try sender(of: app, in: project, request)
      try analytics.admit(body.count, from: sender.counted)
      let message = try BatchMessage(Self.json(body), appID: app)
      let batch = sender.sends(message.batch, secret: message.secret)
      return analytics.check(batch, from: .sdk, sent: message.sent)
    }
    return .json(try await analytics.record(batch, project: project).json)
  }

  /// The sender of events, known by a request's credentials alone.
  private struct Sender {
    let claim: InstallationProof.Claim
    let isAdministrator: Bool
    let counted: EventSender
    let idOfSecret: @Sendable (String) -> String?

    /// A batch with how far its sender is the one that it names.
    func sends(_ batch: EventBatch, secret: String? = nil) -> EventBatch {
      var batch = batch
      let isOwn =
        isAdministrator || claim.covers(installation: batch.instanceID)
        || claim != .nothing && secret.flatMap(idOfSecret) == batch.instanceID
      batch.standing = isOwn ? counted.standing : .unproven
      batch.networkMark = isAdministrator ? nil : counted.networkMark
      return batch
    }
  }

  /// The sender of a request; blocks.
  private func sender(
    of app: String,
    in project: Text,
    _ request: ServiceRequest,
    isAdministrator: Bool = false
  ) throws -> Sender {
    let claim = proof.claim(of: request, in: project)
    var standing = SenderStanding.unproven
    let isID = app.utf8.count <= EventLimits.contextLength
    if isID, isAdministrator || claim.covers(app: app) {
      switch try apps.standing(of: app, in: project) {
      case .registered: standing = .proven
      case .oneOfAny: standing = .provenOfAnyApp
      case .unknown: break
      }
    }
    let counted = EventSender(
      network: request.context.network,
      project: project,
      app: app,
      installation: claim.installation?.id,
      standing: standing
    )
    return Sender(
      claim: claim,
      isAdministrator: isAdministrator,
      counted: counted,
      idOfSecret: proof.idOfSecret
    )
  }

  // MARK: The Measurement Protocol

  private func collect(_ request: ServiceRequest) async throws -> ServiceResponse {
    do {
      let call = try await protocolCall(request)
      let isAdministrator = try await isAdministrator(request, of: call.project)
      let batch = try await working(request) { [self] () throws -> CheckedBatch? in
        let sender = try sender(
          of: call.app,
          in: call.project,
          request,
          isAdministrator: isAdministrator
        )
        try analytics.admit(call.body.count, from: sender.counted)
        let message = try call.message(Self.json(call.body), now: analytics.now)
        guard message.problems.isEmpty else { return nil }
        return analytics.check(sender.sends(message.batch), from: .server)
      }
      if let batch { _ = try await analytics.record(batch, project: call.project) }
    } catch is ServiceBody.TooLarge {
      // A request that is wrong is answered as one that is right.
    } catch let error as ServiceError {
      guard error.code == .invalidArgument || error.code == .permissionDenied else { throw error }
    }
    return ServiceResponse(status: .noContent)
  }

  private func validate(_ request: ServiceRequest) async throws -> ServiceResponse {
    var drops: [EventDrop]
    do {
      let call = try await protocolCall(request)
      drops = try await working(request) { [analytics] in
        let message = try call.message(Self.json(call.body), now: analytics.now)
        guard message.problems.isEmpty else { return message.problems }
        return message.remarks + analytics.problems(with: message.batch)
      }
    } catch is ServiceBody.TooLarge {
      let limit = "A request can have at most \(Self.protocolBytes) bytes."
      drops = [EventDrop(index: nil, field: "", .exceededMaxEntities, limit)]
    } catch let error as ServiceError {
      guard error.code == .invalidArgument || error.code == .permissionDenied else { throw error }
      drops = [EventDrop(index: nil, field: "", .valueInvalid, error.message)]
    }
    let messages = JSONValue.array(drops.map(\.validationMessage))
    return .json(.object([.init("validationMessages", messages)]))
  }

  /// Returns true for the credentials of one of the project's administrators, such as a service account's.
  ///
  /// Wrong credentials are none: a request that is wrong is answered as one that is right.
  private func isAdministrator(_ request: ServiceRequest, of project: Text) async throws -> Bool {
    guard request.context.authorization != nil else { return false }
    let (access, context) = (access, request.context)
    return try await threads.run(caller: context.network) {
      do throws(ServiceError) {
        try access.requireAdministration(try access.identify(context), of: project)
        return true
      } catch {
        guard error.code == .permissionDenied || error.code == .unauthenticated else { throw error }
        return false
      }
    }
  }

  /// A request of the Measurement Protocol, its body unread.
  private struct ProtocolCall: Sendable {
    let app: String
    let isWeb: Bool
    let project: Text
    let body: [UInt8]

    func message(_ json: JSONValue, now: Int64) throws(ServiceError) -> ProtocolMessage {
      try ProtocolMessage(json, appID: app, isWeb: isWeb, now: now)
    }
  }

  private func protocolCall(_ request: ServiceRequest) async throws -> ProtocolCall {
    let query = try QueryParameters(request.query).parameters
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
    let secret = parameter("api_secret")
    guard let app = parameter("firebase_app_id") ?? parameter("measurement_id"), !app.isEmpty else {
      throw ServiceError.invalidArgument("firebase_app_id or measurement_id is required.")
    }
    let project = try await project(secret, path: secret, request)
    let body = try await request.collectUnpackedText(upTo: Self.protocolBytes)
    let isWeb = parameter("firebase_app_id") == nil
    return ProtocolCall(app: app, isWeb: isWeb, project: project, body: body)
  }

  // MARK: Requests

  private func project(
    _ key: String?,
    path: String?,
    _ request: ServiceRequest
  ) async throws -> Text {
    let path = Text(path ?? "")
    if let key, Text(key) == path, analytics.knows(path) { return path }
    return try await threads.run(caller: request.context.network) {
      try keys.project(key: key, path: path, knows: analytics.knows)
    }
  }

  /// Does the work that a body is; it stands back behind what people wait for.
  private func working<Answer: Sendable>(
    _ request: ServiceRequest,
    _ work: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer {
    try await threads.run(on: .intake, caller: request.context.network) { try work() }
  }

  private static func json(_ bytes: [UInt8]) throws(ServiceError) -> JSONValue {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ServiceError.invalidArgument("The body is not valid UTF-8.")
    }
    let json = try JSONValue(parsing: text)
    guard json.members != nil else {
      throw ServiceError.invalidArgument("Invalid JSON payload received. An object is expected.")
    }
    return json
  }
}

extension BatchReceipt {
  /// As apps receive it.
  fileprivate var json: JSONValue {
    var members = [JSONValue.Member("accepted", .integer(accepted))]
    if isRepeated { members.append(.init("repeated", .boolean(true))) }
    if !drops.isEmpty { members.append(.init("dropped", .array(drops.map(\.json)))) }
    return .object(members)
  }
}

extension EventDrop {
  /// As apps and the DebugView receive it.
  var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let index { members.append(.init("index", .integer(index))) }
    if let field { members.append(.init("field", .string(field))) }
    members.append(.init("code", .string(code.name)))
    members.append(.init("description", .string(description)))
    return .object(members)
  }

  /// As the Measurement Protocol's validation has it.
  fileprivate var validationMessage: JSONValue {
    let path = [index == nil ? nil : "events", field].compactMap { $0 }.joined(separator: ".")
    return .object([
      .init("fieldPath", .string(path)), .init("description", .string(description)),
      .init("validationCode", .string(code.name)),
    ])
  }
}

extension ServiceResponse {
  /// A JSON response.
  static func json(_ json: JSONValue) -> ServiceResponse { .json(Array(json.compact.utf8)) }
}

extension HTTPField.Name {
  /// The field `x-goog-api-key`.
  fileprivate static let googleAPIKey: HTTPField.Name = {
    guard let field = HTTPField.Name("x-goog-api-key") else {
      preconditionFailure("the literal is a field's name")
    }
    return field
  }()
}
