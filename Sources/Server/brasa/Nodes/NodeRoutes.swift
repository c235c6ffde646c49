import Access
import BaseStatus
import FirestoreService
import FirestoreWire
import KeyValueStore
import ServiceModule

/// The routes that a node serves to the others of its cluster alone.
///
///     GET  /brasa/nodes/greeting?{nonce}   the nonce's code, which shows that the node is this one and alive
///     POST /brasa/nodes/calls/{method}     a call in a transaction that this node has; see `AnswerFrame`
///
/// A call has its request in protobuf as body, its client's `authorization`, and `grpc-timeout`.
struct NodeRoutes: Sendable {
  let peers: PeerNodes
  /// Makes the calls, here.
  let service: any RPCService
  let engine: any KeyValueEngine

  static let greetingTarget = "/brasa/nodes/greeting"

  /// Returns the path to which calls of a method go.
  static func target(of method: RPCMethod) -> String { "/brasa/nodes/calls/\(method.rawValue)" }

  /// The largest request: as clients may send it.
  private static let bodyLimit = 16 << 20

  /// The routes, and the task that forwards work to other nodes.
  var module: ServiceModule {
    var module = ServiceModule("nodes")
    module.routes = [
      HTTPRoute(.get, RoutePattern(Self.greetingTarget), for: .clients, handler: greet),
      HTTPRoute(.post, "/brasa/nodes/calls/{method}", for: .clients, handler: call),
    ]
    module.tasks = [ServiceTask("nodes") { [peers] in await peers.run() }]
    module.onShutdown = { [peers] in peers.endStreams() }
    return module
  }

  @Sendable
  private func greet(_ request: ServiceRequest) async throws -> ServiceResponse {
    try Self.check(request)
    return .text(peers.secret.greeting(request.query ?? "", of: peers.own))
  }

  @Sendable
  private func call(_ request: ServiceRequest) async throws -> ServiceResponse {
    try Self.check(request)
    guard let method = request.parameters["method"].flatMap(RPCMethod.init(rawValue:)),
      method.shape != .bidirectional
    else { throw Self.noRoute(request) }
    let message = try await request.body.collect(upTo: Self.bodyLimit)
    var context = request.context
    let timeout = request.headers.first { $0.name.canonicalName == "grpc-timeout" }
    context.deadline = timeout.flatMap { GRPCTimeout.parse($0.value) }.map { .now + $0 }
    return ServiceResponse(
      body: .stream { [context] writer in try await answer(method, message, context, to: &writer) }
    )
  }

  private func answer(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext,
    to writer: inout any ServiceBodyWriter
  ) async throws {
    do {
      try await engine.becomeCurrent()
      if method.shape == .unary {
        let message = try await withCheckedThrowingContinuation { continuation in
          service.unary(method, request: request, context: context) {
            continuation.resume(with: $0)
          }
        }
        try await writer.write(AnswerFrame.message(message).bytes)
      } else {
        try await copy(method, request, context, to: &writer)
      }
    } catch let error as ServiceError {
      return try await writer.write(AnswerFrame.end(error).bytes)
    }
    try await writer.write(AnswerFrame.end(nil).bytes)
  }

  private func copy(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext,
    to writer: inout any ServiceBodyWriter
  ) async throws {
    let stream = try await withCheckedThrowingContinuation { continuation in
      service.stream(method, request: request, context: context) { continuation.resume(with: $0) }
    }
    while true {
      let messages = try await withCheckedThrowingContinuation { continuation in
        stream.next(maxBytes: 64 << 10) { continuation.resume(with: $0) }
      }
      if messages.isEmpty { return }
      try await writer.write(messages.flatMap { try AnswerFrame.message($0).bytes })
    }
  }

  /// Throws where no node has sent the request.
  private static func check(_ request: ServiceRequest) throws(ServiceError) {
    guard request.context.isForwarded else { throw noRoute(request) }
  }

  private static func noRoute(_ request: ServiceRequest) -> ServiceError {
    ServiceError(.notFound, "The server has no route \(request.path).")
  }
}
