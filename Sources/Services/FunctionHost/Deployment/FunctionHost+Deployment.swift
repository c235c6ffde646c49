import BaseJSON
import BaseStatus
import Foundation
import Logging

// Deploying, listing and deleting codebases.

extension FunctionHost {
  /// A function in a list.
  package struct Listing: Sendable {
    /// The codebase's name.
    package let codebase: String
    /// The endpoint.
    package let endpoint: FunctionEndpoint
    /// Running instances.
    package let instances: Int
    /// Calls in flight.
    package let calls: Int
    /// Calls that wait for an instance.
    package let waiting: Int
    /// The calls of the last hour.
    package let hour: InvocationFigures.Hour
  }

  /// A source in force.
  package struct Release: Sendable {
    /// The codebase's name.
    package let codebase: String
    /// The digest of the source.
    package let digest: String
    /// Seconds since 1970.
    package let deployed: Double
    /// The names of its functions, in order.
    package let functions: [String]
  }

  /// The sources in force of a project's codebases, by name.
  package func releases(project: String) -> [Release] {
    codebases.filter { $0.key.project == project }
      .map { name, codebase in
        Release(
          codebase: name.codebase,
          digest: codebase.deployment.digest,
          deployed: codebase.deployment.deployed,
          functions: codebase.pools.keys.sorted()
        )
      }
      .sorted { $0.codebase < $1.codebase }
  }

  /// The functions of a project, by codebase and name.
  package func list(project: String) async -> [Listing] {
    var listings: [Listing] = []
    for (name, codebase) in codebases where name.project == project {
      for pool in codebase.pools.values {
        let (running, endpoint) = (await pool.figures, pool.endpoint)
        listings.append(
          Listing(
            codebase: name.codebase,
            endpoint: endpoint,
            instances: running.instances,
            calls: running.calls,
            waiting: running.waiting,
            hour: figures.hour(of: .init(project: project, function: endpoint.name))
          )
        )
      }
    }
    return listings.sorted { ($0.codebase, $0.endpoint.name) < ($1.codebase, $1.endpoint.name) }
  }

  /// The differences that a deployment makes, by function names.
  package struct Plan: Sendable, Hashable {
    /// New functions.
    package var created: [String] = []
    /// Functions that stay, with the new source.
    package var updated: [String] = []
    /// Functions that go.
    package var deleted: [String] = []
  }

