import FirestoreModel

/// The number under which a client listens to a target; even for queries, odd for limbo documents.
package typealias TargetID = Int32

/// A server's token from which a target can be resumed; empty is none.
package typealias ResumeToken = [UInt8]

/// The state that the client keeps of a target that it listens or listened to.
package struct TargetData: Sendable, Hashable {
  /// The reason why the target is listened to; sent as a label of the request.
  package enum Purpose: Int, Sendable, Hashable {
    case listen = 0
    /// The target's documents differ from the server's, and no bloom filter was there to say which.
    case existenceFilterMismatch = 1
    /// The same, with a bloom filter that let foreign names pass.
    case existenceFilterMismatchBloom = 2
    /// A document that a query shows and the server has not confirmed.
    case limboResolution = 3
  }

  /// The document, query or bundle that is listened to.
  package let target: Target
  /// The number of the target on the watch stream and in the store.
  package let id: TargetID
  /// The reason for which the target is listened to.
  package var purpose: Purpose
  /// The position of the target's last use in the order of all uses.
  package var sequenceNumber: Int64
  /// The last snapshot that covers the target.
  package var snapshotVersion: CommitVersion
  /// The last snapshot at which the target's view had no document in limbo.
  package var lastLimboFreeVersion: CommitVersion
  /// The server's newest token for the target; empty where it starts from the beginning.
  package var resumeToken: ResumeToken
  /// The number of documents that the client has for the target; sent with a resumption.
  package var expectedCount: Int?

  /// A target that was never listened to.
  package init(
    target: Target,
    id: TargetID,
    purpose: Purpose = .listen,
    sequenceNumber: Int64 = 0
  ) {
    self.target = target
    self.id = id
    self.purpose = purpose
    self.sequenceNumber = sequenceNumber
    snapshotVersion = .zero
    lastLimboFreeVersion = .zero
    resumeToken = []
    expectedCount = nil
  }

  /// The data with a position from which it can be resumed.
  func resuming(from token: ResumeToken, at version: CommitVersion) -> TargetData {
    var data = self
    data.resumeToken = token
    data.snapshotVersion = version
    data.expectedCount = nil
    return data
  }
}
