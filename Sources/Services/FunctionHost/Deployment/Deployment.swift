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

  /// The release's number in lists.
  var number: Int { release ?? 0 }

  /// The language of the source.
  package var language: SourceLanguage? { SourceLanguage(ofEnvironment: environment) }

  /// The name of the source's folder.
  var source: String { Self.source(digest, environment) }

  /// The name of a source's folder, which for Node has a link to the packages.
  static func source(_ digest: String, _ environment: String) -> String {
    SourceLanguage(ofEnvironment: environment) == .node ? "\(digest).\(environment)" : digest
  }

  /// The functions that count, each in its regions, where they were deployed one by one; nil is all.
  package var selection: [String: Selected]?
  /// The names of blocking functions that an administrator switched off; nil is none.
  var switchedOff: [String]?

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

  /// The deployment with packages in another folder.
  func with(environment: String) -> Deployment {
    Deployment(
      project: project,
      codebase: codebase,
      digest: digest,
      environment: environment,
      manifest: manifest,
      variables: variables,
      deployed: deployed,
      release: release,
      selection: selection,
      switchedOff: switchedOff
    )
  }

  /// True if both are of one source, with the same packages and values.
  func hasSource(of other: Deployment) -> Bool {
    digest == other.digest && environment == other.environment && variables == other.variables
      && manifest == other.manifest
  }
}

extension [Deployment] {
  /// The number of the release that these parts are.
  var number: Int { map(\.number).max() ?? 0 }
}

/// The deployments of a codebase whose functions were not all deployed at once.
private struct DeploymentParts: Codable {
  let parts: [Deployment]
}

/// The files of deployments below the host's folder.
///
///     sources/NAME/…               the files of a source, named by its digest
///     deployments/PROJECT/NAME.json   a codebase in force: a deployment, or {"parts": […]}
///     releases/PROJECT/NAME/NUMBER.json   the last states of a codebase, that in force among them
///     environments/HASH/…          installed packages, ended by the file .complete
///     environments/caches/PROJECT/…   packages that a project's installations fetched
///     environments/.discarded/…    packages that nothing uses any more, until they are removed
///     logs/                        the lines of functions
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

  /// The folder of what the installations of a project fetched: code of its packages writes there, so no other project reads it.
  func cache(of project: String, language: SourceLanguage?) -> String {
    "\(configuration.environments)/caches/\(project)/\(language?.rawValue ?? "other")"
  }

  /// True if packages are there, all of them.
  func isInstalled(_ environment: String) -> Bool {
    FileManager.default.fileExists(
      atPath: "\(configuration.environments)/\(environment)/.complete"
    )
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
        found += try Self.parts(at: "\(deployments)/\(project)/\(file)")
      }
    }
    return found
  }

  /// Makes the parts of a codebase those in force, and a release that can be put in force again.
  func keep(_ parts: [Deployment]) throws {
    guard let first = parts.first else { return }
    let isWhole = parts.count == 1 && first.selection == nil
    let data =
      try isWhole
      ? JSONEncoder().encode(first) : JSONEncoder().encode(DeploymentParts(parts: parts))
    for path in files(of: parts) {
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true
      )
      try SafeFile.write(data, to: path)
    }
  }

  /// Removes a codebase's oldest releases beyond the limit, but not the one with that number.
  func dropOldReleases(_ project: String, _ codebase: String, but number: Int) throws {
    let kept = try releases(project: project, codebase: codebase)
    for old in kept.dropFirst(Self.mostReleases) where old.number != number {
      let path = "\(releasesFolder(project, codebase))/\(old.number).json"
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// The contents of the files that `keep` replaces; nil for a file that is not there.
  func contents(replacedBy parts: [Deployment]) throws -> [(path: String, data: Data?)] {
    try files(of: parts).map { path in
      let isThere = FileManager.default.fileExists(atPath: path)
      return (path, isThere ? try Data(contentsOf: URL(fileURLWithPath: path)) : nil)
    }
  }

  /// Undoes a `keep`: the codebase in force first, as it is what a restart serves.
  func restore(_ contents: [(path: String, data: Data?)]) throws {
    for (path, data) in contents.reversed() {
      if let data {
        try SafeFile.write(data, to: path)
      } else if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
        try SafeFile.sync((path as NSString).deletingLastPathComponent)
      }
    }
  }

  /// The files of the parts of a codebase: the release, then the codebase in force.
  private func files(of parts: [Deployment]) -> [String] {
    guard let first = parts.first else { return [] }
    return [
      "\(releasesFolder(first.project, first.codebase))/\(parts.number).json",
      "\(deployments)/\(first.project)/\(first.codebase).json",
    ]
  }

  /// The states of a codebase that are kept, the newest first; each has its parts.
  func releases(project: String, codebase: String) throws -> [[Deployment]] {
    let folder = releasesFolder(project, codebase)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return try names.filter { $0.hasSuffix(".json") }
      .map { try Self.parts(at: "\(folder)/\($0)") }
      .sorted { $0.number > $1.number }
  }

  private static func parts(at path: String) throws -> [Deployment] {
    try parts(of: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Reads the parts of a codebase in force.
  static func parts(of data: Data) throws -> [Deployment] {
    if let several = try? JSONDecoder().decode(DeploymentParts.self, from: data) {
      return several.parts
    }
    return [try JSONDecoder().decode(Deployment.self, from: data)]
  }

  private func releasesFolder(_ project: String, _ codebase: String) -> String {
    "\(configuration.directory)/releases/\(project)/\(codebase)"
  }

  func forget(project: String, codebase: String) throws {
    let manager = FileManager.default
    try manager.removeItem(atPath: "\(deployments)/\(project)/\(codebase).json")
    try? manager.removeItem(atPath: releasesFolder(project, codebase))
  }
}
