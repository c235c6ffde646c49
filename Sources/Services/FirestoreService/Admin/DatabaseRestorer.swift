import DocumentStore
import FirestoreModel

/// The server's backup, as the administration of databases needs it.
package protocol DatabaseRestorer: Sendable {
  /// Whether the backup can bring back what there was at a version.
  func holds(_ version: CommitVersion) -> Bool

  /// Fills a new database from a backup, in the background.
  func restore(_ backup: DatabaseBackup, as id: DatabaseID)
}
