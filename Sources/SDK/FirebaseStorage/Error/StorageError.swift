import Foundation

/// The reason why an operation on files failed.
///
/// Files throw and deliver `NSError`s of ``StorageErrorDomain`` with the number of a ``StorageErrorCode`` and the server's
/// response: `ResponseErrorDomain`, `ResponseErrorCode`, `ResponseBody`, `bucket`, `object`, and the status as
/// `NSUnderlyingErrorKey`. Casts to this type take them: `catch let StorageError.unauthorized(bucket, object, _)`.
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
  /// No user is signed in, or the token is not valid.
  case unauthenticated(serverError: [String: any Sendable])
  /// The rules deny it.
  case unauthorized(bucket: String, object: String, serverError: [String: any Sendable])
  /// The server could not be reached, or did not answer well, for as long as the settings allow.
  case retryLimitExceeded
  /// The bytes that arrived differ from those that were sent.
  case nonMatchingChecksum
  /// The object is larger than the caller takes.
  case downloadSizeExceeded(total: Int64, maxSize: Int64)
  /// The task was cancelled.
  case cancelled
  /// An argument is not valid.
  case invalidArgument(message: String)
  /// The server's response, or this library, is at fault.
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
  /// The details of the error, and the server's response.
  public var errorUserInfo: [String: Any] {
    var members: [String: Any] = serverError
    members[NSLocalizedDescriptionKey] = text
    if case .downloadSizeExceeded(let total, let limit) = self {
      members["totalSize"] = total
      members["maxAllowedSize"] = limit
    }
    if let domain = serverError["ResponseErrorDomain"] as? String,
      let code = serverError["ResponseErrorCode"] as? Int
    {
      members[NSUnderlyingErrorKey] = NSError(domain: domain, code: code)
    }
    return members
  }
  /// A description of the error, for people.
  public var errorDescription: String? { text }

  private var text: String {
    switch self {
    case .unknown(let message, _), .invalidArgument(let message), .internalError(let message),
      .bucketMismatch(let message), .pathError(let message):
      message
    case .objectNotFound(let object, _): "Object \(object) does not exist."
    case .bucketNotFound(let bucket): "Bucket \(bucket) does not exist."
    case .projectNotFound(let project): "Project \(project) does not exist."
    case .quotaExceeded(let bucket, _): "The quota of bucket \(bucket) is exceeded."
    case .unauthenticated:
      "User is not authenticated, please authenticate using Firebase Authentication and try again."
    case .unauthorized(let bucket, let object, _):
      "User does not have permission to access gs://\(bucket)/\(object)."
    case .retryLimitExceeded: "Max retry time for operation exceeded, please try again."
    case .nonMatchingChecksum: "The object's checksum on the server does not match the local one."
    case .downloadSizeExceeded(let total, let limit):
      "Attempted to download object with size of \(total) bytes, which exceeds the maximum size of "
        + "\(limit) bytes. Consider raising the maximum download size, or using "
        + "StorageReference.write"
    case .cancelled: "User cancelled the upload/download."
    }
  }
}
