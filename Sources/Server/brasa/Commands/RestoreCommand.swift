import ArgumentParser
import Backup
import BaseRuntime
import Foundation
import Synchronization

/// The command `brasa restore`.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a server's data, one project or one database from a backup.",
    discussion: """
      The backup is one that brasa serve --backup wrote. Everything is restored, or all that was written before an \
      instant, a commit or a segment of the backup. The result is verified. The directory appears when it is whole: a \
      restore that was cut off leaves DIR.restoring, which no server opens, and the next one begins anew.

      After a restore to an earlier instant all sessions have ended, and links and invitations in mail are void. Users, \
      administrators and keys that were removed or disabled later are so again, and administrators have the roles and passwords of later. \
      Users of projects whose claims or ways to sign in were changed later are named. --with-access leaves all that as it was.

      With --project and --to, the directory has that project alone: its databases, users, rules, files, sites, functions, \
      configuration, messages and events. Administrators, the administrator key and the audit trail stay behind, so the new \
      server is set up as any other; the users sign in as before. The command needs room for the stores of all projects.

      With --as, one database becomes a new one of the running server whose data directory --data names, or of a directory at \
      rest: its documents and index definitions, without times to live.

      With --as-project, one project becomes a new one of that server or directory: its databases, users with their second \
      factors, settings, apps, rules, files, configuration, credentials of push and events. References and default buckets are \
      those of the new project. It is refused where the project exists. What the project has that is not restored is printed.

      Examples:
        brasa restore --from /backup/shop --backup-key shop.key --to data
        brasa restore --from /backup/shop --to data --at 2026-11-27T15:00:00-03:00
        brasa restore --from /backup/shop --project shop --to shop-data
        brasa restore --from /backup/shop --project shop --as before --at 2026-11-27T15:00:00-03:00 --data data
        brasa restore --from /backup/shop --project shop --as-project shop-before --at 2026-11-27T15:00:00-03:00 --data data
      """
  )

  @OptionGroup var backup: BackupOptions

  @Option(help: "The directory to create.", completion: .directory)
  var to: String?

  @Option(name: .customLong("as"), help: "The ID of the new database for --database.")
  var newDatabase: String?

  @Option(help: "The id of the new project to make of the one that --project names.")
  var asProject: String?

  @Option(help: .hidden)
  var since: Int64?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var data: DataOptions

  @Option(help: "Restore everything up to this time, such as 2026-11-27T15:00:00-03:00.")
  var at: String?

  @Option(
    help: "Restore everything before the commit with this version (microseconds since 1970)."
  )
  var beforeCommit: Int64?

  @Option(help: "Restore everything before this segment of the backup.")
  var beforeSegment: Int?

  @Flag(help: "Keep sessions, users and keys as they were at the earlier time.")
  var withAccess = false

  func validate() throws {
    guard [at != nil, beforeCommit != nil, beforeSegment != nil].count(where: { $0 }) < 2 else {
      throw ValidationError("Use only one of --at, --before-commit and --before-segment.")
    }
    guard [to, newDatabase, asProject].count(where: { $0 != nil }) == 1 else {
      throw ValidationError(
        "Name a directory with --to, a new database with --as, or a new project with --as-project."
      )
    }
    if newDatabase != nil || asProject != nil { _ = try database.label() }
    guard newDatabase != nil || database.database == "(default)" else {
      throw ValidationError(
        "--database goes with --as: a directory and a new project have all databases of a project."
      )
    }
    _ = try point()
  }

  func run() async throws {
    if let to { return try await restoreDirectory(to) }
    if let newDatabase { try await restoreDatabase(newDatabase) }
    if let asProject { try await restoreProject(as: asProject) }
  }

  private func restoreProject(as id: String) async throws {
    let (point, source) = (try point(), try database.label().project)
    let dropped = try await backup.withArchive { archive, threads in
      let progress = SharedProgress()
      let restore = RestoredProject(
        source: source,
        target: id,
        data: data,
        threads: threads,
        withAccess: withAccess,
        progress: progress
      )
      let dropped = try await restore.run(from: archive, point)
      let loss = dropped == 0 ? "" : " but for \(dropped.counting("item")), which are named above"
      progress.print("restored the project \(source) as \(id)\(loss)")
      return dropped
    }
    if dropped > 0 { throw ExitCode(1) }
  }

  private func restoreDatabase(_ id: String) async throws {
    let (point, source) = (try point(), try database.label())
    let dropped = try await backup.withArchive { archive, threads in
      let progress = SharedProgress()
      let restore = RestoredDatabase(
        source: source,
        target: DatabaseLabel(project: source.project, database: id),
        data: data,
        threads: threads,
        start: since,
        progress: progress
      )
      let dropped = try await restore.run(from: archive, point)
      progress.print(
        dropped == 0
          ? "restored \(source.id.path) as \(id)"
          : "restored \(source.id.path) as \(id) but for \(dropped.counting("item")), which are named above"
      )
      return dropped
    }
    if dropped > 0 { throw ExitCode(1) }
  }

  private func restoreDirectory(_ to: String) async throws {
    let point = try point()
    let to = to.count > 1 && to.hasSuffix("/") ? String(to.dropLast()) : to
    let differences = try await backup.withArchive { archive, threads in
      let progress = SharedProgress()
      var restored = RestoredDirectory(path: to, keepsSessions: withAccess, threads: threads)
      restored.project = database.project
      let started = ContinuousClock.now
      let outcome = try await restored.make(from: archive, point, tell: { progress.print($0) }) {
        progress.show(done: $0 >> 20, total: nil, unit: "megabyte")
      }
      let seconds = Double((ContinuousClock.now - started) / .milliseconds(1)) / 1_000
      progress.print(Self.text(outcome, seconds: seconds))
      for blob in outcome.missingBlobs {
        progress.print(
          "The backup does not have the bytes of the file \(blob), which was removed soon after."
        )
      }
      if outcome.files > 0 {
        progress.print(
          "Backups do not contain functions.key, which decrypts the secrets of functions. Copy the file from where you keep it to \(to)."
        )
      }
      let differences = try await restored.verify { progress.print($0) }
      try restored.finish()
      progress.print(database.project.map { "restored project \($0) to \(to)" } ?? "restored \(to)")
      return differences
    }
    if differences > 0 { throw ExitCode(1) }
  }

  private func point() throws -> RestorePoint {
    if let beforeCommit { return .beforeCommit(beforeCommit) }
    if let beforeSegment { return .beforeSegment(beforeSegment) }
    guard let at else { return .end }
    guard let time = Self.instant(at) else {
      throw ValidationError("--at needs a time such as 2026-11-27T15:00:00-03:00, not \(at).")
    }
    return .instant(time)
  }

  private static func instant(_ text: String) -> Int64? {
    let styles = [
      Date.ISO8601FormatStyle(includingFractionalSeconds: true),
      Date.ISO8601FormatStyle(includingFractionalSeconds: false),
    ]
    for style in styles {
      if let date = try? style.parse(text) {
        return Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
      }
    }
    return nil
  }

  private static func text(_ outcome: RestoreOutcome, seconds: Double) -> String {
    let megabytes = Double(outcome.bytes) / 1_048_576
    let rate = String(format: "%.1f MB in %.1f s", megabytes, seconds)
    return """
      restored base \(outcome.base) and segments up to \(outcome.lastSegment): \(outcome.groups.counting("group")), \
      \((outcome.blobs + outcome.files).counting("file")), \(rate); the last commit is \(outcome.lastVersion), \
      \(BackupRestore.text(outcome.lastVersion))
      """
  }
}

/// A progress line that tasks share.
final class SharedProgress: Sendable {
  private let line = Mutex(ProgressLine())

  func show(done: Int, total: Int?, unit: String) {
    line.withLock { $0.show(done: done, total: total, unit: unit) }
  }

  func print(_ text: String) { line.withLock { $0.print(text) } }
}
