import BaseStatus
import Foundation

// Functions that are deployed and deleted one by one, as Google's API has it.

/// An uploaded source that was installed and asked for its functions.
struct PreparedSource: Sendable {
  let upload: String
  let values: [String: String]
  let deployment: Deployment
}

/// One function in one region, as it is deployed by itself.
package struct FunctionRelease: Sendable {
  /// The project's id.
  package let project: String
  /// The codebase's name.
  package let codebase: String
  /// The function's name.
  package let name: String
  /// The region.
  package let region: String
  /// The resource that the client sent, as JSON.
  package let resource: String
  /// The values of the environment that the client sent.
  package var values: [String: String] = [:]
  /// The versions of secrets, by environment variable; those that are left out have the latest.
  package var secretVersions: [String: String] = [:]

  /// A function of a codebase.
  package init(
    project: String,
    codebase: String,
    name: String,
    region: String,
    resource: String
  ) {
    self.project = project
    self.codebase = codebase
    self.name = name
    self.region = region
    self.resource = resource
  }
}

/// A function that is deployed, in one region.
package struct DeployedFunction: Sendable {
  /// The codebase's name.
  package let codebase: String
  /// The endpoint.
  package let endpoint: FunctionEndpoint
  /// The region.
  package let region: String
  /// The resource that a client sent when it deployed this function by itself, as JSON.
  package let resource: String?
  /// The values of the codebase's environment.
  package let values: [String: String]
  /// Seconds since 1970.
  package let updated: Double
}

extension FunctionHost {
  /// The functions of a project, by region, codebase and name.
  package func deployed(project: String) throws -> [DeployedFunction] {
    var found: [DeployedFunction] = []
    for (key, codebase) in codebases where key.project == project {
      for deployment in codebase.deployments {
        for endpoint in try deployment.functions().endpoints {
          let selected = deployment.selection?[endpoint.name]
          for region in endpoint.regions {
            found.append(
              DeployedFunction(
                codebase: key.codebase,
                endpoint: endpoint,
                region: region,
                resource: selected?.resources[region].flatMap { $0.isEmpty ? nil : $0 },
                values: deployment.variables,
                updated: selected?.updated ?? deployment.deployed
              )
            )
          }
        }
      }
    }
    return found.sorted {
      ($0.region, $0.codebase, $0.endpoint.name) < ($1.region, $1.codebase, $1.endpoint.name)
    }
  }

  /// Deploys one function of an uploaded source; the other functions of the codebase stay with theirs.
  ///
  /// The source's packages are installed as by `deploy(_:project:codebase:tell:)`, once for all functions that follow. Throws
  /// INVALID_ARGUMENT where the source has no such function there.
  package func deploy(_ release: FunctionRelease, from upload: String) async throws {
    try await whileDeploying(release.project, release.codebase) { use in
      let source = try await prepared(upload, release, use: use)
      let whole = try source.wholeManifest()
      guard let endpoint = whole.endpoints.first(where: { $0.name == release.name }),
        endpoint.regions.contains(release.region)
      else {
        throw ServiceError.invalidArgument(
          "The source has no function \(release.name) in \(release.region)."
        )
      }
      try put(release, in: source)
    }
  }

  /// Changes the public settings of a function, and restarts its instances.
  ///
  /// Throws NOT_FOUND where it is not deployed.
  package func update(_ release: FunctionRelease) async throws {
    try await whileDeploying(release.project, release.codebase) { _ in
      let name = Name(project: release.project, codebase: release.codebase)
      let part = try codebases[name]?.deployments.first {
        try $0.functions().endpoints.contains {
          $0.name == release.name && $0.regions.contains(release.region)
        }
      }
      guard let part else { throw Self.noFunction(release.name) }
      try put(release, in: part)
    }
  }

  /// Deletes one function in one region, and its codebase with the last of its functions.
  package func delete(function name: String, region: String, project: String) async throws {
    let found = try codebases.first { key, codebase in
      try key.project == project
        && codebase.deployments.contains {
          try Self.selection(of: $0)[name]?.resources[region] != nil
        }
    }
    guard let (key, codebase) = found else { throw Self.noFunction(name) }
    try await whileDeploying(project, key.codebase) { _ in
      let parts = try Self.without(name, in: region, codebase.deployments)
      guard !parts.isEmpty else {
        _ = try await delete(project: project, codebase: key.codebase)
        return
      }
      _ = try putInForce(parts, changing: name)
    }
  }

