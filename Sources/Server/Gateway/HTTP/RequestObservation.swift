import HTTPTypes
import Hummingbird
import Logging
import ServiceModule

/// Counts and logs each HTTP request, and sends its id back.
struct RequestObservation: RouterMiddleware {
  let metrics: GatewayMetrics

  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    var response = try await next(request, context)
    response.headers[.requestID] = context.requestID
    observe(request.head, request.uri.path, response.status, since: start, context.logger) {
      context.caller(request)
    }
    return response
  }

  /// Counts and logs a request that was answered.
  func observe(
    _ head: HTTPRequest,
    _ path: String,
    _ status: HTTPResponse.Status,
    since start: ContinuousClock.Instant,
    _ logger: Logger,
    from caller: () -> RequestLog.Caller
  ) {
    metrics.observe(status: status.code)
    metrics.requestLog?.note(
      head.method.rawValue,
      path: path,
      status: status.code,
      duration: ContinuousClock.now - start,
      from: caller()
    )
    logger.debug(
      "request",
      metadata: [
        "method": "\(head.method)", "path": "\(path)", "status": "\(status.code)",
        "duration": "\(ContinuousClock.now - start)",
      ]
    )
  }
}

extension HTTPField.Name {
  /// The field `x-request-id`.
  static let requestID = known("x-request-id")
  /// The field `access-control-request-private-network`.
  static let requestPrivateNetwork = known("access-control-request-private-network")
  /// The field `access-control-allow-private-network`.
  static let allowPrivateNetwork = known("access-control-allow-private-network")

  /// The name; for literals, which are names.
  static func known(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return field
  }
}
