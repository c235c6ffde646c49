import KeyValueStore

/// The failure of a request for buckets, objects or uploads.
///
/// The message is for the client; the cause is for the log and never leaves the server.
package struct StorageError: Error, Sendable {
  /// The kinds of failure, by what a client does about them.
  package enum Code: Sendable, Hashable {
    /// The request means nothing.
    case invalid
    /// A hash that came with the content is another content's.
    case contentMismatch
    /// The caller is not allowed to do it.
    case forbidden
    case notFound
    /// A name that is taken, a bucket that is not empty.
    case conflict
    /// A precondition does not hold.
    case conditionNotMet
    /// A precondition of a read says that the reader has it already.
    case notModified
    /// Bytes are asked for that there are not.
    case rangeNotSatisfiable
    /// An upload that is over or cancelled.
    case gone
    /// A bucket or project is full.
    case quotaExceeded
    /// The disk is full.
    case insufficientStorage
    /// Worth another try.
    case unavailable
    /// The stored data is damaged.
    case corrupt
    /// Nothing here does that.
    case unsupported
  }

  /// Decides the HTTP status that an API sends.
  package let code: Code
  /// A sentence for the client; for Google's own errors in Google's words.
  package let message: String
  /// The error below, of the engine or the file system; nil if the request itself is wrong.
  package let cause: (any Error)?

  /// An error of that kind.
  package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// True if the request may come into force all the same: its write began and failed.
  ///
  /// Nothing that it would need may be removed then.
  package var leavesOutcomeUnknown: Bool {
    (cause as? KeyValueError)?.leavesOutcomeUnknown ?? false
  }

  static func noBucket(_ name: BucketName) -> StorageError {
    StorageError(.notFound, "The specified bucket does not exist: \(name.text.string)")
  }

  static func noObject(_ name: ObjectName, in bucket: BucketName) -> StorageError {
    StorageError(.notFound, "No such object: \(bucket.text.string)/\(name.text.string)")
  }

  /// In Google's words, which tell nothing of the bucket's project.
  static let nameOfAnother = StorageError(
    .conflict,
    "The requested bucket name is not available. The bucket namespace is shared by all users of the "
      + "system. Please select a different name and try again."
  )

  static let noUpload = StorageError(.notFound, "The upload session does not exist or has expired.")

  /// The error for a request that continues a cancelled upload.
  package static let cancelledUpload = StorageError(.gone, "The upload was cancelled.")

  static let conditionNotMet = StorageError(
    .conditionNotMet,
    "At least one of the pre-conditions you specified did not hold."
  )
}
