import HTTPTypes
import Hummingbird
import NIOCore
import ServiceModule

/// Has the service answer that has the request's route; what no service has goes on.
struct RouteDispatch: RouterMiddleware {
  let routes: RouteTable
  let methods: MethodTable

  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let match = routes.match(request.method, request.uri.path) else {
      return try await next(request, context)
    }
    let start = ContinuousClock.now
    let isHead = request.method == .head && !match.route.methods.contains(.head)
    var head = request.head
    // The request's target may also be a whole URL.
    head.path = request.uri.path + (request.uri.query.map { "?\($0)" } ?? "")
    if isHead { head.method = .get }
    let call = ServiceRequest(
      head: head,
      parameters: match.parameters,
      rest: match.rest,
      context: context.call(request),
      address: context.peerAddress,
      isHTTP2: context.isHTTP2,
      logger: context.logger,
      body: body(of: request, for: match.route, context.lease)
    )
    // What the request takes of memory is given back when it is answered, not before.
    defer { withExtendedLifetime(call) {} }
    let answer = try await match.route.handler(call)
    if let call = answer.call { methods[call.path]?.observe(call.code, since: start) }
    let response = Response(answer)
    return isHead ? response.createHeadResponse() : response
  }

  private func body(
    of request: Request,
    for route: HTTPRoute,
    _ lease: RequestLease
  ) -> ServiceBody {
    guard route.takesStream else { return ServiceBody(request.body.map { Array(buffer: $0) }) }
    lease.beginStream()
    return ServiceBody(PassingBody(base: request.body, lease: lease))
  }
}

extension Response {
  /// A service's answer.
  fileprivate init(_ answer: ServiceResponse) {
    let body: ResponseBody =
      switch answer.body {
      case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
      case .stream(let write):
        ResponseBody { writer in
          var parts: any ServiceBodyWriter = ServiceWriter(base: writer)
          try await write(&parts)
          try await writer.finish(nil)
        }
      }
    self.init(status: answer.status, headers: answer.headers, body: body)
  }
}

/// Where a service writes a streamed answer.
private struct ServiceWriter: ServiceBodyWriter {
  var base: any ResponseBodyWriter

  mutating func write(_ bytes: [UInt8]) async throws {
    try await base.write(ByteBuffer(bytes: bytes))
  }
}
