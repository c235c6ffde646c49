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

  /// A codebase in force.
  package struct Served: Sendable {
    /// The codebase's name.
    package let codebase: String
    /// The digest of the source; that of the newest, where functions were deployed one by one.
    package let digest: String
    /// Seconds since 1970.
    package let deployed: Double
    /// The names of its functions, in order.
    package let functions: [String]
  }

  /// The codebases of a project in force, by name.
  package func served(project: String) -> [Served] {
    codebases.filter { $0.key.project == project }
      .map { name, codebase in
        let newest = codebase.deployments.max { $0.deployed < $1.deployed }
        return Served(
          codebase: name.codebase,
          digest: newest?.digest ?? "",
          deployed: newest?.deployed ?? 0,
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
    try await whileDeploying(project, codebase) { use in
      try await deploy(source, project, codebase, use: use, tell: tell)
    }
  }

  private func deploy(
    _ source: String,
    _ project: String,
    _ codebase: String,
    use: FolderUses.Use,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> Plan {
    lastInstance += 1
    let scratch = "\(folder.instances)/\(lastInstance)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), isFolder.boolValue
    else { throw ServiceError(.notFound, "There is no folder at \(source).") }
    let tree = try SourceTree(readingFrom: source, keepsLocal: configuration.isDevelopment)
    let deployment = try await prepare(
      tree,
      project,
      codebase,
      values: try tree.variables(project: project, keepsLocal: configuration.isDevelopment),
      scratch: scratch,
      use: use,
      tell: tell
    )
    return try putInForce([deployment])
  }

  /// Checks the parts of a codebase whose files are there, and replaces what it has in force.
  ///
  /// - Parameter changed: The only function that is another one than before; nil is all.
  func putInForce(_ parts: [Deployment], changing changed: String? = nil) throws -> Plan {
    guard let first = parts.first else { return Plan() }
    let (project, codebase) = (first.project, first.codebase)
    var manifest = FunctionManifest()
    manifest.endpoints = try parts.flatMap { try $0.functions().endpoints }
    guard manifest.endpoints.count <= ManifestReader.mostEndpoints else {
      throw ServiceError.invalidArgument(
        "A codebase can have at most \(ManifestReader.mostEndpoints) functions. Split it."
      )
    }
    try checkNames(manifest, project, codebase)
    for part in parts {
      let endpoints = try part.functions().endpoints
      for endpoint in endpoints where changed == nil || endpoint.name == changed {
        _ = try secretValues(of: endpoint, part)
      }
    }
    try triggers?.check(manifest.endpoints, project: project, codebase: codebase)
    let plan = plan(manifest, project, codebase)
    try keep(parts) {
      try triggers?.replace(manifest.endpoints, project: project, codebase: codebase)
    }
    try load(parts, changing: changed)
    sweepFolders()
    var metadata: Logger.Metadata = [
      "project": "\(project)", "codebase": "\(codebase)", "release": "\(parts.number)",
      "digests": "\(parts.map { String($0.digest.prefix(12)) }.joined(separator: " "))",
      "functions": "\(manifest.endpoints.count)",
    ]
    if let changed { metadata["changed"] = "\(changed)" }
    log.notice("functions were deployed", metadata: metadata)
    return plan
  }

  /// Keeps the parts of a codebase and then runs `body`; if a step throws, the files are as before.
  ///
  /// A restart serves what the files say, so a refused deployment must not stay in them.
  func keep(_ parts: [Deployment], with body: () throws -> Void = {}) throws {
    guard let first = parts.first else { return }
    let before = try folder.contents(replacedBy: parts)
    do {
      try folder.keep(parts)
      try publish()
      try body()
    } catch {
      takeBack(before)
      throw error
    }
    try? folder.dropOldReleases(first.project, first.codebase, but: parts.number)
  }

  private func takeBack(_ contents: [(path: String, data: Data?)]) {
    do {
      try folder.restore(contents)
      try publish()
    } catch {
      log.error(
        "a refused deployment could not be taken back; deploy the codebase again",
        metadata: ["error": "\(error)"]
      )
    }
  }

  /// Copies a source, installs its packages and asks the SDK for its functions; nothing in force changes.
  ///
  /// - Parameters:
  ///   - variables: The values of the environment and of parameters.
  ///   - use: Keeps the folders until the deployment is in force.
  func prepare(
    _ tree: SourceTree,
    _ project: String,
    _ codebase: String,
    values variables: [String: String],
    scratch: String,
    use: FolderUses.Use,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> Deployment {
    guard let language = SourceLanguage(of: tree) else {
      throw ServiceError.invalidArgument(
        "The source has no main.py, package.json or Package.swift. Pass the folder of a codebase."
      )
    }
    let (runtime, interpreter) = try await runtime(of: language)
    let build = "\(scratch)/build"
    try FileManager.default.createDirectory(atPath: build, withIntermediateDirectories: true)
    let environment = try await install(
      tree,
      (runtime, interpreter),
      project,
      scratch: build,
      use: use,
      tell: tell
    )
    use.add(Deployment.source(tree.digest, environment))
    let place = try copy(tree, for: environment, scratch: scratch)
    tell("copied \(tree.files.count) files (\(tree.digest.prefix(12)))")
    tell("looking for functions")
    let document = try await runtime.discover(
      (place, environment),
      interpreter,
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
      deployed: Date().timeIntervalSince1970,
      release: try nextRelease(project, codebase)
    )
  }

  /// Installs a source's packages, once for all that ask for the same ones at one time; returns the folder's name.
  func install(
    _ tree: SourceTree,
    _ tools: (runtime: any LanguageRuntime, interpreter: Interpreter),
    _ project: String,
    scratch: String,
    use: FolderUses.Use,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> String {
    let name = try tools.runtime.environment(of: tree, tools.interpreter)
    use.add(name)
    return try await installations.withLock(name) {
      try await tools.runtime.install(
        tree,
        tools.interpreter,
        scratch: scratch,
        cache: folder.cache(of: project, language: SourceLanguage(ofEnvironment: name)),
        tell: tell
      )
    }
  }

  /// The number of a codebase's next release.
  func nextRelease(_ project: String, _ codebase: String) throws -> Int {
    let kept = try folder.releases(project: project, codebase: codebase).first?.number
    let inForce = codebases[Name(project: project, codebase: codebase)]?.deployments.number
    return 1 + (kept ?? inForce ?? 0)
  }

  /// Copies a source into its folder, unless it is there; returns the folder.
  ///
  /// A copy that differs from the source is made again. All of it is on the disk before it has its
  /// name.
  func copy(
    _ tree: SourceTree,
    for environment: String,
    scratch: String
  ) throws -> String {
    let manager = FileManager.default
    let place = folder.source(Deployment.source(tree.digest, environment))
    if manager.fileExists(atPath: place) {
      let kept = try? SourceTree(readingFrom: place, keepsLocal: true)
      if kept?.digest == tree.digest { return place }
      try manager.removeItem(atPath: place)
    }
    let temporary = "\(scratch)/copy"
    try tree.write(to: temporary)
    try folder.linkPackages(of: environment, in: temporary)
    for file in tree.files { try SafeFile.sync("\(temporary)/\(file.path)") }
    for directory in Self.directories(of: tree) { try SafeFile.sync(temporary + directory) }
    try manager.moveItem(atPath: temporary, toPath: place)
    try SafeFile.sync(folder.sources)
    return place
  }

  /// The folders of a source, each with a slash before it; the source's own is the empty text.
  private static func directories(of tree: SourceTree) -> Set<String> {
    var found: Set<String> = [""]
    for file in tree.files {
      var parts = file.path.split(separator: "/").dropLast()
      while !parts.isEmpty {
        found.insert("/" + parts.joined(separator: "/"))
        parts = parts.dropLast()
      }
    }
    return found
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
        "The codebase \(other.codebase) of \(project) already has a function \(endpoint.name). Rename one of them."
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
          "\(endpoint.name) is called \(step), which the server doesn't support. Remove the function."
        )
      }
      guard !configuration.isClustered else { throw Self.noBlockingInCluster([endpoint.name]) }
      let other = blockingFunction(project: project, eventType: type)?.function
      let taken = names.updateValue(endpoint.name, forKey: type)
      guard taken == nil, other == nil || other?.codebase == codebase else {
        throw ServiceError(
          .alreadyExists,
          "\(project) already has a function for \(step): \(taken ?? other?.name ?? ""). Keep one of them."
        )
      }
    }
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
    try publish()
    codebases[name] = nil
    guarded.forget(project: project, codebase: codebase)
    for function in removed.pools.keys {
      figures.forget(.init(project: project, function: function))
    }
    for pool in removed.pools.values { await pool.retire() }
    sweepFolders()
    return removed.pools.keys.sorted()
  }
}
