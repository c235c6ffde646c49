import BaseStatus
import Foundation
import Logging

// A restored data directory has the sources and deployments of functions, and not the packages that they need.

extension FunctionHost {
  /// Loads the codebases whose packages are installed; returns the others.
  func loadAll() -> [[Deployment]] {
    var incomplete: [[Deployment]] = []
    do {
      for parts in Self.codebases(try folder.all()) {
        if parts.allSatisfy({ folder.isInstalled($0.environment) }) {
          loadKept(parts)
        } else {
          incomplete.append(parts)
        }
      }
      log.info("deployed functions were loaded", metadata: ["functions": "\(allPools.count)"])
    } catch {
      log.error("deployed functions could not be loaded", metadata: ["error": "\(error)"])
    }
    return incomplete
  }

  /// Serves a codebase as it was deployed; one that can't be loaded keeps none of the others.
  ///
  /// Its triggers are registered where a server that ended in a deployment kept the one and not the other.
  private func loadKept(_ parts: [Deployment]) {
    do {
      try load(parts)
      try triggers?.replace(
        parts.flatMap { try $0.functions().endpoints },
        project: parts[0].project,
        codebase: parts[0].codebase
      )
    } catch {
      let reason = (error as? ServiceError)?.message ?? "its files can't be read"
      log.error(
        "a codebase could not be loaded; deploy it again",
        metadata: [
          "project": "\(parts[0].project)", "codebase": "\(parts[0].codebase)",
          "error": "\(reason)",
        ]
      )
    }
  }

  /// Installs the packages of codebases that lack some, one after the other, and serves their functions.
  func installMissing(_ codebases: [[Deployment]]) async {
    for parts in codebases where !Task.isCancelled {
      let metadata: Logger.Metadata = [
        "project": "\(parts[0].project)", "codebase": "\(parts[0].codebase)",
      ]
      log.notice("installing missing packages of functions", metadata: metadata)
      do {
        try await installMissing(parts)
        log.notice("packages of functions were installed", metadata: metadata)
      } catch {
        let reason = (error as? ServiceError)?.message ?? "their files can't be read or written"
        log.error(
          "packages of functions could not be installed; deploy the codebase again",
          metadata: metadata.merging(["error": "\(reason)"]) { $1 }
        )
      }
    }
  }

  private func installMissing(_ parts: [Deployment]) async throws {
    lastInstance += 1
    let scratch = "\(folder.instances)/\(lastInstance)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let use = uses.begin()
    defer { use.end() }
    var installed: [Deployment] = []
    for part in parts {
      let source = try SourceTree(readingFrom: folder.source(part.source), keepsLocal: true)
      let (runtime, interpreter) = try await runtime(of: part.language)
      // Another version of the language has an environment of another name.
      let environment = try await install(
        source,
        (runtime, interpreter),
        part.project,
        scratch: scratch,
        use: use
      ) { _ in }
      use.add(Deployment.source(source.digest, environment))
      _ = try copy(source, for: environment, scratch: scratch)
      installed.append(part.with(environment: environment))
    }
    let name = Name(project: parts[0].project, codebase: parts[0].codebase)
    // A deployment of the codebase in the meantime is newer.
    guard codebases[name] == nil, !Task.isCancelled else { return }
    if installed.map(\.environment) != parts.map(\.environment) { try folder.keep(installed) }
    try load(installed)
  }

  /// Removes from a data directory at rest the functions of other projects; blocks.
  package static func keepOnly(
    _ project: String,
    _ configuration: FunctionHostConfiguration
  ) throws {
    let folder = DeploymentFolder(configuration: configuration)
    let manager = FileManager.default
    let releases = configuration.directory + "/releases"
    for parent in [folder.deployments, releases, folder.secrets] {
      for name in (try? manager.contentsOfDirectory(atPath: parent)) ?? []
      where name != project && name != "\(project).json" {
        try manager.removeItem(atPath: "\(parent)/\(name)")
      }
    }
    if manager.fileExists(atPath: folder.deployments) {
      let named = try folder.named().sources
      folder.sweepSources { named.contains($0) }
    } else if manager.fileExists(atPath: folder.sources) {
      try manager.removeItem(atPath: folder.sources)
    }
  }

  /// Compares the sources below a data directory's folder of functions with the digests of their deployments; blocks.
  ///
  /// - Returns: The number of deployments, and a line for each that differs.
  package static func verify(
    _ configuration: FunctionHostConfiguration
  ) throws -> (deployments: Int, differences: [String]) {
    let folder = DeploymentFolder(configuration: configuration)
    guard FileManager.default.fileExists(atPath: folder.deployments) else { return (0, []) }
    var differences: [String] = []
    let all = try folder.all()
    for deployment in all {
      let path = folder.source(deployment.source)
      let digest = try? SourceTree(readingFrom: path, keepsLocal: true).digest
      guard digest != deployment.digest else { continue }
      differences.append(
        "functions of \(deployment.project): the source of \(deployment.codebase) is not what was deployed"
      )
    }
    return (all.count, differences)
  }
}
