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

  /// The functions of the deployment.
  package func functions() throws -> FunctionManifest {
    try ManifestReader.read(JSONParser.parse(Array(manifest.utf8)), values: variables)
  }
}

/// The files of deployments below the host's folder.
///
///     sources/DIGEST/…             the files of a source
///     deployments/PROJECT/NAME.json   a codebase in force
///     environments/HASH/…          installed packages, ended by the file .complete
///     instances/NUMBER/            the scratch folder of a running instance
///     secrets/PROJECT.json         sealed secrets
///     support/                     code of the host's own
struct DeploymentFolder: Sendable {
  let configuration: FunctionHostConfiguration

  var sources: String { configuration.directory + "/sources" }
  var instances: String { configuration.directory + "/instances" }
  var secrets: String { configuration.directory + "/secrets" }
  var deployments: String { configuration.directory + "/deployments" }

  /// Makes the folders, for the server's user alone, and removes what an earlier process left.
  func prepare() throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: instances)
    for folder in [sources, instances, secrets, deployments, configuration.environments] {
      try manager.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    }
    try TokenVerification.write(to: support)
  }

  /// Code of the host's own that instances load.
  var support: String { configuration.directory + "/support" }

  func source(_ digest: String) -> String { "\(sources)/\(digest)" }

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

  func keep(_ deployment: Deployment) throws {
    let folder = "\(deployments)/\(deployment.project)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try SafeFile.write(
      try JSONEncoder().encode(deployment),
      to: "\(folder)/\(deployment.codebase).json"
    )
  }

  func forget(project: String, codebase: String) throws {
    try FileManager.default.removeItem(atPath: "\(deployments)/\(project)/\(codebase).json")
  }

  /// Removes sources that no deployment names.
  func sweepSources(keeping digests: Set<String>) {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: sources)) ?? []
    where !digests.contains(name) { try? manager.removeItem(atPath: "\(sources)/\(name)") }
  }
}
