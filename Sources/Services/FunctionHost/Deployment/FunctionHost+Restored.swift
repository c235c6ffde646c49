import BaseStatus
import Foundation
import Logging

// A restored data directory has the sources and deployments of functions, and not the packages that they need.

extension FunctionHost {
  /// Installs the packages of deployments that have none, one after the other, and serves their functions.
  func installMissing(_ deployments: [Deployment]) async {
    for deployment in deployments where !Task.isCancelled {
      let metadata: Logger.Metadata = [
        "project": "\(deployment.project)", "codebase": "\(deployment.codebase)",
      ]
      log.notice("packages of functions are missing and are installed", metadata: metadata)
      do {
        try await installMissing(deployment)
        log.notice("packages of functions were installed", metadata: metadata)
      } catch {
        let reason = (error as? ServiceError)?.message ?? "\(error)"
        log.error(
          "packages of functions can't be installed: deploy the codebase again",
          metadata: metadata.merging(["cause": "\(reason)"]) { $1 }
        )
      }
    }
  }

  private func installMissing(_ deployment: Deployment) async throws {
    let source = try SourceTree(readingFrom: folder.source(deployment.digest), keepsLocal: true)
    lastInstance += 1
    let scratch = "\(folder.instances)/\(lastInstance)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let python = try await pythonInterpreter()
    // Another version of Python has an environment of another name.
    let environment = try await runtime.install(source, python, scratch: scratch) { _ in }
    let name = Name(project: deployment.project, codebase: deployment.codebase)
    // A deployment of the codebase that came meanwhile is newer.
    guard codebases[name] == nil, !Task.isCancelled else { return }
    let installed = Deployment(
      project: deployment.project,
      codebase: deployment.codebase,
      digest: deployment.digest,
      environment: environment,
      manifest: deployment.manifest,
      variables: deployment.variables,
      deployed: deployment.deployed
    )
    if environment != deployment.environment { try folder.keep(installed) }
    try load(installed)
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
      let path = folder.source(deployment.digest)
      let digest = try? SourceTree(readingFrom: path, keepsLocal: true).digest
      guard digest != deployment.digest else { continue }
      differences.append(
        "functions of \(deployment.project): the source of \(deployment.codebase) is not what was deployed"
      )
    }
    return (all.count, differences)
  }
}
