import DocumentStore
import FirestoreModel

/// The server's backup, as the administration of databases needs it.
package protocol DatabaseRestorer: Sendable {
  /// True where the backup can bring back the state of a version.
  func holds(_ version: CommitVersion) -> Bool

  /// Fills a new database from a backup, in the background.
  ///
  /// - Parameter start: The version at which the restore began, which its record has.
  func restore(_ backup: DatabaseBackup, as id: DatabaseID, since start: CommitVersion)
}
