import Foundation
import Logging
import ServiceLifecycle

/// Commands' work inside the server that has the store open.
struct ServedAdministration: Administration {
  let make: @Sendable (AdministrationRequest) -> LocalAdministration

  func perform(
    _ request: AdministrationRequest,
    input: () throws -> [UInt8]?,
    output: (AdministrationReply) throws -> Void
  ) throws {
    try make(request).perform(request, input: input, output: output)
  }
}

/// The emulators' folder that a development server reads at its start and writes at its end.
///
/// It is written beside the folder that it replaces, and gets its name when it is whole.
struct SeedFolder: Sendable {
  let settings: SeedSettings
  /// The project that the operator named; nil takes that of the folder, or the only one there is.
  let project: String?
  let administration: ServedAdministration
  let logger: Logger

  private static let defaultProject = "demo-brasa"
  private static let defaultDatabase = "(default)"

  /// Reads the folder of `--import`, if there is one.
  ///
  /// The log has the reasons of dropped items; the server starts all the same.
  func read() async throws {
    guard let source = settings.source, SeedSettings.isSeed(source) else { return }
    try await Self.onThread {
      let label = label(of: try Self.project(in: source))
      var run = ImportRun(
        label: label,
        source: source,
        data: administration,
        manifest: nil,
        progress: ProgressLine { logger.info("\($0)") }
      )
      _ = try run.readGoogles()
      if !run.report() { logger.warning("the import of \(source) is incomplete") }
    }
  }

  /// Writes the folder of `--export-on-exit`.
  func write() async throws {
    guard let target = settings.target else { return }
    try await Self.onThread {
      let sourceProject = try settings.source.flatMap {
        try SeedSettings.isSeed($0) ? Self.project(in: $0) : nil
      }
      let label = try label(of: sourceProject ?? onlyProject())
      let unfinished = "\(target).unfinished"
      let files = FileManager.default
      if files.fileExists(atPath: unfinished) { try files.removeItem(atPath: unfinished) }
      var export = FirebaseExport(
        label,
        administration,
        ProgressLine { logger.info("\($0)") }
      )
      if try !export.writeFolder(to: unfinished) {
        logger.warning("the export in \(target) is incomplete")
      }
      if files.fileExists(atPath: target) { try files.removeItem(atPath: target) }
      try files.moveItem(atPath: unfinished, toPath: target)
      logger.notice("exported", metadata: ["folder": "\(target)", "project": "\(label.project)"])
    }
  }

  /// The service that writes when the port is closed.
  var service: any Service { ExportOnExit(folder: self) }

  private func label(of found: String?) -> DatabaseLabel {
    DatabaseLabel(
      project: project ?? found ?? Self.defaultProject,
      database: Self.defaultDatabase
    )
  }

  /// The project of the documents in a folder; nil where there are none.
  private static func project(in folder: String) throws -> String? {
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    let label = DatabaseLabel(project: defaultProject, database: defaultDatabase)
    return try EmulatorFolder(root)?.makeDocuments(below: root, into: label)?.project()
  }

  private func onlyProject() throws -> String? {
    var projects: Set<String> = []
    try administration.perform(.listDatabases) { reply in
      guard case .line(let path) = reply, path.hasPrefix("projects/") else { return }
      projects.insert(String(path.split(separator: "/")[1]))
    }
    guard projects.count > 1 else { return projects.first }
    logger.warning("there are several projects; choose the one to export with --project")
    return nil
  }

  /// Runs blocking work on a thread of its own: the cooperative pool may have only one thread.
  private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
      let thread = Thread { continuation.resume(with: Result(catching: body)) }
      thread.name = "emulator-folder"
      thread.start()
    }
  }
}

/// Writes the emulators' folder between the end of the port and that of the store.
private struct ExportOnExit: Service {
  let folder: SeedFolder

  func run() async throws {
    try await gracefulShutdown()
    do {
      try await folder.write()
    } catch {
      let reason = CommandFailure(endedBy: error)?.description ?? "it was interrupted"
      folder.logger.error("the export on exit failed", metadata: ["error": "\(reason)"])
    }
  }
}
