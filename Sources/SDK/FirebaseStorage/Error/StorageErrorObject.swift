import FirebaseCore
import Foundation

/// The object of a ``StorageError``, which keeps the value for casts back.
///
/// Unchecked because `NSError` is; the only member is a constant.
private final class StorageErrorObject: NSError, @unchecked Sendable {
  let value: StorageError

  init(_ value: StorageError) {
    self.value = value
    super.init(
      domain: StorageErrorDomain,
      code: value.code.rawValue,
      userInfo: value.errorUserInfo
    )
  }

  /// An archive has the domain, the code and the members, not the value.
  required init?(coder: NSCoder) { nil }
}

extension StorageError: ErrorWithObject {
  /// The error as an object.
  package var object: NSError { StorageErrorObject(self) }

  /// The error of an object of the domain of files, also of one that an app made.
  package init?(object: NSError) {
    if let known = object as? StorageErrorObject {
      self = known.value
    } else {
      guard let code = StorageErrorCode(object: object) else { return nil }
      self.init(code, object)
    }
  }

  private init(_ code: StorageErrorCode, _ object: NSError) {
    let (text, server) = (object.localizedDescription, Self.server(object))
    let (bucket, name) = (object.text("bucket"), object.text("object"))
    switch code {
    case .unknown: self = .unknown(message: text, serverError: server)
    case .objectNotFound: self = .objectNotFound(object: name, serverError: server)
    case .bucketNotFound: self = .bucketNotFound(bucket: bucket)
    case .projectNotFound: self = .projectNotFound(project: object.text("project"))
    case .quotaExceeded: self = .quotaExceeded(bucket: bucket, serverError: server)
    case .unauthenticated: self = .unauthenticated(serverError: server)
    case .unauthorized: self = .unauthorized(bucket: bucket, object: name, serverError: server)
    case .retryLimitExceeded: self = .retryLimitExceeded
    case .nonMatchingChecksum: self = .nonMatchingChecksum
    case .downloadSizeExceeded:
      let (total, limit) = (object.userInfo["totalSize"], object.userInfo["maxAllowedSize"])
      self = .downloadSizeExceeded(total: total as? Int64 ?? 0, maxSize: limit as? Int64 ?? 0)
    case .cancelled: self = .cancelled
    case .invalidArgument: self = .invalidArgument(message: text)
    case .bucketMismatch: self = .bucketMismatch(message: text)
    case .internalError: self = .internalError(message: text)
    case .pathError: self = .pathError(message: text)
    }
  }

  private static func server(_ object: NSError) -> [String: any Sendable] {
    var members: [String: any Sendable] = [:]
    for key in ["ResponseErrorDomain", "ResponseBody", "bucket", "object"] {
      members[key] = object.userInfo[key] as? String
    }
    members["ResponseErrorCode"] = object.userInfo["ResponseErrorCode"] as? Int
    return members
  }
}

extension NSError {
  fileprivate func text(_ key: String) -> String { userInfo[key] as? String ?? "" }
}
