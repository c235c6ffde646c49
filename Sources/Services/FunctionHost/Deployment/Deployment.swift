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
  /// The functions that count, each in its regions, where they were deployed one by one; nil is all.
  package var selection: [String: Selected]?

  /// A function that was deployed by itself.
  package struct Selected: Sendable, Codable, Hashable {
    /// The resource that the client sent, as JSON, by region.
    package var resources: [String: String]
    /// Seconds since 1970.
    package var updated: Double
    /// The versions of secrets, by environment variable; those that are left out have the latest.
    package var secretVersions: [String: String] = [:]
  }

  /// The functions of the deployment.
  package func functions() throws -> FunctionManifest {
    var manifest = try wholeManifest()
    guard let selection else { return manifest }
    manifest.endpoints = manifest.endpoints.compactMap { endpoint in
      guard let selected = selection[endpoint.name] else { return nil }
      var endpoint = endpoint
      endpoint.regions = endpoint.regions.filter { selected.resources[$0] != nil }
      return endpoint
    }
    return manifest
  }

  /// All functions of the source, deployed or not.
  func wholeManifest() throws -> FunctionManifest {
    try ManifestReader.read(JSONParser.parse(Array(manifest.utf8)), values: variables)
  }

  /// True if both are of one source, with the same packages and values.
  func hasSource(of other: Deployment) -> Bool {
    digest == other.digest && environment == other.environment && variables == other.variables
      && manifest == other.manifest
  }
}

/// The deployments of a codebase whose functions were not all deployed at once.
private struct DeploymentParts: Codable {
  let parts: [Deployment]
}

/// The files of deployments below the host's folder.
///
///     sources/DIGEST/…             the files of a source
///     deployments/PROJECT/NAME.json   a codebase in force: a deployment, or {"parts": […]}
///     environments/HASH/…          installed packages, ended by the file .complete
///     instances/NUMBER/            the scratch folder of a running instance
///     secrets/PROJECT.json         sealed secrets
///     support/                     code of the host's own
///     uploads/ID.zip               a source that a client uploaded, for an hour
struct DeploymentFolder: Sendable {
  let configuration: FunctionHostConfiguration

  var sources: String { configuration.directory + "/sources" }
  var instances: String { configuration.directory + "/instances" }
  var secrets: String { configuration.directory + "/secrets" }
  var uploads: String { configuration.directory + "/uploads" }
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
        let data = try Data(contentsOf: url)
        if let several = try? JSONDecoder().decode(DeploymentParts.self, from: data) {
          found += several.parts
        } else {
          found.append(try JSONDecoder().decode(Deployment.self, from: data))
        }
      }
    }
    return found
  }

  func keep(_ deployment: Deployment) throws { try keep([deployment]) }

  /// Keeps the parts of one codebase in the place of what it was.
  func keep(_ parts: [Deployment]) throws {
    guard let first = parts.first else { return }
    let folder = "\(deployments)/\(first.project)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let isWhole = parts.count == 1 && first.selection == nil
    try SafeFile.write(
      try isWhole
        ? JSONEncoder().encode(first) : JSONEncoder().encode(DeploymentParts(parts: parts)),
      to: "\(folder)/\(first.codebase).json"
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
