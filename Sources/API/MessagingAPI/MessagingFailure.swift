import BaseJSON
import BaseStatus
import HTTPTypes
import PushMessaging
import ServiceModule

extension MessagingError {
  /// The canonical code.
  var status: StatusCode {
    switch code {
    case .invalidArgument: .invalidArgument
    case .unregistered: .notFound
    case .senderIDMismatch: .permissionDenied
    case .quotaExceeded: .resourceExhausted
    case .unavailable: .unavailable
    case .internal: .internalError
    case .thirdPartyAuthError: .unauthenticated
    }
  }

  /// The answer in the form of HTTP v1, with `FcmError` and, for wrong fields, `BadRequest`.
  var response: ServiceResponse {
    var details: [JSONValue] = [
      .object([
        .init("@type", .string("type.googleapis.com/google.firebase.fcm.v1.FcmError")),
        .init("errorCode", .string(code.rawValue)),
      ])
    ]
    if !violations.isEmpty {
      let list = violations.map { violation in
        JSONValue.object([
          .init("field", .string(violation.field)),
          .init("description", .string(violation.description)),
        ])
      }
      details.append(
        .object([
          .init("@type", .string("type.googleapis.com/google.rpc.BadRequest")),
          .init("fieldViolations", .array(list)),
        ])
      )
    }
    let status = status.httpStatus
    let error = JSONValue.object([
      .init("code", .integer(status)), .init("message", .string(message)),
      .init("status", .string(self.status.name)), .init("details", .array(details)),
    ])
    var response = ServiceResponse.json(
      .object([.init("error", error)]),
      status: HTTPResponse.Status(code: status)
    )
    if code == .quotaExceeded || code == .unavailable { response.headers[.retryAfter] = "10" }
    return response
  }

  /// The same in the words of the other services: for operators, and for the log.
  package var firestoreError: ServiceError { ServiceError(status, message, cause: cause) }
}

extension LoopAnswer {
  /// The outcome of a request, with errors in the form of HTTP v1.
  init(_ request: ServiceRequest, _ answer: () throws -> LoopAnswer) {
    do {
      self = try answer()
    } catch let error as MessagingError {
      request.logger.requestFailed(error.firestoreError)
      self = .response(error.response)
    } catch let error as ServiceError {
      self = .failure(error)
    } catch {
      self = .failure(ServiceError(.internalError, "Internal error.", cause: error))
    }
  }
}

/// A route whose errors are answered in the form of HTTP v1.
func messagingRoute(
  _ method: HTTPRequest.Method,
  _ path: String,
  for audience: HTTPRoute.Audience,
  handler: @escaping HTTPRoute.Handler
) -> HTTPRoute {
  HTTPRoute(method, RoutePattern(path), for: audience) { request in
    do {
      return try await handler(request)
    } catch let error as MessagingError {
      request.logger.requestFailed(error.firestoreError)
      return error.response
    }
  }
}
