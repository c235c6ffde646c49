import FirestoreModel

/// Hears of everything that becomes visible in a store's databases.
package protocol CommitObserver: AnyObject, Sendable {
  /// A group of commits is durable.
  ///
  /// Called in version order: on the writer's thread for its own commits, before their authors get their answers, who may
  /// rely on the observer having heard; on any thread for those of other engines on the same store. Everything waits for the
  /// call, so it only takes note.
  ///
  /// - Parameters:
  ///   - version: No later commit has this version or one below.
  ///   - commits: Makes the list of commits that changed something, in version order, for an observer
  ///     that wants it.
  func groupCommitted(through version: CommitVersion, commits: () -> [PublishedCommit])

  /// Commits were made, by another engine on the same store, of which nobody knows what they changed.
  func missedCommits()

  /// A database was cleared or deleted: that life of it is over.
  func databaseRetired(_ id: DatabaseID, incarnation: Incarnation)
}
