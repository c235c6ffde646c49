import Access
import BaseRuntime
import FirestoreModel
import FirestoreWire
import HTTPTypes
import KeyValueStore
import NIOCore
import ServiceModule

/// Bidirectional methods for browsers: Google's WebChannel, version 8.
///
///     POST /{service}/{method}/channel   opens a session, or brings messages
///     GET  /{service}/{method}/channel   the back channel
///
/// Either with `TYPE=terminate` ends the session. Errors of the call come in the stream; an HTTP
/// status other than 200 is fatal for the client's channel and says that there is no such session.
/// If there are several nodes, the one that has the session responds, by way of the one that
/// received the request.
struct WebChannelRoutes: Sendable {
  let methods: [WebChannelMethod]
  let sessions: WebChannelSessions
  var peers: GatewayPeers?
  let bodyLimit: Int

  var routes: [HTTPRoute] {
    methods.flatMap { method in
      let path = RoutePattern(method.served.path + "/channel")
      return [
        HTTPRoute(.post, path, for: .clients) { try await post($0, method) },
        HTTPRoute(.get, path, for: .clients) { try await get($0, method) },
      ]
    }
  }

  // MARK: Messages

  private func post(
    _ request: ServiceRequest,
    _ method: WebChannelMethod
  ) async throws -> ServiceResponse {
    let parameters = try WebChannelParameters(request.query)
    if let (peers, node) = home(of: request, parameters) {
      let body = try await request.body.collect(upTo: bodyLimit)
      return await Self.forward(ForwardedRequest(request, body: body), to: node, by: peers)
    }
    if parameters.isTermination { return terminate(request, method, parameters) }
    try parameters.checkVersion()
    guard let id = parameters.sessionID else {
      let form = try WebChannelForm(try await request.body.collect(upTo: bodyLimit))
      return await open(request, method, parameters, form)
    }
    let binding = Self.binding(request, method, parameters)
    guard let session = sessions.session(id, affinity: parameters.affinity, for: binding) else {
      return Self.unknownSession
    }
    do {
      let form = try WebChannelForm(try await request.body.collect(upTo: bodyLimit))
      await session.receive(form, acknowledged: parameters.acknowledged, now: .now)
    } catch is ServiceBody.TooLarge {
      // As a status it would say that the network failed, and the client would send the same again.
      session.fail(WriteLimits.tooLarge(limit: bodyLimit))
    }
    return Self.text(session.receipt())
  }

  private func open(
    _ request: ServiceRequest,
    _ method: WebChannelMethod,
    _ parameters: WebChannelParameters,
    _ form: WebChannelForm
  ) async -> ServiceResponse {
    let authorization =
      form.headers["authorization"] ?? parameters.encodedHeaders["authorization"]
      ?? request.headers[.authorization]
    let binding = Self.binding(request, method, parameters, authorization: authorization)
    let address = ClientAddress(text: request.address)
    let session = sessions.open(binding, at: address) { cancellation, account in
      request.context.outliving(
        authorization: authorization,
        demand: method.served.isReading ? .viewer : .editor,
        cancellation: cancellation,
        account: account
      )
    }
    guard let session else { return ServiceResponse(status: .serviceUnavailable) }
    await session.receive(form, acknowledged: nil, now: .now)
    var response = Self.text(
      WebChannelPayload.opening(sessionID: session.id, keepAlive: sessions.limits.keepAlive)
    )
    response.headers[.httpSessionID] = session.affinity
    if request.isHTTP2 { response.headers[.clientWireProtocol] = "h2" }
    return response
  }

  private func terminate(
    _ request: ServiceRequest,
    _ method: WebChannelMethod,
    _ parameters: WebChannelParameters
  ) -> ServiceResponse {
    let binding = Self.binding(request, method, parameters)
    if let id = parameters.sessionID,
      let session = sessions.session(id, affinity: parameters.affinity, for: binding)
    {
      sessions.remove(session)
    }
    return Self.text([])
  }

  // MARK: Back channel

