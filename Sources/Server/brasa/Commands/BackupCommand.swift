import ArgumentParser
import Backup
import BaseRuntime
import Foundation

/// The command `brasa backup`.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Create a backup's key, show a backup, verify that it can be restored.",
    discussion: """
      brasa serve --backup writes the backup while the server runs; brasa restore reads it.

      Examples:
        brasa backup key > backup.key
        brasa serve --data data --backup /backup/shop --backup-key backup.key
        brasa backup status --from /backup/shop --backup-key backup.key
        brasa backup verify --from /backup/shop --backup-key backup.key
      """,
    subcommands: [BackupKeyCommand.self, BackupStatusCommand.self, BackupVerifyCommand.self]
  )
}

/// The backup that a command reads.
struct BackupOptions: ParsableArguments {
  @Option(help: "The backup: a directory, or s3://bucket/path.")
  var from: String

  @Option(help: "The key file of the backup. [BRASA_BACKUP_KEY]")
  var backupKey: String?

  @Flag(help: .hidden)
  var endsWithInput = false

  /// Runs the body with the open backup; its failures are a command's.
  func withArchive<R: Sendable>(
    _ body: (BackupArchive, EngineThreads) async throws -> R
  ) async throws -> R {
    if endsWithInput { ParentWatch.start() }
    let threads = EngineThreads(count: 2)
    let environment = EnvironmentReader(ProcessInfo.processInfo.environment)
    let target = try BackupTargetAddress(from, environment).open(threads: threads)
    let key = try BackupTargetAddress.key(backupKey ?? environment.text("BACKUP_KEY"))
    do {
      let result = try await body(BackupArchive.open(target, key: key), threads)
      await target.release()
      threads.stop()
      return result
    } catch {
      await target.release()
      threads.stop()
      throw (error as? BackupError).map { CommandFailure(Self.text(of: $0)) } ?? error
    }
  }

  /// The failure; for a damaged segment with the way to restore the data before it.
  private static func text(of error: BackupError) -> String {
    guard error.code == .damaged, let segment = error.segment else { return error.message }
    return "\(error.message) Restore what was written before it with --before-segment \(segment)."
  }
}

/// The command `brasa backup key`.
struct BackupKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Create a key for backups and print it.",
    discussion: """
      Keep the file apart from the server's disk and the backup's target: without the key the \
      backup can't be read.

      Example:
        brasa backup key > backup.key
      """
  )

  func run() throws { print(BackupKey.makeText()) }
}

/// The command `brasa backup status`.
struct BackupStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the contents of a backup and its last verification.",
    discussion: """
      Reads only the target and works while a server writes to it. The delay of the server's backup is in /healthz \
      and in the metric brasa_backup_lag_seconds.

      Example:
        brasa backup status --from /backup/shop --backup-key backup.key
      """
  )

  @OptionGroup var backup: BackupOptions

  func run() async throws {
    try await backup.withArchive { archive, _ in
      guard let identity = try await BackupIdentity.read(archive.target) else { return }
      Terminal.print("server    \(identity.server)  \(identity.home)")
      Terminal.print("encrypted \(identity.key.map { "yes, key \($0)" } ?? "no")")
      let numbers = try await archive.baseNumbers()
      var last: BaseManifest?
      for number in numbers {
        let base = try await archive.base(number)
        last = base
        let size = base.bytes >> 20
        print(
          "base \(number)    \(BackupRestore.text(base.instant))  \(size) MB, \(base.blobs.counting("file"))"
        )
      }
      guard let last else { return print("There is no complete base snapshot yet.") }
      let number = try await archive.lastSegment(from: last.firstSegment)
      if let number, let segment = try await archive.segment(number) {
        print("segments  up to \(number), \(BackupRestore.text(segment.head.to))")
      } else {
        print("segments  none behind base \(last.number)")
      }
      let proof = try await archive.proof()
      print(
        "proven    \(proof.map { "base \($0.base), \(BackupRestore.text($0.at))" } ?? "never: run brasa backup verify")"
      )
    }
  }
}

/// The command `brasa backup verify`.
struct BackupVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify a backup: restore all of it into a scratch directory and check the result.",
    discussion: """
      Reads every byte of the newest base and the segments behind it, restores them with the files of Storage, and runs \
      what brasa verify does on the result, which is removed afterwards. The target remembers the proof; a server removes old bases \
      only when a newer one was proven, and proves its backup once a week by itself.

      The scratch directory needs room for all data. The exit code is 1 when anything differs.

      Example:
        brasa backup verify --from /backup/shop --backup-key backup.key --scratch /var/tmp/proof
      """
  )

  @OptionGroup var backup: BackupOptions

  @Option(
    help: "The scratch directory; it must not exist (default: in the folder for temporary files)."
  )
  var scratch: String?

  func run() async throws {
    let path =
      scratch
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("brasa-proof-\(ProcessInfo.processInfo.processIdentifier)").path
    let differences = try await backup.withArchive { archive, threads in
      let progress = SharedProgress()
      let restored = RestoredDirectory(
        path: path,
        keepsSessions: true,
        threads: threads,
        isScratch: true
      )
      defer { try? restored.remove() }
      let outcome = try await restored.make(from: archive, .end) {
        progress.show(done: $0 >> 20, total: nil, unit: "megabyte")
      }
      let differences = try await restored.verify { progress.print($0) }
      guard differences == 0, outcome.missingBlobs.isEmpty else {
        return differences + outcome.missingBlobs.count
      }
      let now = MicrosecondClock.system.now()
      try await archive.keep(BackupProof(base: outcome.base, segment: outcome.lastSegment, at: now))
      progress.print("proven: base \(outcome.base) with the segments up to \(outcome.lastSegment)")
      return 0
    }
    if differences > 0 { throw ExitCode(1) }
  }
}
