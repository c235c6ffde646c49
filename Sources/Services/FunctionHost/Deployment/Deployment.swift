import BaseJSON
import BaseStatus
import Foundation

/// A codebase as it is deployed: what a restart needs.
package struct Deployment: Sendable, Codable {
  /// The project's id.
  package let project: String
  /// The codebase's name.
  package let codebase: String
  /// The digest of the source, which names its folder.
  package let digest: String
  /// The folder of the installed packages, below the folder of environments.
  package let environment: String
  /// The manifest as the SDK wrote it.
  package let manifest: String
  /// The values of `.env` files and parameters.
  package let variables: [String: String]
  /// Seconds since 1970.
  package let deployed: Double
  /// Counts the deployments of the codebase from 1; deployments of older servers have none.
  package var release: Int?

  /// The number in lists.
  var number: Int { release ?? 0 }

  /// The language of the source.
  package var language: SourceLanguage? { SourceLanguage(ofEnvironment: environment) }

  /// The name of the source's folder.
  var source: String { Self.source(digest, environment) }

  /// The name of a source's folder, which for Node has a link to the packages.
  static func source(_ digest: String, _ environment: String) -> String {
    SourceLanguage(ofEnvironment: environment) == .node ? "\(digest).\(environment)" : digest
  }

  /// The functions of the deployment.
  package func functions() throws -> FunctionManifest {
    try ManifestReader.read(JSONParser.parse(Array(manifest.utf8)), values: variables)
  }
}

/// The files of deployments below the host's folder.
///
///     sources/NAME/…               the files of a source, named by its digest
///     deployments/PROJECT/NAME.json   a codebase in force
///     releases/PROJECT/NAME/NUMBER.json   the last deployments of a codebase, that in force among them
///     environments/HASH/…          installed packages, ended by the file .complete
///     logs/                        the lines of functions
///     instances/NUMBER/            the scratch folder of a running instance
///     secrets/PROJECT.json         sealed secrets
///     support/                     code of the host's own
struct DeploymentFolder: Sendable {
  let configuration: FunctionHostConfiguration

  var sources: String { configuration.directory + "/sources" }
  var instances: String { configuration.directory + "/instances" }
  var secrets: String { configuration.directory + "/secrets" }
  var deployments: String { configuration.directory + "/deployments" }
  var logs: String { configuration.directory + "/logs" }

  /// The most releases of a codebase that are kept.
  static let mostReleases = 10

  /// Makes the folders, for the server's user alone, and removes what an earlier process left.
  func prepare() throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: instances)
    for folder in [sources, instances, secrets, deployments, logs, configuration.environments] {
      try manager.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    }
    try PythonSupport.write(to: support)
    try NodeSupport.write(to: support)
  }

  /// Code of the host's own that instances load.
  var support: String { configuration.directory + "/support" }

  /// Makes the link to a source's packages, which Node looks for beside the source alone; mends one that leads to where
  /// the packages were before.
  func linkPackages(of environment: String, in source: String) throws {
    guard SourceLanguage(ofEnvironment: environment) == .node else { return }
    let manager = FileManager.default
    let (link, target) = (
      "\(source)/node_modules", "\(configuration.environments)/\(environment)/node_modules"
    )
    let found = try? manager.destinationOfSymbolicLink(atPath: link)
    guard found != target else { return }
    if found != nil { try manager.removeItem(atPath: link) }
    try manager.createSymbolicLink(atPath: link, withDestinationPath: target)
  }

  /// The folder of a source by its name.
  func source(_ name: String) -> String { "\(sources)/\(name)" }

  /// All deployments in force.
  func all() throws -> [Deployment] {
    let manager = FileManager.default
    var found: [Deployment] = []
    for project in try manager.contentsOfDirectory(atPath: deployments).sorted() {
      for file in try manager.contentsOfDirectory(atPath: "\(deployments)/\(project)").sorted()
      where file.hasSuffix(".json") {
        let url = URL(fileURLWithPath: "\(deployments)/\(project)/\(file)")
        found.append(try JSONDecoder().decode(Deployment.self, from: Data(contentsOf: url)))
      }
    }
    return found
  }

  /// Makes a deployment the one in force, and a release that can be put in force again.
  func keep(_ deployment: Deployment) throws {
    let manager = FileManager.default
    let folder = "\(deployments)/\(deployment.project)"
    let releases = releasesFolder(deployment.project, deployment.codebase)
    for made in [folder, releases] {
      try manager.createDirectory(atPath: made, withIntermediateDirectories: true)
    }
    let data = try JSONEncoder().encode(deployment)
    try SafeFile.write(data, to: "\(releases)/\(deployment.number).json")
    try SafeFile.write(data, to: "\(folder)/\(deployment.codebase).json")
    let kept = try self.releases(project: deployment.project, codebase: deployment.codebase)
    for old in kept.dropFirst(Self.mostReleases) where old.number != deployment.number {
      try? manager.removeItem(atPath: "\(releases)/\(old.number).json")
    }
  }

  /// The deployments of a codebase that are kept, the newest first.
  func releases(project: String, codebase: String) throws -> [Deployment] {
    let folder = releasesFolder(project, codebase)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return try names.filter { $0.hasSuffix(".json") }.map { name in
      let url = URL(fileURLWithPath: "\(folder)/\(name)")
      return try JSONDecoder().decode(Deployment.self, from: Data(contentsOf: url))
    }
    .sorted { $0.number > $1.number }
  }

  private func releasesFolder(_ project: String, _ codebase: String) -> String {
    "\(configuration.directory)/releases/\(project)/\(codebase)"
  }

  func forget(project: String, codebase: String) throws {
    let manager = FileManager.default
    try manager.removeItem(atPath: "\(deployments)/\(project)/\(codebase).json")
    try? manager.removeItem(atPath: releasesFolder(project, codebase))
  }

  /// Removes sources that no deployment and no release names.
  func sweepSources() throws {
    let manager = FileManager.default
    var names: Set<String> = []
    for deployment in try all() {
      names.insert(deployment.source)
      let (project, codebase) = (deployment.project, deployment.codebase)
      for release in try releases(project: project, codebase: codebase) {
        names.insert(release.source)
      }
    }
    for name in (try? manager.contentsOfDirectory(atPath: sources)) ?? []
    where !names.contains(name) { try? manager.removeItem(atPath: "\(sources)/\(name)") }
  }
}
