import Backup
import DocumentStore
import FirestoreModel
import Foundation
import Logging

/// Restores databases of a running server from its backup, one after the other, by `brasa restore` in a process of its own.
///
/// A restore that the end of the server cut off is repeated by the next server with a backup: what it writes are the same
/// documents, and nobody else may write until it is done.
struct DatabaseRestores: Sendable {
  private let settings: BackupSettings
  private let directory: String
  private let databases: Databases
  private let requests: AsyncStream<Request>
  private let waiting: AsyncStream<Request>.Continuation
  private let log = Logger(label: "restore")

  private struct Request {
    let backup: DatabaseBackup
    let id: DatabaseID
    /// The version at which the restore began.
    let start: CommitVersion
  }

  /// The most restores that may wait.
  private static let mostWaiting = 100

  init(_ settings: BackupSettings, directory: String, databases: Databases) {
    (self.settings, self.directory, self.databases) = (settings, directory, databases)
    (requests, waiting) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Self.mostWaiting)
    )
  }

  /// Restores a backup as a database that was made for it, once those before it are done.
  func add(_ backup: DatabaseBackup, as id: DatabaseID, since start: CommitVersion) {
    let request = Request(backup: backup, id: id, start: start)
    if case .enqueued = waiting.yield(request) { return }
    end(request.id, since: start, "Too many restores wait.")
  }

  /// Restores requested backups until the task is cancelled.
  func run() async {
    do { try repeatUnfinished() } catch {
      log.error("restores that were cut off can't be repeated", metadata: ["error": "\(error)"])
    }
    for await request in requests {
      do {
        // One that was asked for while the server started may be here twice.
        guard try isUnfinished(request) else { continue }
        try await restore(request)
        end(request.id, since: request.start, nil)
      } catch is CancellationError {
        return
      } catch {
        let reason = (error as? CommandFailure)?.description ?? "The restore failed."
        log.error(
          "a database was not restored",
          metadata: ["database": "\(request.id.path)", "cause": "\(reason)"]
        )
        end(request.id, since: request.start, reason)
      }
    }
  }

  private func repeatUnfinished() throws {
    let unfinished = try databases.unfinishedRestores()
    guard !unfinished.isEmpty else { return }
    let backups = try databases.databaseBackups(of: nil)
    for (id, copy) in unfinished {
      let backup = backups.first { $0.id == copy.backup && $0.database.project == id.project }
      if let backup {
        log.notice(
          "a restore that was cut off is repeated",
          metadata: ["database": "\(id.path)", "backup": "\(backup.id)"]
        )
        add(backup, as: id, since: copy.start)
      } else {
        log.error(
          "a restore was cut off, and its backup is gone: delete the database",
          metadata: ["database": "\(id.path)"]
        )
        end(id, since: copy.start, "It was cut off, and its backup has expired or was deleted.")
      }
    }
  }

  /// Tells of restores that were cut off, on a server without a backup.
  static func warn(of databases: Databases) throws {
    let log = Logger(label: "restore")
    for (id, _) in try databases.unfinishedRestores() {
      log.warning(
        "a restore was cut off, and the database takes no writes: start the server with --backup, or delete the database",
        metadata: [
          "database": "\(id.path)",
          "delete": "brasa databases delete \(id.database) --project \(id.project) --force",
        ]
      )
    }
  }

  private func isUnfinished(_ request: Request) throws -> Bool {
    let copy = try databases.existingDatabase(request.id)?.databaseCopy()
    return copy?.isUnfinishedRestore == true && copy?.start == request.start
  }

  private func restore(_ request: Request) async throws {
    var arguments = ["restore", "--from", settings.target.text, "--data", directory]
    if let key = settings.keyFile { arguments += ["--backup-key", key] }
    arguments += ["--project", request.id.project.string]
    arguments += ["--database", request.backup.database.database.string]
    arguments += ["--as", request.id.database.string]
    arguments += ["--since", String(request.start.microseconds)]
    arguments += ["--before-commit", String(request.backup.version.microseconds + 1)]
    try await ChildCommand(report: directory + "/restore.log").run(arguments)
  }

  private func end(_ id: DatabaseID, since start: CommitVersion, _ failure: String?) {
    do { try databases.endRestore(of: id, since: start, failure: failure) } catch {
      log.error("the end of a restore is not kept", metadata: ["error": "\(error)"])
    }
  }
}
