import BaseStatus
import Foundation
import Synchronization

// The bounds of deployments at one time, and the removal of what no deployment uses any more.

extension FunctionHost {
  /// The most deployments at one time, each of a project of its own.
  static let mostDeployments = 2
  /// The most projects that deploy or wait for it.
  static let mostDeploying = 64

  /// Runs a deployment of a project beside at most one of another project; waits while there are two.
  ///
  /// Throws FAILED_PRECONDITION while the project has another one, RESOURCE_EXHAUSTED where too many projects wait.
  func whileDeploying<R>(
    _ project: String,
    _ codebase: String,
    _ work: (FolderUses.Use) async throws -> R
  ) async throws -> R {
    guard ManifestReader.isName(codebase) else {
      throw ServiceError.invalidArgument(
        "\"\(codebase.prefix(80))\" is not a valid codebase name. Use at most 63 letters, digits, - and _, beginning with a letter."
      )
    }
    guard !deploying.contains(project) else {
      throw ServiceError(
        .failedPrecondition,
        "Another deployment of \(project) is running. Wait until it ends."
      )
    }
    guard deploying.count < Self.mostDeploying else {
      throw ServiceError(.resourceExhausted, "Too many deployments wait. Try again later.")
    }
    deploying.insert(project)
    defer { deploying.remove(project) }
    return try await turns.withLock("deployments") {
      let use = uses.begin()
      defer { use.end() }
      return try await work(use)
    }
  }

  /// Removes sources and packages that no kept release names and nothing uses; what stays takes room and harms nothing.
  func sweepFolders() {
    do {
      let named = try folder.named()
      folder.sweepSources { named.sources.contains($0) || uses.contains($0) }
      try folder.setAside { named.environments.contains($0) || uses.contains($0) }
      discarded.empty()
    } catch {
      log.warning("sources and packages of functions that are not used any more can't be removed")
    }
  }
}

extension DeploymentFolder {
  /// The most environments that one sweep takes away.
  static let mostSwept = 32

  /// The folder of environments that are to be removed.
  var discarded: String { configuration.environments + "/.discarded" }

  /// The folders that deployments and their kept releases name.
  func named() throws -> (sources: Set<String>, environments: Set<String>) {
    var kept: [Deployment] = []
    for deployment in try all() {
      let (project, codebase) = (deployment.project, deployment.codebase)
      kept.append(deployment)
      kept += try releases(project: project, codebase: codebase).joined()
    }
    return (Set(kept.map(\.source)), Set(kept.map(\.environment)))
  }

  /// Removes the sources that are not kept.
  func sweepSources(keeping isKept: (_ name: String) -> Bool) {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: sources)) ?? [] where !isKept(name) {
      try? manager.removeItem(atPath: "\(sources)/\(name)")
    }
  }

  /// Moves environments that are not kept out of the way, which takes no time; a folder that several servers share stays as
  /// it is.
  func setAside(keeping isKept: (_ name: String) -> Bool) throws {
    guard configuration.ownsEnvironments else { return }
    let manager = FileManager.default
    let names = try manager.contentsOfDirectory(atPath: configuration.environments).sorted()
    let unused = names.filter {
      $0.contains("-") && SourceLanguage(ofEnvironment: $0) != nil && !isKept($0)
    }
    guard !unused.isEmpty else { return }
    try manager.createDirectory(atPath: discarded, withIntermediateDirectories: true)
    for name in unused.prefix(Self.mostSwept) {
      try manager.moveItem(
        atPath: "\(configuration.environments)/\(name)",
        toPath: "\(discarded)/\(name).\(UUID().uuidString)"
      )
    }
  }
}

/// Removes what was set aside, on a thread of its own: the packages of a codebase are tens of thousands of files.
final class DiscardedFolders: Sendable {
  private enum Phase { case resting, running, runningAgain }

  private let folder: String
  private let phase = Mutex(Phase.resting)

  init(_ folder: String) { self.folder = folder }

  /// Has all that is in the folder removed; returns at once.
  func empty() {
    guard FileManager.default.fileExists(atPath: folder) else { return }
    let starts = phase.withLock { phase in
      let isResting = phase == .resting
      phase = isResting ? .running : .runningAgain
      return isResting
    }
    guard starts else { return }
    let thread = Thread { [self] in
      repeat { remove() } while isAskedAgain()
    }
    thread.name = "functions-sweep"
    thread.start()
  }

  private func remove() {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
      try? manager.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  private func isAskedAgain() -> Bool {
    phase.withLock { phase in
      let again = phase == .runningAgain
      phase = again ? .running : .resting
      return again
    }
  }
}
