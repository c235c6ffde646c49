import BaseStatus
import FirestoreModel

/// One message of the watch stream.
package enum WatchChange: Sendable {
  /// The kinds of changes of targets themselves.
  package enum TargetState: Sendable, Hashable {
    case noChange
    case added
    /// With an error the server ended the target, without it confirms that it was removed.
    case removed(FirestoreFailure?)
    case current
    case reset
  }

  /// No ids are all targets of the stream.
  case target(TargetState, ids: [TargetID], resumeToken: ResumeToken, readTime: CommitVersion?)
  /// A document entered, changed in or left targets; nil is a document that only left them.
  case document(
    ResourcePath,
    CachedDocument?,
    targets: [TargetID],
    removedTargets: [TargetID]
  )
  /// The number of documents that a target has at the server, and the documents that did not
  /// change.
  case existenceFilter(target: TargetID, count: Int, unchanged: BloomFilter?)
}

/// An error of the server or of the connection to it.
package struct FirestoreFailure: Error, Sendable, Hashable {
  /// Firestore's code, which decides whether a request is repeated.
  package let code: StatusCode
  /// The server's text for people; empty where it sent none.
  package let message: String

  /// An error with Firestore's code and text.
  package init(_ code: StatusCode, _ message: String = "") {
    self.code = code
    self.message = message
  }

  /// True if sending a request of the same content again is pointless.
  var isPermanent: Bool {
    switch code {
    case .ok, .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internalError,
      .unavailable, .unauthenticated:
      false
    case .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition,
      .aborted, .outOfRange, .unimplemented, .dataLoss:
      true
    }
  }

  /// The same for writes, which the server aborts where others were faster.
  var isPermanentForWrites: Bool { isPermanent && code != .aborted }
}