  /// Deploys the source in a folder: copies it, installs its packages, asks the SDK for its functions, and starts them.
  ///
  /// Nothing of the codebase in force changes before all of that succeeded.
  package func deploy(
    _ source: String,
    project: String,
    codebase: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> Plan {
    guard ManifestReader.isName(codebase) else {
      throw ServiceError.invalidArgument(
        "\"\(codebase.prefix(80))\" is no codebase's name: letters, digits, - and _, at most 63, a letter first."
      )
    }
    guard !isDeploying else {
      throw ServiceError(.failedPrecondition, "Another deployment is running. Wait for its end.")
    }
    isDeploying = true
    defer { isDeploying = false }
    lastInstance += 1
    let scratch = "\(folder.instances)/\(lastInstance)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let deployment = try await prepare(source, project, codebase, scratch: scratch, tell: tell)
    let manifest = try deployment.functions()
    try checkNames(manifest, project, codebase)
    try checkSecrets(manifest, project)
    try triggers?.check(manifest.endpoints, project: project, codebase: codebase)
    let plan = plan(manifest, project, codebase)
    try folder.keep(deployment)
    try triggers?.replace(manifest.endpoints, project: project, codebase: codebase)
    try load(deployment)
    folder.sweepSources(keeping: Set(codebases.values.map(\.deployment.digest)))
    log.notice(
      "functions were deployed",
      metadata: [
        "project": "\(project)", "codebase": "\(codebase)",
        "digest": "\(deployment.digest.prefix(12))",
        "functions": "\(manifest.endpoints.count)",
      ]
    )
    return plan
  }

  private func prepare(
    _ source: String,
    _ project: String,
    _ codebase: String,
    scratch: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> Deployment {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), isFolder.boolValue
    else { throw ServiceError(.notFound, "There is no folder at \(source).") }
    let tree = try SourceTree(readingFrom: source, keepsLocal: configuration.isDevelopment)
    guard tree.text(of: "main.py") != nil else {
      throw ServiceError.invalidArgument(
        "\(source) has no main.py. Name the folder of a codebase in Python; other languages can't be deployed yet."
      )
    }
    let variables = try tree.variables(project: project, keepsLocal: configuration.isDevelopment)
    let place = folder.source(tree.digest)
    if !FileManager.default.fileExists(atPath: place) {
      let temporary = "\(scratch)/copy"
      try tree.write(to: temporary)
      try FileManager.default.moveItem(atPath: temporary, toPath: place)
    }
    tell("copied \(tree.files.count) files (\(tree.digest.prefix(12)))")
    let python = try await pythonInterpreter()
    let build = "\(scratch)/build"
    try FileManager.default.createDirectory(atPath: build, withIntermediateDirectories: true)
    let environment = try await runtime.install(tree, python, scratch: build, tell: tell)
    tell("looking for functions")
    let document = try await runtime.discover(
      (place, environment),
      python,
      variables: variables.merging(Self.projectVariables(project, configuration)) { $1 },
      scratch: build,
      tell: tell
    )
    return Deployment(
      project: project,
      codebase: codebase,
      digest: tree.digest,
      environment: environment,
      manifest: document.compact,
      variables: try parameterValues(document, variables, project),
      deployed: Date().timeIntervalSince1970
    )
  }

  /// The variables of `.env` files, and the defaults of parameters that they leave out.
  private func parameterValues(
    _ document: JSONValue,
    _ variables: [String: String],
    _ project: String
  ) throws -> [String: String] {
    var variables = variables
    for parameter in try ManifestReader.read(document, values: variables).parameters
    where !parameter.isSecret && variables[parameter.name] == nil {
      guard let fallback = parameter.fallback else {
        throw ServiceError.invalidArgument(
          "The parameter \(parameter.name) has no value. Add \(parameter.name)=… to .env or .env.\(project)."
        )
      }
      variables[parameter.name] = fallback
    }
    return variables
  }

  private func checkNames(
    _ manifest: FunctionManifest,
    _ project: String,
    _ codebase: String
  ) throws {
    for endpoint in manifest.endpoints {
      guard let (other, _) = function(project: project, region: nil, name: endpoint.name),
        other.codebase != codebase
      else { continue }
      throw ServiceError(
        .alreadyExists,
        "The codebase \(other.codebase) of \(project) has a function \(endpoint.name) already. Rename one of them."
      )
    }
    try checkBlocking(manifest, project, codebase)
  }

  /// A project has one function for an event of sign-ins.
  private func checkBlocking(
    _ manifest: FunctionManifest,
    _ project: String,
    _ codebase: String
  ) throws {
    var names: [String: String] = [:]
    for endpoint in manifest.endpoints {
      guard case .blocking(let type, _) = endpoint.trigger else { continue }
      let step = type.split(separator: ".").last ?? ""
      guard step == "beforeCreate" || step == "beforeSignIn" else {
        throw ServiceError.invalidArgument(
          "\(endpoint.name) is called \(step), which the server doesn't serve. Remove the function."
        )
      }
      let other = blockingFunction(project: project, eventType: type)?.function
      let taken = names.updateValue(endpoint.name, forKey: type)
      guard taken == nil, other == nil || other?.codebase == codebase else {
        throw ServiceError(
          .alreadyExists,
          "\(project) has a function for \(step) already: \(taken ?? other?.name ?? ""). Keep one of them."
        )
      }
    }
  }

  private func checkSecrets(_ manifest: FunctionManifest, _ project: String) throws {
    for endpoint in manifest.endpoints { _ = try secretValues(of: endpoint, project: project) }
  }

  private func plan(_ manifest: FunctionManifest, _ project: String, _ codebase: String) -> Plan {
    let before = Set(codebases[Name(project: project, codebase: codebase)]?.pools.keys ?? [:].keys)
    let after = Set(manifest.endpoints.map(\.name))
    return Plan(
      created: after.subtracting(before).sorted(),
      updated: after.intersection(before).sorted(),
      deleted: before.subtracting(after).sorted()
    )
  }

  /// Deletes a codebase with all its functions; throws NOT_FOUND where there is none.
  package func delete(project: String, codebase: String) async throws -> [String] {
    let name = Name(project: project, codebase: codebase)
    guard let removed = codebases[name] else {
      throw ServiceError(.notFound, "\(project) has no codebase \(codebase).")
    }
    try triggers?.remove(project: project, codebase: codebase)
    try folder.forget(project: project, codebase: codebase)
    codebases[name] = nil
    guarded.forget(project: project, codebase: codebase)
    for function in removed.pools.keys {
      figures.forget(.init(project: project, function: function))
    }
    for pool in removed.pools.values { await pool.retire() }
    folder.sweepSources(keeping: Set(codebases.values.map(\.deployment.digest)))
    return removed.pools.keys.sorted()
  }
}
