import FirestoreModel

/// Hears of everything that becomes visible in a store's databases.
package protocol CommitObserver: AnyObject, Sendable {
  /// A group of commits is durable.
  ///
  /// Called on the writer's thread, in version order, before the commits' authors get their answers:
  /// who was answered may rely on the observer having heard. Everything waits for the call, so it
  /// only takes note.
  ///
  /// - Parameters:
  ///   - version: No later commit has this version or one below.
  ///   - commits: Makes the list of commits that changed something, in version order, for an observer
  ///     that wants it.
  func groupCommitted(through version: CommitVersion, commits: () -> [PublishedCommit])

  /// A database was cleared or deleted: that life of it is over.
  func databaseRetired(_ id: DatabaseID, incarnation: Incarnation)
}
