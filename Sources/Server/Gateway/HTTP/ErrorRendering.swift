import BaseStatus
import FirestoreWire
import HTTPTypes
import Hummingbird
import KeyValueStore
import Logging
import NIOCore
import NIOSSL
import ServiceModule

/// Turns what a handler throws into Google's JSON error body; the one place that does so for HTTP.
struct ErrorRendering: RouterMiddleware {
  func handle(
    _ request: Request,
    context: GatewayRequestContext,
    next: (Request, GatewayRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as ServiceError {
      return Self.response(error, isStreaming: false, logger: context.logger)
    } catch is ServiceBody.TooLarge {
      let failure = ServiceError.invalidArgument("The request's body is too large.")
      let status = HTTPResponse.Status.contentTooLarge
      return .json(RESTError.body(failure, status: status.code), status: status)
    } catch let error as any HTTPResponseError {
      return Self.response(error, to: request)
    } catch let error where Self.isClientGone(error) {
      // No client reads it, and no client must be able to fill the log by disconnecting.
      let failure = ServiceError(.cancelled, "The client closed the connection.", cause: error)
      return Self.response(failure, isStreaming: false, logger: context.logger)
    } catch let error as KeyValueError where error.code != .corruption {
      return Self.response(.engine(error), isStreaming: false, logger: context.logger)
    } catch {
      let failure = ServiceError(.internalError, "Internal error.", cause: error)
      return Self.response(failure, isStreaming: false, logger: context.logger)
    }
  }

  private static func isClientGone(_ error: any Error) -> Bool {
    switch error {
    case is BridgedRequest.Abandoned, is CancellationError, is ChannelError, is IOError: true
    case let error as NIOSSLError: error == .uncleanShutdown
    default: false
    }
  }

  /// The answer for an error of the API; streaming methods wrap it in an array.
  static func response(
    _ error: ServiceError,
    isStreaming: Bool,
    logger: Logger
  ) -> Response {
    logger.requestFailed(error)
    return .json(
      RESTError.body(error, streaming: isStreaming),
      status: HTTPResponse.Status(code: error.code.httpStatus)
    )
  }

  /// The answer for an error of the router or the HTTP layer.
  private static func response(_ error: any HTTPResponseError, to request: Request) -> Response {
    let code: StatusCode =
      switch error.status.code {
      case 404, 405: .notFound
      case 401: .unauthenticated
      case 403: .permissionDenied
      case 400..<500: .invalidArgument
      default: .internalError
      }
    // HEAD has the length of what GET gets.
    let method = request.method == .head ? .get : request.method
    let absent = error.status == .notFound ? AbsentService(request.head) : nil
    let text = "\(method) \(request.uri.path): \(error.status.reasonPhrase)"
    let body = RESTError.body(ServiceError(code, absent?.text ?? text), streaming: false)
    return .json(body, status: error.status)
  }
}

extension ServiceError {
  /// The response to a call of a service that let an engine's failure through: worth another try.
  static func engine(_ error: KeyValueError) -> ServiceError {
    error.code == .overloaded
      ? ServiceError(.resourceExhausted, "The server is overloaded. Try again later.")
      : ServiceError(.unavailable, error.textForClients, cause: error)
  }
}

extension Response {
  /// A JSON response.
  static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json; charset=UTF-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    )
  }
}
