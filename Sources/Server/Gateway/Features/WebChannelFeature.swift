import Access
import FirestoreModel
import FirestoreService
import FirestoreWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Listen and Write for browsers: Google's WebChannel, version 8.
///
///     POST /google.firestore.v1.Firestore/{Listen,Write}/channel   opens a session, or brings messages
///     GET  /google.firestore.v1.Firestore/{Listen,Write}/channel   the back channel
///
/// Either with `TYPE=terminate` ends the session. Errors of the call come in the stream; an HTTP
/// status other than 200 is fatal for the client's channel and says that there is no such session.
struct WebChannelFeature: HTTPFeature {
  let service: any RPCService
  let sessions: WebChannelSessions
  let bodyLimit: Int

  func addRoutes(to router: Router<GatewayRequestContext>) {
    for method in [RPCMethod.listen, .write] {
      let path = RouterPath("/google.firestore.v1.Firestore/\(method.rawValue)/channel")
      router.post(path) { try await post($0, $1, method) }
      router.get(path) { try await get($0, $1, method) }
    }
  }

  // MARK: Messages

  private func post(
    _ request: Request,
    _ context: GatewayRequestContext,
    _ method: RPCMethod
  ) async throws -> Response {
    let parameters = try WebChannelParameters(request.uri.query)
    if parameters.isTermination { return terminate(request, context, method, parameters) }
    try parameters.checkVersion()
    guard let body = try await body(of: request) else { return Response(status: .contentTooLarge) }
    let form = try WebChannelForm(body)
    guard let id = parameters.sessionID else {
      return try await open(request, context, method, parameters, form)
    }
    let binding = Self.binding(request, context, method, parameters)
    guard let session = sessions.session(id, affinity: parameters.affinity, for: binding) else {
      return Self.unknownSession
    }
    await session.receive(form, acknowledged: parameters.acknowledged, now: .now)
    return Self.text(session.receipt())
  }

  private func open(
    _ request: Request,
    _ context: GatewayRequestContext,
    _ method: RPCMethod,
    _ parameters: WebChannelParameters,
    _ form: WebChannelForm
  ) async throws -> Response {
    let authorization =
      form.headers["authorization"] ?? parameters.encodedHeaders["authorization"]
      ?? request.headers[.authorization]
    let binding = Self.binding(request, context, method, parameters, authorization: authorization)
    let session = sessions.open(binding, at: context.peerNetwork, of: service) { cancellation in
      context.call(authorization: authorization, cancellation: cancellation)
    }
    guard let session else { return Response(status: .serviceUnavailable) }
    await session.receive(form, acknowledged: nil, now: .now)
    var response = Self.text(
      WebChannelPayload.opening(sessionID: session.id, keepAlive: sessions.limits.keepAlive)
    )
    response.headers[.httpSessionID] = session.affinity
    if context.isHTTP2 { response.headers[.clientWireProtocol] = "h2" }
    return response
  }

  /// The request's body; nil if it is too large.
  private func body(of request: Request) async throws -> [UInt8]? {
    do {
      return Array(buffer: try await request.body.collect(upTo: bodyLimit))
    } catch is NIOTooManyBytesError {
      return nil
    }
  }

  private func terminate(
    _ request: Request,
    _ context: GatewayRequestContext,
    _ method: RPCMethod,
    _ parameters: WebChannelParameters
  ) -> Response {
    let binding = Self.binding(request, context, method, parameters)
    if let id = parameters.sessionID,
      let session = sessions.session(id, affinity: parameters.affinity, for: binding)
    {
      sessions.remove(session)
    }
    return Self.text([])
  }

  // MARK: Back channel

  private func get(
    _ request: Request,
    _ context: GatewayRequestContext,
    _ method: RPCMethod
  ) async throws -> Response {
    let parameters = try WebChannelParameters(request.uri.query)
    if parameters.isTermination { return terminate(request, context, method, parameters) }
    try parameters.checkVersion()
    let binding = Self.binding(request, context, method, parameters)
    guard let id = parameters.sessionID,
      let session = sessions.session(id, affinity: parameters.affinity, for: binding),
      let generation = session.openBackChannel(parameters, now: .now)
    else { return Self.unknownSession }
    return Response(
      status: .ok,
      headers: Self.headers,
      body: ResponseBody { writer in
        defer { session.closeBackChannel(generation, now: .now) }
        try await Self.carry(session, generation, to: &writer)
        try await writer.finish(nil)
      }
    )
  }

  private static func carry(
    _ session: WebChannelSession,
    _ generation: Int,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    while true {
      switch session.nextStep(of: generation, now: .now) {
      case .wait: await session.wait(generation)
      case .end: return
      case .write(let items, let isLast):
        guard let bytes = session.frames(items) else { continue }
        try await writer.write(ByteBuffer(bytes: bytes))
        if isLast { return }
      }
    }
  }

  // MARK: Answers

  private static func binding(
    _ request: Request,
    _ context: GatewayRequestContext,
    _ method: RPCMethod,
    _ parameters: WebChannelParameters,
    authorization: String? = nil
  ) -> WebChannelSession.Binding {
    WebChannelSession.Binding(
      method: method,
      database: parameters.database,
      isSecure: context.isSecure,
      origin: request.headers[.origin],
      authorization: authorization ?? request.headers[.authorization]
    )
  }

  /// Nothing between us may keep, change or hold back what is written.
  private static let headers: HTTPFields = [
    .contentType: "text/plain; charset=utf-8",
    .cacheControl: "no-cache, no-store, max-age=0, must-revalidate",
    .contentTypeOptions: "nosniff",
    .accelBuffering: "no",
  ]

  private static func text(_ bytes: [UInt8]) -> Response {
    Response(
      status: .ok,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
  }

  /// Clients look for these words, anywhere but at the beginning, and open a new session.
  private static var unknownSession: Response {
    Response(
      status: .badRequest,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: "Error: Unknown SID"))
    )
  }
}

extension HTTPField.Name {
  /// The field `x-http-session-id`.
  static let httpSessionID = known("x-http-session-id")
  /// The field `x-client-wire-protocol`.
  static let clientWireProtocol = known("x-client-wire-protocol")
  /// The field `x-content-type-options`.
  static let contentTypeOptions = known("x-content-type-options")
  /// The field `x-accel-buffering`.
  static let accelBuffering = known("x-accel-buffering")
}
