import Access
import BaseStatus
import HTTPTypes
import Hummingbird
import KeyValueStore
import NIOCore
import ServiceModule

/// Takes a call for the audit trail; returns when it is kept.
package typealias AuditRecorder = @Sendable (AdministrativeCall) async -> Void

/// The path with a project's id in place of its number; nil where it has none.
package typealias ProjectPaths = @Sendable (_ path: String) async throws -> String?

/// Passes the request to the service with its route; other requests continue.
struct RouteDispatch: RouterMiddleware {
  let routes: RouteTable
  let methods: MethodTable
  /// Records the actions of signed-in administrators before their responses; nil records nothing.
  let audit: AuditRecorder?
  /// Puts the ids of projects in place of their numbers; nil leaves numbers to the services.
  var numbers: ProjectPaths?

  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    var path = request.uri.path
    // The name of a file may look like the path of a project.
    if let numbers, ProjectNumbers.digits(in: path) != nil, !routes.isClaimed(request.head),
      let named = try await numbers(path)
    {
      path = named
    }
    guard let match = routes.match(request.method, path, of: request.head) else {
      return try await next(request, context)
    }
    let start = ContinuousClock.now
    let isHead = request.method == .head && !match.route.methods.contains(.head)
    var head = request.head
    // The request's target may also be a whole URL.
    head.path = path + (request.uri.query.map { "?\($0)" } ?? "")
    if isHead { head.method = .get }
    let demand = match.route.demand(head.method, path)
    let actor = CallActor()
    var known = context.call(request, demand: demand, actor: actor)
    known.takesRecentSignIn = match.route.takesRecentSignIn(head.method, path)
    let call = ServiceRequest(
      head: head,
      parameters: match.parameters,
      rest: match.rest,
      context: known,
      address: context.peerAddress,
      isHTTP2: context.isHTTP2,
      logger: context.logger,
      body: body(of: request, for: match.route, context.lease)
    )
    // The request's memory is released with its response, not before.
    defer { withExtendedLifetime(call) {} }
    let answer: ServiceResponse
    do {
      answer = try await match.route.handler(call)
    } catch {
      await record(call, path, demand, status: Self.status(of: error))
      throw error
    }
    await record(call, path, demand, status: answer.status.code)
    if let call = answer.call { methods[call.path]?.observe(call.code, since: start) }
    return Response(answer)
  }

  /// Records an administrator's changing call in the audit trail, with any outcome.
  ///
  /// Reads change nothing, and pages repeat them every second; a refused one is kept, as an attempt.
  private func record(
    _ call: ServiceRequest,
    _ path: String,
    _ demand: AdministratorRole,
    status: Int
  ) async {
    guard let audit, demand > .viewer, let administrator = call.context.actor?.administrator else {
      return
    }
    let isRead = call.method == .get || call.method == .head
    guard !isRead || Self.refusals.contains(status) else { return }
    await audit(
      AdministrativeCall(
        administrator: administrator,
        address: call.address,
        action: call.method.rawValue,
        target: path,
        status: status,
        requestID: call.context.requestID,
        subjects: call.context.actor?.subjects ?? CallSubjects()
      )
    )
  }

  /// The statuses of calls without permission.
  private static let refusals: Set<Int> = [401, 403]

  private static func status(of error: any Error) -> Int {
    switch error {
    case let error as ServiceError: error.code.httpStatus
    case let error as KeyValueError where error.code != .corruption:
      ServiceError.engine(error).code.httpStatus
    default: 500
    }
  }

  private func body(
    of request: Request,
    for route: HTTPRoute,
    _ lease: RequestLease
  ) -> ServiceBody {
    guard route.takesStream || route.isPassedOn?() == true else {
      return ServiceBody(request.body.map { Array(buffer: $0) })
    }
    lease.beginStream()
    return ServiceBody(PassingBody(base: request.body, lease: lease))
  }
}

extension Response {
  /// A service's response.
  init(_ answer: ServiceResponse) {
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

/// The writer through which a service streams a response.
private struct ServiceWriter: ServiceBodyWriter {
  var base: any ResponseBodyWriter

  var files: (any ServiceFileWriter)? { (base as? any FileResponseBodyWriter)?.files }

  mutating func write(_ bytes: [UInt8]) async throws {
    try await base.write(ByteBuffer(bytes: bytes))
  }
}
