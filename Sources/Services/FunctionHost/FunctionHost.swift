import BaseJSON
import BaseStatus
import CLauncher
import Foundation
import Logging
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The functions of a server: codebases, their instances, logs and secrets.
package actor FunctionHost {
  /// The parts of a codebase in force.
  struct Codebase: Sendable {
    let deployment: Deployment
    let pools: [String: FunctionPool]
  }

  private struct Name: Hashable {
    let project: String
    let codebase: String
  }

  /// The settings.
  package nonisolated let configuration: FunctionHostConfiguration
  /// The lines that functions wrote.
  package nonisolated let logs: FunctionLogs
  /// The secrets of functions.
  package nonisolated let secrets: SecretVault
  let folder: DeploymentFolder
  let runtime: PythonRuntime
  let log: Logger
  private let thread: ProcessThread
  private let makeTransport: @Sendable () -> any InstanceTransport
  /// There while the host runs.
  private var transport: (any InstanceTransport)?
  private let room: InstanceRoom
  private nonisolated let guarded = GuardedSteps()
  private var listeners: (any InstanceListeners)?
  private var triggers: (any TriggerRegistry)?
  private var codebases: [Name: Codebase] = [:]
  private var interpreter: PythonRuntime.Interpreter?
  private var isDeploying = false
  private var lastInstance = 0

  /// A host that calls instances by that transport, which is made when the host begins to run.
  ///
  /// - Throws: FAILED_PRECONDITION where functions of production can't be confined.
  package init(
    _ configuration: FunctionHostConfiguration,
    transport: @escaping @Sendable () -> any InstanceTransport,
    log: Logger
  ) throws {
    try Self.checkConfinement(configuration)
    let folder = DeploymentFolder(configuration: configuration)
    try folder.prepare()
    self.configuration = configuration
    makeTransport = transport
    self.log = log
    self.folder = folder
    logs = FunctionLogs { Date().timeIntervalSince1970 }
    secrets = SecretVault(folder: folder.secrets, keyFile: configuration.keyFile)
    thread = ProcessThread()
    runtime = PythonRuntime(
      configuration: configuration,
      programs: ProgramRunner(thread: thread)
    )
    room = InstanceRoom(most: configuration.mostInstances)
    // Before the port opens: a sign-in that a function decides about must not pass meanwhile.
    for deployment in try folder.all() {
      guarded.note(try deployment.functions(), deployment)
    }
  }

  /// Gives instances a way to the server, and events a way to functions.
  package func connect(
    listeners: (any InstanceListeners)?,
    triggers: (any TriggerRegistry)?
  ) {
    self.listeners = listeners
    self.triggers = triggers
  }

  private static func checkConfinement(_ configuration: FunctionHostConfiguration) throws {
    let data = URL(fileURLWithPath: configuration.dataDirectory).standardizedFileURL.path + "/"
    if let open = ConfinedProgram.system.first(where: { data.hasPrefix($0 + "/") }) {
      throw ServiceError(
        .failedPrecondition,
        "Functions may read \(open), where the data directory is. Choose a directory elsewhere with --data."
      )
    }
    guard brasa_landlock_version() == 0, !configuration.isDevelopment else { return }
    throw ServiceError(
      .failedPrecondition,
      "This system can't keep functions away from the data: it has no Landlock (Linux 5.13 and later). Start without --functions."
    )
  }

  /// Whether functions are confined: always in production, in development where the kernel can.
  private var isConfined: Bool { brasa_landlock_version() > 0 }

  /// The blocking functions that are deployed in a data directory, by project: for a server that serves none.
  package static func deployedBlockingTypes(
    _ configuration: FunctionHostConfiguration
  ) throws -> [String: Set<String>] {
    let folder = DeploymentFolder(configuration: configuration)
    guard FileManager.default.fileExists(atPath: folder.deployments) else { return [:] }
    var types: [String: Set<String>] = [:]
    for deployment in try folder.all() {
      for endpoint in try deployment.functions().endpoints {
        guard case .blocking(let type, _) = endpoint.trigger else { continue }
        types[deployment.project, default: []].insert(type)
      }
    }
    return types
  }

  // MARK: The life of the host

  /// Serves the codebases that are deployed until its task is cancelled, then ends all instances.
  package func run() async {
    ProcessThread.adoptOrphans()
    let transport = makeTransport()
    self.transport = transport
    do {
      for deployment in try folder.all() { try load(deployment) }
      log.info("functions are served", metadata: ["functions": "\(allPools.count)"])
    } catch {
      log.error("deployed functions can't be loaded", metadata: ["error": "\(error)"])
    }
    while !Task.isCancelled {
      for pool in allPools { await pool.tend() }
      try? await Task.sleep(for: .seconds(2))
    }
    await withTaskGroup(of: Void.self) { group in
      for pool in allPools { group.addTask { await pool.end() } }
    }
    self.transport = nil
    try? await transport.shutdown()
  }

  private var allPools: [FunctionPool] { codebases.values.flatMap(\.pools.values) }

  private func load(_ deployment: Deployment) throws {
    let manifest = try deployment.functions()
    var pools: [String: FunctionPool] = [:]
    for endpoint in manifest.endpoints {
      pools[endpoint.name] = FunctionPool(endpoint, configuration, maker: maker(endpoint, deployment))
    }
    let name = Name(project: deployment.project, codebase: deployment.codebase)
    guarded.note(manifest, deployment)
    let before = codebases.updateValue(Codebase(deployment: deployment, pools: pools), forKey: name)
    for pool in before?.pools.values ?? [:].values {
      Task { await pool.retire() }
    }
    for pool in pools.values { Task { await pool.tend() } }
  }

  // MARK: Calls

  /// Returns the function of a URL; nil where there is none.
  package func function(
    project: String,
    region: String?,
    name: String
  ) -> (function: HostedFunction, endpoint: FunctionEndpoint)? {
    for (key, codebase) in codebases where key.project == project {
      guard let endpoint = codebase.pools[name]?.endpoint else { continue }
      if let region, !endpoint.regions.contains(region) { continue }
      return (HostedFunction(project: project, codebase: key.codebase, name: name), endpoint)
    }
    return nil
  }

  /// The event types of a project's blocking functions; reads memory alone.
  package nonisolated func blockingTypes(of project: String) -> Set<String> {
    guarded.types(of: project)
  }

  /// The function of a project that has a blocking trigger of a type; nil where there is none.
  package func blockingFunction(
    project: String,
    eventType: String
  ) -> (function: HostedFunction, endpoint: FunctionEndpoint)? {
    for (key, codebase) in codebases where key.project == project {
      for (name, pool) in codebase.pools {
        guard case .blocking(eventType, _) = pool.endpoint.trigger else { continue }
        return (HostedFunction(project: project, codebase: key.codebase, name: name), pool.endpoint)
      }
    }
    return nil
  }

  /// A call whose response begins; `finish` has to be called once its body is read or given up.
  package struct Call: Sendable {
    /// The response.
    package let response: InvocationResponse
    /// Gives the instance back.
    package let finish: @Sendable (_ isSuccess: Bool) async -> Void
  }

  /// Calls a function and returns when the response begins.
  ///
  /// Throws NOT_FOUND where there is no such function, DEADLINE_EXCEEDED at the time limit, UNAVAILABLE where no instance
  /// starts, RESOURCE_EXHAUSTED where too many wait, INTERNAL where the instance ended.
  package func call(_ function: HostedFunction, _ request: InvocationRequest) async throws -> Call {
    let name = Name(project: function.project, codebase: function.codebase)
    guard let pool = codebases[name]?.pools[function.name] else {
      throw ServiceError(.notFound, "There is no function \(function.name).")
    }
    guard let transport else { throw ServiceError(.unavailable, "Functions are not running.") }
    return try await Self.call(pool, request, transport)
  }

  private nonisolated static func call(
    _ pool: FunctionPool,
    _ request: InvocationRequest,
    _ transport: any InstanceTransport
  ) async throws -> Call {
    let own = pool.endpoint.timeoutSeconds
    let seconds = min(request.timeoutSeconds ?? own, own)
    let time = Duration.seconds(seconds)
    let lease = try await pool.acquire(within: time)
    let limit = Task {
      try await Task.sleep(for: time)
      await pool.expire(lease, seconds: seconds)
    }
    do {
      let response = try await transport.send(request, port: lease.port, within: time)
      return Call(response: response) { isSuccess in
        limit.cancel()
        await pool.release(lease, isSuccess: isSuccess)
      }
    } catch {
      limit.cancel()
      let isExpired = await pool.isExpired(lease)
      await pool.release(lease, isSuccess: false)
      if error is CancellationError { throw error }
      throw ServiceError(
        isExpired ? .deadlineExceeded : .internalError,
        isExpired ? "The function took longer than \(seconds) s." : "The function ended without a response.",
        cause: error
      )
    }
  }

  /// Calls a function and returns its whole response, for deliveries that only ask for its status.
  package func invoke(_ function: HostedFunction, _ request: InvocationRequest) async -> InvocationOutcome {
    do {
      let call = try await call(function, request)
      do {
        let body = try await call.response.collect(upTo: 1 << 20)
        await call.finish(call.response.status < 500)
        return .responded(status: call.response.status, body: body)
      } catch {
        await call.finish(false)
        return .failed(reason: "The function ended within its response.")
      }
    } catch let error as ServiceError {
      switch error.code {
      case .notFound: return .absent
      case .deadlineExceeded: return .timedOut
      default: return .failed(reason: error.message)
      }
    } catch {
      return .failed(reason: "The call was cancelled.")
    }
  }

  // MARK: Instances

  private nonisolated func maker(
    _ endpoint: FunctionEndpoint,
    _ deployment: Deployment
  ) -> FunctionPool.Maker {
    let key = FunctionLogs.Key(project: deployment.project, function: endpoint.name)
    return FunctionPool.Maker(
      start: { [weak self] ended in
        guard let self else { throw CancellationError() }
        return try await self.start(endpoint, deployment, ended)
      },
      takeRoom: { [room] in room.take() },
      giveRoom: { [room] in room.give() },
      log: { [logs] in logs.append(key, severity: $0, $1) }
    )
  }

  private func pythonInterpreter() async throws -> PythonRuntime.Interpreter {
    if let interpreter { return interpreter }
    let found = try await runtime.interpreter()
    interpreter = found
    return found
  }

  private func start(
    _ endpoint: FunctionEndpoint,
    _ deployment: Deployment,
    _ ended: @escaping @Sendable (ProgramEnd) -> Void
  ) async throws -> RunningInstance {
    let python = try await pythonInterpreter()
    lastInstance += 1
    let scratch = "\(folder.instances)/\(lastInstance)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    let remove: @Sendable () -> Void = { try? FileManager.default.removeItem(atPath: scratch) }
    do {
      var program = runtime.server(
        source: folder.source(deployment.digest),
        environment: deployment.environment,
        python,
        endpoint: endpoint,
        scratch: scratch
      )
      program.isConfined = isConfined
      let secretValues = try secretValues(of: endpoint, project: deployment.project)
      let port = try LoopbackPort.free()
      let own = ProcessIdentity()
      let listener = try await listeners?.open(project: deployment.project) { client, server in
        own.process.map { LoopbackPort.isClient(from: client, to: server, of: $0) } ?? false
      }
      let close: @Sendable () -> Void = {
        listener?.close()
        remove()
      }
      program.environment = variables(endpoint, deployment, secretValues, port: port, way: listener?.port)
        .merging(program.environment) { $1 }
      let key = FunctionLogs.Key(project: deployment.project, function: endpoint.name)
      let lines = LogLines(logs, of: key, masking: Array(secretValues.values))
      do {
        let process = try await thread.start(program) { lines.take($0, isError: $1) } end: { end in
          lines.finish()
          ended(end)
        }
        own.set(process)
        return RunningInstance(process: process, port: port, thread: thread, discard: close)
      } catch {
        close()
        throw error
      }
    } catch {
      remove()
      throw error
    }
  }

  private nonisolated func secretValues(
    of endpoint: FunctionEndpoint,
    project: String
  ) throws -> [String: String] {
    try endpoint.secrets.mapValues { try secrets.value($0, of: project) }
  }

  /// The environment of an instance, as Google's emulator and platform set it.
  private nonisolated func variables(
    _ endpoint: FunctionEndpoint,
    _ deployment: Deployment,
    _ secrets: [String: String],
    port: Int,
    way: Int?
  ) -> [String: String] {
    var variables = deployment.variables.filter { !EnvironmentFile.isReserved($0.key) }
    variables.merge(endpoint.variables.filter { !EnvironmentFile.isReserved($0.key) }) { $1 }
    variables.merge(secrets) { $1 }
    variables.merge(Self.projectVariables(deployment.project, configuration)) { $1 }
    variables["FUNCTION_TARGET"] = endpoint.entryPoint
    variables["FUNCTION_SIGNATURE_TYPE"] = endpoint.signature.rawValue
    variables["K_SERVICE"] = endpoint.name
    variables["K_REVISION"] = "1"
    variables["PORT"] = "\(port)"
    guard let way else { return variables }
    let host = "127.0.0.1:\(way)"
    for name in ["FIRESTORE_EMULATOR_HOST", "FIREBASE_AUTH_EMULATOR_HOST", "FIREBASE_STORAGE_EMULATOR_HOST", "CLOUD_TASKS_EMULATOR_HOST", "GCE_METADATA_HOST", "GCE_METADATA_IP", "GCE_METADATA_ROOT"] {
      variables[name] = host
    }
    variables["STORAGE_EMULATOR_HOST"] = "http://\(host)"
    variables["CLOUD_EVENTARC_EMULATOR"] = "http://\(host)"
    variables["CLOUD_EVENTARC_EMULATOR_HOST"] = "http://\(host)"
    return variables
  }

  static func projectVariables(
    _ project: String,
    _ configuration: FunctionHostConfiguration
  ) -> [String: String] {
    let firebase = JSONValue.object([
      "projectId": .string(project), "storageBucket": .string(configuration.bucket(project)),
    ])
    return [
      "GCLOUD_PROJECT": project, "GOOGLE_CLOUD_PROJECT": project,
      "GOOGLE_CLOUD_QUOTA_PROJECT": project, "FIREBASE_CONFIG": firebase.compact,
    ]
  }
}