  static func noFunction(_ name: String) -> ServiceError {
    ServiceError(.notFound, "There is no function \(name.prefix(100)).")
  }

  // MARK: Parts

  /// The source of an upload, installed; that of the last release where it is the same.
  private func prepared(
    _ upload: String,
    _ release: FunctionRelease,
    use: FolderUses.Use
  ) async throws -> Deployment {
    let values = release.values.filter { !EnvironmentFile.isReserved($0.key) }
    if let known = prepared[release.project], known.upload == upload, known.values == values,
      known.deployment.codebase == release.codebase
    {
      use.add(known.deployment.source)
      use.add(known.deployment.environment)
      if folder.isInstalled(known.deployment.environment),
        FileManager.default.fileExists(atPath: folder.source(known.deployment.source))
      {
        return known.deployment
      }
    }
    prepared[release.project] = nil
    lastInstance += 1
    let scratch = "\(folder.instances)/\(lastInstance)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let tree = try SourceTree(unpacking: uploads.archive(upload, of: release.project))
    let log = log
    let deployment = try await prepare(
      tree,
      release.project,
      release.codebase,
      values: try tree.variables(project: release.project, keepsLocal: false)
        .merging(values) { $1 },
      scratch: scratch,
      use: use,
      tell: { log.debug("deploying functions", metadata: ["step": "\($0)"]) }
    )
    // Each project that deploys at one time has its own; more of them would only be memory.
    if prepared.count >= Self.mostDeployments {
      for other in prepared.keys where !deploying.contains(other) { prepared[other] = nil }
    }
    prepared[release.project] = PreparedSource(
      upload: upload,
      values: values,
      deployment: deployment
    )
    return deployment
  }

  /// Has a codebase serve a function from a source, which may be the one that it has.
  private func put(_ release: FunctionRelease, in source: Deployment) throws {
    let key = Name(project: release.project, codebase: release.codebase)
    let before = codebases[key]?.deployments ?? []
    // The function's other regions move to the new source with it.
    var selected =
      try before.compactMap { try Self.selection(of: $0)[release.name] }.first
      ?? Deployment.Selected(resources: [:], updated: 0)
    selected.resources[release.region] = release.resource
    selected.secretVersions = release.secretVersions
    selected.updated = Date().timeIntervalSince1970
    var parts = try Self.without(release.name, in: nil, before)
    // The functions that a client deploys from one source, one after the other, are one release.
    let isKnown = before.contains { $0.hasSource(of: source) }
    let number =
      try isKnown ? before.number : nextRelease(release.project, release.codebase)
    if let index = parts.firstIndex(where: { $0.hasSource(of: source) }) {
      parts[index].selection?[release.name] = selected
      parts[index].switchedOff?.removeAll { $0 == release.name }
    } else {
      var part = source
      part.switchedOff = nil
      part.selection = [release.name: selected]
      parts.append(part)
    }
    for index in parts.indices { parts[index].release = number }
    _ = try putInForce(parts, changing: release.name)
  }

  /// Deployments as lists of functions, without one of them.
  private static func without(
    _ name: String,
    in region: String?,
    _ deployments: [Deployment]
  ) throws -> [Deployment] {
    try deployments.compactMap { deployment in
      var part = deployment
      var selection = try selection(of: deployment)
      if let region {
        selection[name]?.resources[region] = nil
        if selection[name]?.resources.isEmpty == true { selection[name] = nil }
      } else {
        selection[name] = nil
      }
      part.selection = selection
      return selection.isEmpty ? nil : part
    }
  }

  /// The functions of a deployment one by one, also of one that was made as a whole.
  private static func selection(
    of deployment: Deployment
  ) throws -> [String: Deployment.Selected] {
    if let selection = deployment.selection { return selection }
    var selection: [String: Deployment.Selected] = [:]
    for endpoint in try deployment.wholeManifest().endpoints {
      selection[endpoint.name] = Deployment.Selected(
        resources: Dictionary(endpoint.regions.map { ($0, "") }) { first, _ in first },
        updated: deployment.deployed
      )
    }
    return selection
  }
}
