import BaseJSON
import BaseStatus
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// An error of Firebase's dialect: a status, and a body of `{"error":{"code":…,"message":…}}`.
struct FirebaseFailure: Error {
  let status: Int
  let message: String
  /// Fields of the response beside those of every error.
  var headers: HTTPFields = [:]

  static func badRequest(_ message: String) -> FirebaseFailure {
    FirebaseFailure(status: 400, message: message)
  }

  /// Returns the error of a denial: it names the kind of permission that is missing, and nothing
  /// else.
  static func denied(_ permission: String) -> FirebaseFailure {
    FirebaseFailure(status: 403, message: "Permission denied. No \(permission) permission.")
  }

  static let notFound = FirebaseFailure(status: 404, message: "Not Found.")

  /// The failure that a client receives for an error; nil for errors that it must not see.
  ///
  /// - Parameter permission: The permission that the request needs, for a denial's text.
  init?(_ error: any Error, permission: String) {
    switch error {
    case let failure as FirebaseFailure: self = failure
    case let error as StorageError: self.init(error, permission: permission)
    case let error as ServiceError: self.init(error, permission: permission)
    case is RelatedBody.Malformed, is MultipartReader.Problem:
      self = .badRequest("The body must have two parts: metadata and content.")
    case is ServiceBody.TooLarge: self = FirebaseFailure(status: 413, message: "Too large.")
    default: return nil
    }
  }

  init(status: Int, message: String) {
    self.status = status
    self.message = message
  }

  private init(_ error: StorageError, permission: String) {
    if error.code == .forbidden {
      self.init(status: 403, message: error.message)
    } else {
      self.init(status: Self.status(of: error.code), message: error.message)
    }
  }

  private static func status(of code: StorageError.Code) -> Int {
    switch code {
    case .invalid, .contentMismatch, .gone: 400
    case .forbidden: 403
    case .notFound: 404
    case .conflict: 409
    case .conditionNotMet: 412
    case .notModified: 304
    case .rangeNotSatisfiable: 416
    // The word for a bucket or project that is full in this dialect.
    case .quotaExceeded: 402
    case .insufficientStorage: 507
    case .unavailable: 503
    case .corrupt: 500
    case .unsupported: 501
    }
  }

  private init?(_ error: ServiceError, permission: String) {
    switch error.code {
    case .permissionDenied: self = .denied(permission)
    case .unauthenticated: self.init(status: 401, message: error.message)
    case .invalidArgument: self.init(status: 400, message: error.message)
    case .notFound: self = .notFound
    case .unavailable, .resourceExhausted, .aborted:
      self.init(status: 503, message: "The service is currently unavailable.")
    default: return nil
    }
  }

  var response: ServiceResponse {
    let body = JSONValue.object([
      .init(
        "error",
        .object([.init("code", .integer(status)), .init("message", .string(message))])
      )
    ])
    var response = ServiceResponse.json(
      Array(body.compact.utf8),
      status: HTTPResponse.Status(code: status)
    )
    for field in headers { response.headers.append(field) }
    return response
  }
}
