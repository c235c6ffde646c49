import Backup
import DocumentStore
import FirestoreModel
import Foundation
import Logging

/// Restores databases of a running server from its backup, one after the other, by `brasa restore` in a process of its own.
struct DatabaseRestores: Sendable {
  private let settings: BackupSettings
  private let directory: String
  private let databases: Databases
  private let requests: AsyncStream<(DatabaseBackup, DatabaseID)>
  private let waiting: AsyncStream<(DatabaseBackup, DatabaseID)>.Continuation
  private let log = Logger(label: "restore")

  /// The most restores that may wait.
  private static let mostWaiting = 100

  init(_ settings: BackupSettings, directory: String, databases: Databases) {
    (self.settings, self.directory, self.databases) = (settings, directory, databases)
    (requests, waiting) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Self.mostWaiting)
    )
  }

  /// Restores a backup as a database that was made for it, once those before it are done.
  func add(_ backup: DatabaseBackup, as id: DatabaseID) {
    if case .enqueued = waiting.yield((backup, id)) { return }
    end(id, "Too many restores are pending. Delete the database and restore it again later.")
  }

  /// Restores requested backups until the task is cancelled.
  func run() async {
    do { try databases.failUnfinishedRestores() } catch {
      log.error(
        "interrupted restores could not be marked as failed",
        metadata: ["error": "\(error)"]
      )
    }
    do { try RestoredDatabase.removeLeftovers(in: directory) } catch {
      log.error(
        "files of interrupted restores could not be removed; delete restore-*.restoring",
        metadata: ["directory": "\(directory)", "error": "\(error)"]
      )
    }
    for await (backup, id) in requests {
      do {
        try await restore(backup, as: id)
        end(id, nil)
      } catch is CancellationError {
        return
      } catch {
        let reason = (error as? CommandFailure)?.description ?? "The restore failed."
        log.error("a database could not be restored", metadata: ["error": "\(reason)"])
        end(id, reason)
      }
    }
  }

  private func restore(_ backup: DatabaseBackup, as id: DatabaseID) async throws {
    var arguments = ["restore", "--from", settings.target.text, "--data", directory]
    if let key = settings.keyFile { arguments += ["--backup-key", key] }
    arguments += ["--project", id.project.string]
    arguments += ["--database", backup.database.database.string]
    arguments += ["--as", id.database.string, "--is-made"]
    arguments += ["--before-commit", String(backup.version.microseconds + 1)]
    try await ChildCommand(report: directory + "/restore.log").run(arguments)
  }

  private func end(_ id: DatabaseID, _ failure: String?) {
    do { try databases.endRestore(of: id, failure: failure) } catch {
      log.error("the result of a restore could not be saved", metadata: ["error": "\(error)"])
    }
  }
}
