import FirestoreModel
import KeyValueStore

/// Writes what follows from a commit in the commit's own atomic group: events for triggers.
package protocol CommitFollower: AnyObject, Sendable {
  /// Returns true if commits to a database may concern the follower.
  ///
  /// Called for each commit on the writing thread, so it looks at memory alone and takes no lock for long.
  func follows(_ database: DatabaseID) -> Bool

  /// Writes what follows from a commit that was just applied in the group.
  ///
  /// A throw fails all commits of the batch, so only the group's own errors may pass.
  func commitApplied(
    _ commit: PublishedCommit,
    by author: CommitAuthor,
    in group: any KeyValueGroup
  ) throws

  /// A group in which the follower wrote is durable.
  func groupLanded()
}

/// The principal behind a commit, for those who react to it.
package struct CommitAuthor: Sendable, Hashable {
  /// The kinds of principals.
  package enum Kind: UInt8, Sendable, Hashable {
    /// The server itself.
    case system = 0
    /// A signed-in user of an app.
    case user = 1
    /// An administrator or a back end.
    case administrator = 2
    /// A caller without credentials.
    case nobody = 3
  }

  /// The kind of the principal.
  package var kind: Kind
  /// The user's id or the administrator's name; nil where there is none.
  package var id: String?
  /// The number of events that led to this commit, one causing the next: 0 for what no event caused.
  package var depth = 0

  /// A principal of that kind.
  package init(_ kind: Kind, id: String? = nil, depth: Int = 0) {
    self.kind = kind
    self.id = id
    self.depth = depth
  }

  /// The server itself.
  package static let system = CommitAuthor(.system)
}