  private func get(
    _ request: ServiceRequest,
    _ method: WebChannelMethod
  ) async throws -> ServiceResponse {
    let parameters = try WebChannelParameters(request.query)
    if let (peers, node) = home(of: request, parameters) {
      return await Self.forward(ForwardedRequest(request, body: []), to: node, by: peers)
    }
    if parameters.isTermination { return terminate(request, method, parameters) }
    try parameters.checkVersion()
    let binding = Self.binding(request, method, parameters)
    guard let id = parameters.sessionID,
      let session = sessions.session(id, affinity: parameters.affinity, for: binding),
      let generation = session.openBackChannel(parameters, now: .now)
    else { return Self.unknownSession }
    return ServiceResponse(
      headers: Self.headers,
      body: .stream { writer in
        defer { session.closeBackChannel(generation, now: .now) }
        try await Self.carry(session, generation, to: &writer)
      }
    )
  }

  private static func carry(
    _ session: WebChannelSession,
    _ generation: Int,
    to writer: inout any ServiceBodyWriter
  ) async throws {
    while true {
      switch session.nextStep(of: generation, now: .now) {
      case .wait: await session.wait(generation)
      case .end: return
      case .write(let items, let isLast):
        guard let bytes = session.frames(items) else { continue }
        try await writer.write(bytes)
        if isLast { return }
      }
    }
  }

  // MARK: Nodes

  /// The other node that has a request's session, and the way there; nil where it is to be looked for here.
  private func home(
    of request: ServiceRequest,
    _ parameters: WebChannelParameters
  ) -> (GatewayPeers, NodeNumber)? {
    guard let peers, !request.context.isForwarded,
      let node = parameters.sessionID.flatMap(WebChannelSessions.node(ofID:)), node != peers.own
    else { return nil }
    return (peers, node)
  }

  private static func forward(
    _ request: ForwardedRequest,
    to node: NodeNumber,
    by peers: GatewayPeers
  ) async -> ServiceResponse {
    await peers.forward(request, node)?.response ?? unknownSession
  }

  // MARK: Answers

  private static func binding(
    _ request: ServiceRequest,
    _ method: WebChannelMethod,
    _ parameters: WebChannelParameters,
    authorization: String? = nil
  ) -> WebChannelSession.Binding {
    WebChannelSession.Binding(
      method: method,
      database: parameters.database,
      isSecure: request.context.isSecure,
      origin: request.headers[.origin],
      authorization: authorization ?? request.headers[.authorization]
    )
  }

  /// No proxy may store, change or hold back the output.
  private static let headers: HTTPFields = [
    .contentType: "text/plain; charset=utf-8",
    .cacheControl: "no-cache, no-store, max-age=0, must-revalidate",
    .contentTypeOptions: "nosniff",
    .accelBuffering: "no",
  ]

  private static func text(_ bytes: [UInt8]) -> ServiceResponse {
    ServiceResponse(headers: headers, body: .bytes(bytes))
  }

  /// Clients look for these words, anywhere but at the beginning, and open a new session.
  private static var unknownSession: ServiceResponse {
    ServiceResponse(
      status: .badRequest,
      headers: headers,
      body: .bytes(Array("Error: Unknown SID".utf8))
    )
  }
}

extension CallContext {
  /// A call that outlives the request that began it, with credentials that came inside it.
  fileprivate func outliving(
    authorization: String?,
    demand: AdministratorRole,
    cancellation: Cancellation,
    account: LedgerAccount
  ) -> CallContext {
    CallContext(
      requestID: requestID,
      authorization: authorization,
      isSecure: isSecure,
      isLocal: isLocal,
      isForeignPage: isForeignPage,
      network: network,
      cancellation: cancellation,
      memory: CallerMemory(),
      account: account,
      demand: demand
    )
  }
}

extension ClientAddress {
  /// The network of an IP address; none of anything else.
  fileprivate init(text: String) { self.init(try? SocketAddress(ipAddress: text, port: 0)) }
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
