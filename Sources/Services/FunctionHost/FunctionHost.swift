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
    /// One, or those whose functions were deployed one by one.
    let deployments: [Deployment]
    let pools: [String: FunctionPool]
  }

  struct Name: Hashable {
    let project: String
    let codebase: String
  }

  /// The settings.
  package nonisolated let configuration: FunctionHostConfiguration
  /// The lines that functions wrote.
  package nonisolated let logs: FunctionLogs
  /// The calls of functions in the last hour.
  package nonisolated let figures: InvocationFigures
  /// The secrets of functions.
  package nonisolated let secrets: SecretVault
  /// The sources that clients uploaded.
  package nonisolated let uploads: SourceUploads
  let folder: DeploymentFolder
  /// The store's copy of the deployed source; nil if only the data directory has it.
  nonisolated let mirror: FolderMirror?
  let runtimes: [SourceLanguage: any LanguageRuntime]
  let log: Logger
  private let thread: ProcessThread
  private let makeTransport: @Sendable () -> any InstanceTransport
  /// There while the host runs.
  private var transport: (any InstanceTransport)?
  private let room: InstanceRoom
  nonisolated let guarded = GuardedSteps()
  /// The sources and packages that deployments and instances use.
  nonisolated let uses = FolderUses()
  nonisolated let turns = NameLocks(capacity: FunctionHost.mostDeployments)
  /// Held by name while packages are installed.
  nonisolated let installations = NameLocks()
  nonisolated let discarded: DiscardedFolders
  private var listeners: (any InstanceListeners)?
  var triggers: (any TriggerRegistry)?
  var codebases: [Name: Codebase] = [:]
  private var interpreters: [SourceLanguage: Interpreter] = [:]
  /// The projects that are being deployed or wait for it.
  var deploying: Set<String> = []
  /// The results of uploaded sources by project, while their functions are deployed one by one.
  var prepared: [String: PreparedSource] = [:]
  var lastInstance = 0

  /// A host that calls instances by that transport, which is made when the host begins to run.
  ///
  /// - Parameter shared: The store's files of functions, where another machine may serve them next.
  /// - Throws: FAILED_PRECONDITION where functions of production can't be confined.
  package init(
    _ configuration: FunctionHostConfiguration,
    shared: (any SharedFunctionFiles)? = nil,
    transport: @escaping @Sendable () -> any InstanceTransport,
    log: Logger
  ) throws {
    try Self.checkConfinement(configuration)
    let folder = DeploymentFolder(configuration: configuration)
    try folder.prepare()
    self.configuration = configuration
    let mirror = shared.map { FolderMirror(folder: folder, shared: $0) }
    self.mirror = mirror
    makeTransport = transport
    self.log = log
    self.folder = folder
    discarded = DiscardedFolders(folder.discarded)
    logs = FunctionLogs(FunctionLogFiles(folder.logs, log: log)) { Date().timeIntervalSince1970 }
    figures = InvocationFigures { Date().timeIntervalSince1970 }
    secrets = SecretVault(
      folder: folder.secrets,
      keyFile: configuration.keyFile,
      published: { try mirror?.publish() }
    )
    uploads = try SourceUploads(folder: folder.uploads) { Date().timeIntervalSince1970 }
    thread = ProcessThread()
    let programs = ProgramRunner(thread: thread)
    runtimes = [
      .python: PythonRuntime(configuration: configuration, programs: programs),
      .node: NodeRuntime(configuration: configuration, programs: programs),
      .swift: SwiftRuntime(configuration: configuration, programs: programs),
    ]
    room = InstanceRoom(most: configuration.mostInstances)
    // In a cluster another node may be the one that deploys, and this one learns of it when it serves functions.
    if !configuration.isClustered { try mirror?.fetch() }
    // Before the port opens: no sign-in may bypass a blocking function in the meantime.
    for parts in Self.codebases(try folder.all()) { try guarded.note(parts) }
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
        "Functions may read \(open), and the data directory is inside it. Choose another directory with --data."
      )
    }
    guard brasa_landlock_version() == 0, !configuration.isDevelopment else { return }
    throw ServiceError(
      .failedPrecondition,
      "This system can't isolate functions from the data: it has no Landlock (Linux 5.13 and later). Start without --functions."
    )
  }

  // MARK: The life of the host

  /// Serves the codebases that are deployed until its task is cancelled, then ends all instances.
  package func run() async {
    ProcessThread.adoptOrphans()
    let transport = makeTransport()
    self.transport = transport
    if configuration.isClustered { await fetchShared() }
    let incomplete = loadAll()
    sweepFolders()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.installMissing(incomplete) }
      while !Task.isCancelled {
        for pool in allPools { await pool.tend() }
        uploads.sweep()
        try? await Task.sleep(for: .seconds(2))
      }
      group.cancelAll()
    }
    await withTaskGroup(of: Void.self) { group in
      for pool in allPools { group.addTask { await pool.end() } }
    }
    self.transport = nil
    logs.flush()
    try? await transport.shutdown()
  }

  var allPools: [FunctionPool] { codebases.values.flatMap(\.pools.values) }

  /// The deployments of each codebase, in their order.
  static func codebases(_ deployments: [Deployment]) -> [[Deployment]] {
    var parts: [[Deployment]] = []
    for deployment in deployments {
      if let last = parts.last?.first, last.project == deployment.project,
        last.codebase == deployment.codebase
      {
        parts[parts.count - 1].append(deployment)
      } else {
        parts.append([deployment])
      }
    }
    return parts
  }

  /// Serves the parts of one codebase in the place of what it was.
  ///
  /// - Parameter changed: The function whose instances are replaced; nil replaces all.
  func load(_ parts: [Deployment], changing changed: String? = nil) throws {
    guard let first = parts.first else { return }
    let name = Name(project: first.project, codebase: first.codebase)
    let before = codebases[name]?.pools ?? [:]
    var pools: [String: FunctionPool] = [:]
    for deployment in parts {
      // The data directory may have moved.
      try folder.linkPackages(of: deployment.environment, in: folder.source(deployment.source))
      for endpoint in try deployment.functions().endpoints {
        if let changed, endpoint.name != changed, let kept = before[endpoint.name] {
          pools[endpoint.name] = kept
          continue
        }
        pools[endpoint.name] = FunctionPool(
          endpoint,
          configuration,
          maker: maker(endpoint, deployment)
        )
      }
    }
    try guarded.note(parts)
    codebases[name] = Codebase(deployments: parts, pools: pools)
    for (name, pool) in before where pools[name] !== pool { Task { await pool.retire() } }
    for (name, pool) in pools where before[name] !== pool { Task { await pool.tend() } }
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
    let note = figures.timing(.init(project: function.project, function: function.name))
    do {
      let call = try await Self.call(
        pool,
        request,
        transport,
        startSeconds: configuration.startSeconds
      )
      return Call(response: call.response) { isSuccess in
        note(isSuccess)
        await call.finish(isSuccess)
      }
    } catch {
      // A caller who left says nothing about the function.
      if !(error is CancellationError) { note(false) }
      throw error
    }
  }

  /// The header by which a program knows the host, as any process of this machine can reach its port.
  private static let callKeyHeader = "x-brasa-call-key"

  private nonisolated static func call(
    _ pool: FunctionPool,
    _ request: InvocationRequest,
    _ transport: any InstanceTransport,
    startSeconds: Double
  ) async throws -> Call {
    let own = pool.endpoint.timeoutSeconds
    let seconds = min(request.timeoutSeconds ?? own, own)
    let time = Duration.seconds(seconds)
    // The start of an instance is not the call's own time, unless the caller says how long it waits at all.
    let waiting = request.timeoutSeconds == nil ? time + .seconds(startSeconds) : time
    let lease = try await pool.acquire(within: waiting, depth: request.depth)
    let limit = Task {
      try await Task.sleep(for: time)
      await pool.expire(lease, seconds: seconds)
    }
    var request = request
    if let key = lease.callKey { request.headers.append((callKeyHeader, key)) }
    do {
      // The limit of the pool comes first and ends the instance.
      let response = try await transport.send(
        request,
        port: lease.port,
        within: time + .seconds(5)
      )
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
        isExpired
          ? "The function took longer than \(seconds) s."
          : "The function ended without a response.",
        cause: error
      )
    }
  }

  /// Calls a function and returns its whole response, for deliveries that only ask for its status.
  package func invoke(
    _ function: HostedFunction,
    _ request: InvocationRequest
  ) async -> InvocationOutcome {
    do {
      let call = try await call(function, request)
      do {
        let body = try await call.response.collect(upTo: 1 << 20)
        await call.finish(call.response.status < 500)
        return .responded(status: call.response.status, body: body)
      } catch {
        await call.finish(false)
        return .failed(reason: "The function ended before its response was complete.")
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

  /// The runtime of a language, and its interpreter, which is looked for once.
  func runtime(
    of language: SourceLanguage?
  ) async throws -> (runtime: any LanguageRuntime, interpreter: Interpreter) {
    guard let language, let runtime = runtimes[language] else {
      throw ServiceError(.failedPrecondition, "This server can't run the codebase's language.")
    }
    if let known = interpreters[language] { return (runtime, known) }
    let found = try await runtime.interpreter()
    interpreters[language] = found
    return (runtime, found)
  }

  private func start(
    _ endpoint: FunctionEndpoint,
    _ deployment: Deployment,
    _ ended: @escaping @Sendable (ProgramEnd) -> Void
  ) async throws -> RunningInstance {
    let (runtime, interpreter) = try await runtime(of: deployment.language)
    lastInstance += 1
    let scratch = "\(folder.instances)/\(lastInstance)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    let remove = using(deployment, scratch: scratch)
    do {
      var program = runtime.server(
        source: folder.source(deployment.source),
        environment: deployment.environment,
        interpreter,
        endpoint: endpoint,
        scratch: scratch
      )
      let secretValues = try secretValues(of: endpoint, deployment)
      let port = try LoopbackPort.free()
      let own = ProcessIdentity()
      let depth = InstanceDepth()
      let listener = try await listen(listeners, deployment.project, own, depth)
      let close: @Sendable () -> Void = {
        listener?.close()
        remove()
      }
      let callKey = runtime.asksForCallKey ? Self.callKey() : nil
      if let callKey { program.environment["BRASA_CALL_KEY"] = callKey }
      program.environment = variables(
        endpoint,
        deployment,
        secretValues,
        port: port,
        way: listener?.port
      )
      .merging(program.environment) { $1 }
      let key = FunctionLogs.Key(project: deployment.project, function: endpoint.name)
      let lines = LogLines(logs, of: key, masking: Array(secretValues.values))
      do {
        let process = try await start(program, lines, ended)
        own.set(process)
        return RunningInstance(
          process: process,
          port: port,
          callKey: callKey,
          thread: thread,
          depth: depth,
          discard: close
        )
      } catch {
        close()
        throw error
      }
    } catch {
      remove()
      throw error
    }
  }

  /// Keeps the folders of an instance until it calls what is returned, which removes its scratch folder.
  private nonisolated func using(
    _ deployment: Deployment,
    scratch: String
  ) -> @Sendable () -> Void {
    let use = uses.begin(deployment.source, deployment.environment)
    return {
      use.end()
      try? FileManager.default.removeItem(atPath: scratch)
    }
  }

  private func start(
    _ program: ConfinedProgram,
    _ lines: LogLines,
    _ ended: @escaping @Sendable (ProgramEnd) -> Void
  ) async throws -> pid_t {
    try await thread.start(program) {
      lines.take($0, isError: $1)
    } end: { end in
      lines.finish()
      ended(end)
    }
  }

  /// Opens the listener that the instance's own process alone can reach.
  private nonisolated func listen(
    _ listeners: (any InstanceListeners)?,
    _ project: String,
    _ own: ProcessIdentity,
    _ depth: InstanceDepth
  ) async throws -> InstanceListener? {
    try await listeners?.open(project: project, depth: { depth.current }) { client, server in
      own.process.map { LoopbackPort.isClient(from: client, to: server, of: $0) } ?? false
    }
  }

  private static func callKey() -> String {
    (0..<4).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined()
  }

  nonisolated func secretValues(
    of endpoint: FunctionEndpoint,
    _ deployment: Deployment
  ) throws -> [String: String] {
    let versions = deployment.selection?[endpoint.name]?.secretVersions ?? [:]
    var values: [String: String] = [:]
    for (key, secret) in endpoint.secrets {
      let version = versions[key] ?? SecretVault.latest
      values[key] = try secrets.value(secret, version: version, of: deployment.project)
    }
    return values
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
    // The source of the events that the function publishes.
    variables["EVENTARC_CLOUD_EVENT_SOURCE"] =
      "projects/\(deployment.project)/locations/\(endpoint.regions.first ?? "-")/services/\(endpoint.name)"
    variables["PORT"] = "\(port)"
    guard let way else { return variables }
    let host = "127.0.0.1:\(way)"
    for name in [
      "FIRESTORE_EMULATOR_HOST", "FIREBASE_AUTH_EMULATOR_HOST", "FIREBASE_STORAGE_EMULATOR_HOST",
      "CLOUD_TASKS_EMULATOR_HOST", "GCE_METADATA_HOST", "GCE_METADATA_IP", "GCE_METADATA_ROOT",
    ] {
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
final class GuardedSteps: Sendable {
  private let known = Mutex<[String: [String: Set<String>]]>([:])

  func types(of project: String) -> Set<String> {
    known.withLock { known in
      known[project]?.values.reduce(into: []) { $0.formUnion($1) } ?? []
    }
  }

  /// Notes the blocking functions of one codebase's parts.
  func note(_ parts: [Deployment]) throws {
    guard let first = parts.first else { return }
    let types = try parts.flatMap { try $0.decidingTypes() }
    known.withLock { $0[first.project, default: [:]][first.codebase] = Set(types) }
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
