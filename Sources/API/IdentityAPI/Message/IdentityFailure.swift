import Authentication
import BaseJSON
import BaseStatus
import HTTPTypes
import KeyValueStore
import ServiceModule

/// An error as Google's account APIs answer it.
struct IdentityFailure: Error {
  let status: HTTPResponse.Status
  /// `CODE`, `CODE : detail`, or a sentence.
  let message: String
  /// The canonical status; nil where the official answer has none.
  var canonical: String?
  var reason = "invalid"

  /// A request that is malformed as such.
  static func invalid(_ message: String) -> IdentityFailure {
    IdentityFailure(status: .badRequest, message: message, canonical: "INVALID_ARGUMENT")
  }

  /// One of the API's own codes.
  static func code(_ code: String, _ detail: String? = nil) -> IdentityFailure {
    IdentityFailure(status: .badRequest, message: detail.map { "\(code) : \($0)" } ?? code)
  }

  static let missingKey = IdentityFailure(
    status: .forbidden,
    message: "The request is missing a valid API key.",
    canonical: "PERMISSION_DENIED",
    reason: "forbidden"
  )

  static let invalidKey = IdentityFailure(
    status: .badRequest,
    message: "API key not valid. Please pass a valid API key.",
    canonical: "INVALID_ARGUMENT",
    reason: "keyInvalid"
  )

  static let missingCredentials = IdentityFailure(
    status: .unauthorized,
    message:
      "Request is missing required authentication credential. Expected OAuth 2 access token, "
      + "login cookie or other valid authentication credential.",
    canonical: "UNAUTHENTICATED",
    reason: "required"
  )

  static let notFound = IdentityFailure(
    status: .notFound,
    message: "Not Found",
    canonical: "NOT_FOUND",
    reason: "notFound"
  )

  /// Converts an error thrown below; nil for faults of the server's own.
  init?(_ error: any Error) {
    switch error {
    case let failure as IdentityFailure: self = failure
    case let error as AccountError:
      if error.code == .internalError { return nil }
      let isMissing = error.code == .configurationNotFound
      self.init(
        status: isMissing ? .notFound : .badRequest,
        message: error.message,
        canonical: isMissing ? "NOT_FOUND" : nil
      )
    case let error as ServiceError:
      switch error.code {
      case .unauthenticated, .permissionDenied, .invalidArgument, .notFound, .resourceExhausted,
        .unavailable:
        self.init(
          status: .init(code: error.code.httpStatus),
          message: error.message,
          canonical: error.code.name,
          reason: error.code == .unauthenticated ? "authError" : "invalid"
        )
      default: return nil
      }
    case let error as KeyValueError where error.code != .corruption: self.init(store: error)
    default: return nil
    }
  }

  /// The response while the store takes no writes or can't be read: worth another try.
  private init(store error: KeyValueError) {
    self.init(
      status: .serviceUnavailable,
      message: error.textForClients,
      canonical: "UNAVAILABLE",
      reason: "backendError"
    )
  }

  init(
    status: HTTPResponse.Status,
    message: String,
    canonical: String? = nil,
    reason: String = "invalid"
  ) {
    self.status = status
    self.message = message
    self.canonical = canonical
    self.reason = reason
  }

  /// The response to a fault of the server's.
  static let internalError = IdentityFailure(
    status: .internalServerError,
    message: "INTERNAL_ERROR",
    canonical: "INTERNAL",
    reason: "backendError"
  )

  /// The official body.
  var response: ServiceResponse {
    var members: [JSONValue.Member] = [
      .init("code", .number(String(status.code))),
      .init("message", .string(message)),
      .init(
        "errors",
        .array([
          .object([
            "message": .string(message), "domain": .string("global"), "reason": .string(reason),
          ])
        ])
      ),
    ]
    if let canonical { members.append(.init("status", .string(canonical))) }
    return .json(JSONValue.object(["error": .object(members)]).compactBytes, status: status)
  }
}
