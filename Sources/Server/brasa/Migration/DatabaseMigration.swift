import FirestoreModel
import Foundation

/// The migration of one database, with a plan of its own.
struct DatabaseMigration: Sendable {
  let target: MigrationTarget
  let state: MigrationState
  let copy: DocumentCopy
  let settings: SettingsCopy
  /// Names the database in lines of output; empty for the default one.
  let suffix: String

  /// Reads the plan of an earlier run, or begins one.
  ///
  /// - Parameters:
  ///   - there: The database at the source.
  ///   - plan: The file of the plan; of several databases all but the default one have files of their own beside it.
  init(
    source: SourceServer,
    there: String,
    target: MigrationTarget,
    plan: String,
    isOneOfSeveral: Bool,
    workers: Int
  ) throws {
    let isPlain = !isOneOfSeveral || there == DatabaseLabel.defaultDatabase
    let from = DatabaseLabel(project: source.project, database: there)
    let state = try MigrationState(
      file: isPlain ? plan : Self.file(plan, of: there),
      source: "\(source.origin ?? "Google")/\(from.project)/\(from.database)",
      target: target.label
    )
    self.target = target
    self.state = state
    suffix = isPlain ? "" : " of \(there)"
    copy = DocumentCopy(
      source: source,
      database: from.id,
      target: target,
      state: state,
      log: target.log,
      workers: workers
    )
    settings = SettingsCopy(source: source, target: target, database: there)
  }

  /// `plan.json` is `plan-DATABASE.json`.
  private static func file(_ plan: String, of database: String) -> String {
    let url = URL(fileURLWithPath: plan)
    let name = "\(url.deletingPathExtension().lastPathComponent)-\(database)"
    let ending = url.pathExtension.isEmpty ? "" : ".\(url.pathExtension)"
    return url.deletingLastPathComponent().appendingPathComponent(name + ending).path
  }
}
