import AuditTrail
import BaseRuntime
import Gateway
import KeyValuePostgres
import Logging
import ServiceLifecycle
import ServiceModule

extension ServedSystem {
  /// Opens the data directory and puts the products on it.
  ///
  /// Blocks.
  static func open(_ process: ServerProcess) throws -> ServedSystem {
    let core = try ServerCore(process)
    let products = try ServedProducts(core)
    let (stored, shared) = (try products.stored(.all), try products.stored(.shared))
    let storage = StorageService(
      directory: core.directory,
      threads: core.threads,
      listeners: products.listeners,
      control: try products.control(stored: stored, shared: shared),
      metrics: process.metrics
    )
    process.descriptors.addMetrics(to: process.metrics)
    core.cluster?.peers.addMetrics(to: process.metrics)
    let watches = watches(core)
    var modules = try products.modules()
    let backup = try backup(core, products)
    if core.settings.servesConsole {
      var console = ConsoleProduct(core: core, products: products, stored: stored)
      console.backup = backup
      modules.append(try console.module(beside: modules))
    }
    if let peers = core.cluster?.peers {
      let engine = core.directory.engine
      modules = modules.map { [threads = core.threads] in
        $0.current(in: core.directory.databases.engine, threads: threads)
      }
      modules.append(NodeRoutes(peers: peers, service: products.documents, engine: engine).module)
    }
    var tasks = modules.flatMap(\.tasks)
    if core.cluster?.isCandidate ?? true, let check = products.files.bucketCheck {
      tasks.insert(check, at: 0)
    }
    let maintenance = try maintenance(products, alone: stored, shared: shared)
    return ServedSystem(
      modules: modules,
      peers: core.cluster?.peers.gatewayPeers,
      audit: recorder(core.audit, threads: core.threads),
      recognizes: { [documents = products.documents] in documents.recognizes($0) },
      administers: { [access = core.access, threads = core.threads] context in
        try await threads.run(caller: context.network) {
          try access.requireAdministration(try access.identify(context))
        }
      },
      numbers: core.projectPaths,
      onListening: { port in
        core.accounts.listens(onPort: port)
        core.cluster?.peers.announce(core.settings.nodeAddress(listeningOn: port))
        if core.isPrimary() { ConsoleProduct.welcome(core) }
      },
      administration: ServedAdministration(
        make: products.administration(stored: stored, shared: shared)
      ),
      functions: products.functions.map { FunctionEvents(bus: products.bus, host: $0.host) },
      readsStore: core.readsStore,
      services: [storage, RestoreLeftovers(in: core.directory.path, threads: core.threads)]
        + [backup].compactMap { $0 } + maintenance + tasks.map { ModuleTask($0) }
        + watches
    )
  }

  /// The server's backup, which restores databases, too; nil where none is wanted.
  ///
  /// It ends after all that writes, and before the store.
  private static func backup(
    _ core: ServerCore,
    _ products: ServedProducts
  ) throws -> BackupService? {
    let backup = try BackupService(core, files: products.files, hosting: products.hosting)
    if let backup {
      products.documents.restoresDatabases(by: backup)
    } else if core.cluster == nil {
      try DatabaseRestores.warn(of: core.directory.databases)
    }
    return backup
  }

  /// The tasks that watch the machine: its disks, its clock and the end of the process.
  private static func watches(_ core: ServerCore) -> [any Service] {
    let (directory, process) = (core.directory, core.process)
    let engines = [("storage", directory.engine), ("events", directory.events as any ServedEngine)]
    let probes = engines.map {
      StorageProbe(
        $1,
        of: $0,
        health: process.health,
        metrics: process.metrics,
        log: core.log
      )
    }
    let clock = ClockWatch(
      core.clock,
      database: directory.engine as? PostgresEngine,
      directory: core.settings.dataDirectory,
      health: process.health,
      metrics: process.metrics,
      log: Logger(label: "clock")
    )
    return probes + [clock, EndOfWaiting(directory: directory)]
  }

  /// The maintenance that this node does: of all products alone; of several nodes that of its shared part, and of the home
  /// node's part where it may be the primary.
  private static func maintenance(
    _ products: ServedProducts,
    alone: StoredServices,
    shared: StoredServices
  ) throws -> [any Service] {
    let core = products.core
    func service(
      _ services: StoredServices,
      by worker: MaintenanceService.Worker
    ) -> MaintenanceService {
      MaintenanceService(
        core.directory,
        services: services,
        threads: core.threads,
        health: core.taskHealth,
        by: worker
      )
    }
    guard let cluster = core.cluster else { return [service(alone, by: .leader)] }
    let ofEveryNode = service(shared, by: .leader)
    guard cluster.isCandidate else { return [ofEveryNode] }
    return [ofEveryNode, service(try products.stored(.primary), by: .primary(cluster.lease))]
  }

  /// Records administrators' calls in the audit trail; a failure to record is logged.
  private static func recorder(_ audit: AuditTrail, threads: EngineThreads) -> AuditRecorder {
    let log = Logger(label: "audit")
    return { call in
      do {
        try await threads.run(on: .maintenance) { _ = try audit.append(AuditEvent(call)) }
      } catch {
        log.error(
          "a call could not be recorded in the audit trail",
          metadata: ["error": "\(error)"]
        )
      }
    }
  }
}