/// The blocking triggers of all codebases, for threads that can't wait for the host.
private final class GuardedSteps: Sendable {
  private let known = Mutex<[String: [String: Set<String>]]>([:])

  func types(of project: String) -> Set<String> {
    known.withLock { known in
      known[project]?.values.reduce(into: []) { $0.formUnion($1) } ?? []
    }
  }

  func note(_ manifest: FunctionManifest, _ deployment: Deployment) {
    let types = manifest.endpoints.compactMap { endpoint in
      if case .blocking(let type, _) = endpoint.trigger { type } else { nil }
    }
    known.withLock { $0[deployment.project, default: [:]][deployment.codebase] = Set(types) }
  }

  func forget(project: String, codebase: String) {
    known.withLock { _ = $0[project]?.removeValue(forKey: codebase) }
  }
}

/// Counts the instances of all functions.
final class InstanceRoom: Sendable {
  private let most: Int
  private let taken = Atomic<Int>(0)

  init(most: Int) { self.most = most }

  func take() -> Bool {
    if taken.add(1, ordering: .relaxed).newValue <= most { return true }
    give()
    return false
  }

  func give() { taken.subtract(1, ordering: .relaxed) }
}

/// The process of an instance, once it has one.
final class ProcessIdentity: Sendable {
  private let known = Mutex<pid_t?>(nil)

  var process: pid_t? { known.withLock { $0 } }

  func set(_ process: pid_t) { known.withLock { $0 = process } }
}

// MARK: - Deployments

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
  }

  /// The functions of a project, by codebase and name.
  package func list(project: String) async -> [Listing] {
    var listings: [Listing] = []
    for (name, codebase) in codebases where name.project == project {
      for pool in codebase.pools.values {
        let figures = await pool.figures
        listings.append(
          Listing(
            codebase: name.codebase,
            endpoint: pool.endpoint,
            instances: figures.instances,
            calls: figures.calls
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
        "project": "\(project)", "codebase": "\(codebase)", "digest": "\(deployment.digest.prefix(12))",
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

  private func checkNames(_ manifest: FunctionManifest, _ project: String, _ codebase: String) throws {
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
    for pool in removed.pools.values { await pool.retire() }
    folder.sweepSources(keeping: Set(codebases.values.map(\.deployment.digest)))
    return removed.pools.keys.sorted()
  }
}
