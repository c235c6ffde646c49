import FirebaseCore
import Foundation

/// The domain of errors of calls.
public let FunctionsErrorDomain = "com.firebase.functions"
/// The member of an error with what the function gave as details.
public let FunctionsErrorDetailsKey = "details"

/// The reason why a call failed.
///
/// Calls throw `NSError`s of ``FunctionsErrorDomain`` with these codes.
public enum FunctionsErrorCode: Int, Sendable, CaseIterable {
  case OK = 0
  case cancelled = 1
  case unknown = 2
  case invalidArgument = 3
  case deadlineExceeded = 4
  case notFound = 5
  case alreadyExists = 6
  case permissionDenied = 7
  case resourceExhausted = 8
  case failedPrecondition = 9
  case aborted = 10
  case outOfRange = 11
  case unimplemented = 12
  case `internal` = 13
  case unavailable = 14
  case dataLoss = 15
  case unauthenticated = 16

  /// The code's canonical name, such as `NOT_FOUND`.
  var name: String {
    switch self {
    case .OK: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }

  /// The code of a canonical name; nil for another text.
  init?(name: String) {
    guard let code = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = code
  }

  /// The code of a response that says nothing but its HTTP status.
  init(httpStatus status: Int) {
    switch status {
    case 400: self = .invalidArgument
    case 401: self = .unauthenticated
    case 403: self = .permissionDenied
    case 404: self = .notFound
    case 409: self = .aborted
    case 429: self = .resourceExhausted
    case 499: self = .cancelled
    case 501: self = .unimplemented
    case 503: self = .unavailable
    case 504: self = .deadlineExceeded
    default: self = .internal
    }
  }

  /// The error object of the code.
  func error(_ message: String, details: Any? = nil) -> NSError {
    var members: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let details { members[FunctionsErrorDetailsKey] = details }
    return NSError(domain: FunctionsErrorDomain, code: rawValue, userInfo: members)
  }
}
