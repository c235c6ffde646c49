import BaseJSON
import BaseStatus
import HTTPTypes
import Logging
import ObjectStorage
import ServiceModule
import StorageWire

/// Errors in the form of Google's JSON API for Storage.
enum JSONErrors {
  /// An error's status and the reason that clients look for.
  static func status(_ code: StorageError.Code) -> (status: Int, reason: String) {
    switch code {
    case .invalid, .contentMismatch: (400, "invalid")
    case .forbidden: (403, "forbidden")
    case .notFound: (404, "notFound")
    case .conflict: (409, "conflict")
    case .gone: (410, "gone")
    case .conditionNotMet: (412, "conditionNotMet")
    case .notModified: (304, "notModified")
    case .rangeNotSatisfiable: (416, "requestedRangeNotSatisfiable")
    case .quotaExceeded: (403, "quotaExceeded")
    case .insufficientStorage: (507, "insufficientStorage")
    case .unavailable: (503, "backendError")
    case .corrupt: (500, "internalError")
    case .unsupported: (501, "notImplemented")
    }
  }

  private static func status(_ error: ServiceError) -> (status: Int, reason: String) {
    switch error.code {
    case .unauthenticated: (401, "authError")
    case .permissionDenied: (403, "forbidden")
    case .resourceExhausted: (429, "rateLimitExceeded")
    default:
      error.code.httpStatus < 500 ? (400, "invalid") : (503, "backendError")
    }
  }

  /// The response for an error; rethrows errors that the service does not report.
  static func response(_ error: any Error, _ request: ServiceRequest) throws -> ServiceResponse {
    switch error {
    case let error as StorageError:
      log(error, request.logger)
      let (status, reason) = status(error.code)
      return response(status, reason, error.message, request)
    case let error as ServiceError:
      request.logger.requestFailed(error)
      let (status, reason) = status(error)
      return response(status, reason, error.message, request)
    case is RelatedBody.Malformed, is MultipartReader.Problem:
      return response(400, "invalid", "Malformed multipart body.", request)
    case is ServiceBody.TooLarge:
      return response(413, "uploadTooLarge", "The request is too large.", request)
    default: throw error
    }
  }

  private static func log(_ error: StorageError, _ logger: Logger) {
    switch error.code {
    case .corrupt, .unavailable, .insufficientStorage:
      logger.error(
        "request failed",
        metadata: [
          "message": "\(error.message)", "cause": error.cause.map { "\($0)" } ?? "none",
        ]
      )
    default: break
    }
  }

  private static func response(
    _ status: Int,
    _ reason: String,
    _ message: String,
    _ request: ServiceRequest
  ) -> ServiceResponse {
    let status = HTTPResponse.Status(code: status)
    guard status.code != 304 else { return ServiceResponse(status: status) }
    if request.query?.contains("alt=media") == true {
      return .text(message, status: status)
    }
    let detail: JSONValue = .object([
      "message": .string(message), "domain": .string("global"), "reason": .string(reason),
    ])
    let body: JSONValue = .object([
      "error": .object([
        "code": .number("\(status.code)"), "message": .string(message),
        "errors": .array([detail]),
      ])
    ])
    return .json(body.compactBytes, status: status)
  }
}
