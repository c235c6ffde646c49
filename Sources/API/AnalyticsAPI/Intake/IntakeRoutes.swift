import EventAnalytics
import FirestoreModel
import FirestoreWire
import HTTPTypes
import KeyValueStore
import ServiceModule

/// What apps and servers send events to.
///
///     POST /v1/projects/{project}/apps/{app}/events:batch    a batch of our SDK, with the project's API key
///     POST /mp/collect                                       the Measurement Protocol: 204 whatever it holds
///     POST /debug/mp/collect                                 says what is wrong with such a request, keeps nothing
struct IntakeRoutes: Sendable {
  let analytics: EventAnalytics
  let threads: EngineThreads
  let keys: ProjectKeys

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
    let body = try await json(of: request, atMost: Self.batchBytes)
    try analytics.admit(body.bytes, from: request.context.network, to: project)
    let message = try BatchMessage(body.json, appID: request.parameters["app"] ?? "")
    let receipt = try await analytics.record(
      message.batch,
      from: .sdk,
      sent: message.sent,
      project: project
    )
    return .json(receipt.json)
  }

  // MARK: The Measurement Protocol

  private func collect(_ request: ServiceRequest) async throws -> ServiceResponse {
    do {
      let call = try await protocolCall(request)
      try analytics.admit(call.bytes, from: request.context.network, to: call.project)
      if call.message.problems.isEmpty {
        _ = try await analytics.record(call.message.batch, from: .server, project: call.project)
      }
    } catch let error as FirestoreError {
      // A request that is wrong is answered as one that is right.
      guard error.code == .invalidArgument || error.code == .permissionDenied else { throw error }
    }
    return ServiceResponse(status: .noContent)
  }

  private func validate(_ request: ServiceRequest) async throws -> ServiceResponse {
    var drops: [EventDrop]
    do {
      let call = try await protocolCall(request)
      drops = call.message.problems
      if drops.isEmpty { drops = analytics.problems(with: call.message.batch) }
    } catch let error as FirestoreError {
      guard error.code == .invalidArgument || error.code == .permissionDenied else { throw error }
      drops = [EventDrop(index: nil, field: "", .valueInvalid, error.message)]
    }
    let messages = JSONText.array(drops.map(\.validationMessage))
    return .json(.object([.init("validationMessages", messages)]))
  }

  private func protocolCall(
    _ request: ServiceRequest
  ) async throws -> (message: ProtocolMessage, project: Text, bytes: Int) {
    let query = try QueryParameters(request.query).parameters
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
    let secret = parameter("api_secret")
    guard let app = parameter("firebase_app_id") ?? parameter("measurement_id"), !app.isEmpty else {
      throw FirestoreError.invalidArgument("firebase_app_id or measurement_id is required.")
    }
    let project = try await project(secret, path: secret, request)
    let body = try await json(of: request, atMost: Self.protocolBytes)
    let isWeb = parameter("firebase_app_id") == nil
    let message = try ProtocolMessage(body.json, appID: app, isWeb: isWeb, now: analytics.now)
    return (message, project, body.bytes)
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

  private func json(
    of request: ServiceRequest,
    atMost limit: Int
  ) async throws -> (json: JSONText, bytes: Int) {
    let bytes = try await request.collectUnpackedText(upTo: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FirestoreError.invalidArgument("The body is not valid UTF-8.")
    }
    let json = try JSONText(parsing: text)
    guard json.members != nil else {
      throw FirestoreError.invalidArgument("Invalid JSON payload received. An object is expected.")
    }
    return (json, bytes.count)
  }
}

extension BatchReceipt {
  /// As apps are told.
  fileprivate var json: JSONText {
    var members = [JSONText.Member("accepted", .integer(accepted))]
    if isRepeated { members.append(.init("repeated", .boolean(true))) }
    if !drops.isEmpty { members.append(.init("dropped", .array(drops.map(\.json)))) }
    return .object(members)
  }
}

extension EventDrop {
  /// As apps and the DebugView are told.
  var json: JSONText {
    var members: [JSONText.Member] = []
    if let index { members.append(.init("index", .integer(index))) }
    if let field { members.append(.init("field", .string(field))) }
    members.append(.init("code", .string(code.name)))
    members.append(.init("description", .string(description)))
    return .object(members)
  }

  /// As the Measurement Protocol's validation has it.
  fileprivate var validationMessage: JSONText {
    let path = [index == nil ? nil : "events", field].compactMap { $0 }.joined(separator: ".")
    return .object([
      .init("fieldPath", .string(path)), .init("description", .string(description)),
      .init("validationCode", .string(code.name)),
    ])
  }
}

extension ServiceResponse {
  /// A JSON answer.
  static func json(_ json: JSONText) -> ServiceResponse { .json(Array(json.compact.utf8)) }
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
