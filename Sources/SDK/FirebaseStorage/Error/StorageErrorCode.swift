import FirebaseCore
import Foundation

/// The domain of all errors of files.
public let StorageErrorDomain = "FIRStorageErrorDomain"

/// The numbers of errors of files, as the `code` of an `NSError` has them.
public enum StorageErrorCode: Int, Error, Sendable, CaseIterable {
  /// Something that has no number of its own.
  case unknown = -13000
  /// There is no object at the reference.
  case objectNotFound = -13010
  /// There is no such bucket.
  case bucketNotFound = -13011
  /// There is no such project.
  case projectNotFound = -13012
  /// The bucket or the project is full.
  case quotaExceeded = -13013
  /// No user is signed in, or the token is not valid.
  case unauthenticated = -13020
  /// The rules deny it.
  case unauthorized = -13021
  /// The server could not be reached, or did not answer well, for as long as the settings allow.
  case retryLimitExceeded = -13030
  /// The bytes that arrived differ from those that were sent.
  case nonMatchingChecksum = -13031
  /// The object is larger than the caller takes.
  case downloadSizeExceeded = -13032
  /// The task was cancelled.
  case cancelled = -13040
  /// An argument is not valid.
  case invalidArgument = -13050
  /// The URL is of another bucket than the storage.
  case bucketMismatch = -13051
  /// The server's response, or this library, is at fault.
  case internalError = -13052
  /// The URL names no object.
  case pathError = -13053
}

extension StorageErrorCode: ErrorWithObject {
  /// The error as an object.
  package var object: NSError { NSError(domain: StorageErrorDomain, code: rawValue) }

  /// The error of an object of the domain of files.
  package init?(object: NSError) {
    guard object.domain == StorageErrorDomain else { return nil }
    self.init(rawValue: object.code)
  }
}

extension StorageErrorCode: CustomNSError {
  /// The domain of these errors.
  public static var errorDomain: String { StorageErrorDomain }
  /// The number.
  public var errorCode: Int { rawValue }
}
