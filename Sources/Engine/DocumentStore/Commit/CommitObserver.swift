import FirestoreModel

/// Receives everything that becomes visible in a store's databases.
package protocol CommitObserver: AnyObject, Sendable {
  /// A group of commits is durable.
  ///
  /// Called in version order. For the writer's own commits this is on its thread, before their
  /// authors get the responses and may rely on the observer. For commits of other engines on the
  /// same store it is on any thread. Everything waits for the call, so it only takes note.
  ///
  /// - Parameters:
  ///   - version: No later commit has this version or one below.
  ///   - commits: Makes the list of commits that changed something, in version order, for an observer
  ///     that wants it.
  func groupCommitted(through version: CommitVersion, commits: () -> [PublishedCommit])

  /// Another engine on the same store has committed changes that are unknown here.
  func missedCommits()

  /// A database was cleared or deleted: that life of it is over.
  func databaseRetired(_ id: DatabaseID, incarnation: Incarnation)
}
