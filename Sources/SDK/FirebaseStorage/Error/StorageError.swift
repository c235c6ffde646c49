import Foundation

/// Why something with files failed.
///
/// As an `NSError` it has the domain ``StorageErrorDomain``, the number of its ``StorageErrorCode``, and what the server
/// answered: `ResponseErrorDomain`, `ResponseErrorCode`, `ResponseBody`, `bucket`, `object`.
public enum StorageError: Error, Sendable {
  /// Something that has no number of its own.
  case unknown(message: String, serverError: [String: any Sendable])
  /// There is no object at the reference.
  case objectNotFound(object: String, serverError: [String: any Sendable])
  /// There is no such bucket.
  case bucketNotFound(bucket: String)
  /// There is no such project.
  case projectNotFound(project: String)
  /// The bucket or the project is full.
  case quotaExceeded(bucket: String, serverError: [String: any Sendable])
  /// Nobody is signed in, or the token is not valid.
  case unauthenticated(serverError: [String: any Sendable])
  /// The rules deny it.
  case unauthorized(bucket: String, object: String, serverError: [String: any Sendable])
  /// The server could not be reached, or did not answer well, for as long as the settings allow.
  case retryLimitExceeded
  /// What arrived is not what was sent.
  case nonMatchingChecksum
  /// The object is larger than the caller takes.
  case downloadSizeExceeded(total: Int64, maxSize: Int64)
  /// The task was cancelled.
  case cancelled
  /// An argument is not valid.
  case invalidArgument(message: String)
  /// The server's answer, or this library, is at fault.
  case internalError(message: String)
  /// The URL is of another bucket than the storage.
  case bucketMismatch(message: String)
  /// The URL names no object.
  case pathError(message: String)

  /// The kind of error.
  public var code: StorageErrorCode {
    switch self {
    case .unknown: .unknown
    case .objectNotFound: .objectNotFound
    case .bucketNotFound: .bucketNotFound
    case .projectNotFound: .projectNotFound
    case .quotaExceeded: .quotaExceeded
    case .unauthenticated: .unauthenticated
    case .unauthorized: .unauthorized
    case .retryLimitExceeded: .retryLimitExceeded
    case .nonMatchingChecksum: .nonMatchingChecksum
    case .downloadSizeExceeded: .downloadSizeExceeded
    case .cancelled: .cancelled
    case .invalidArgument: .invalidArgument
    case .internalError: .internalError
    case .bucketMismatch: .bucketMismatch
    case .pathError: .pathError
    }
  }

  private var serverError: [String: any Sendable] {
    switch self {
    case .unknown(_, let answer), .objectNotFound(_, let answer), .quotaExceeded(_, let answer),
      .unauthenticated(let answer), .unauthorized(_, _, let answer):
      answer
    default: [:]
    }
  }
}

extension StorageError: CustomNSError, LocalizedError {
  /// The domain of these errors.
  public static var errorDomain: String { StorageErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// What went wrong, and what the server answered.
  public var errorUserInfo: [String: Any] {
    var members: [String: Any] = serverError
    members[NSLocalizedDescriptionKey] = text
    return members
  }
  /// What went wrong, for people.
  public var errorDescription: String? { text }

  private var text: String {
    switch self {
    case .unknown(let message, _), .invalidArgument(let message), .internalError(let message),
      .bucketMismatch(let message), .pathError(let message):
      message
    case .objectNotFound(let object, _): "Object \(object) does not exist."
    case .bucketNotFound(let bucket): "Bucket \(bucket) does not exist."
    case .projectNotFound(let project): "Project \(project) does not exist."
    case .quotaExceeded(let bucket, _): "The quota of bucket \(bucket) is used up."
    case .unauthenticated: "The user is not authenticated: sign in and try again."
    case .unauthorized(let bucket, let object, _):
      "The user may not access gs://\(bucket)/\(object)."
    case .retryLimitExceeded: "The operation was tried for as long as allowed, without success."
    case .nonMatchingChecksum: "The object's checksum is another at the server than here."
    case .downloadSizeExceeded(let total, let limit):
      "The object has \(total) bytes, which is more than the maximum of \(limit)."
    case .cancelled: "The upload or download was cancelled."
    }
  }
}
