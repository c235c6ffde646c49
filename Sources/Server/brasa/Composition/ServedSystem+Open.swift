import Access
import AuditTrail
import Authentication
import ConfigAPI
import ConfigTemplates
import Console
import DocumentStore
import EventAnalytics
import FirestoreAPI
import FirestoreModel
import FirestoreService
import Gateway
import Installations
import InstallationsAPI
import KeyValuePostgres
import KeyValueRocksDB
import KeyValueStore
import Logging
import MessagingAPI
import PushMessaging
import Realtime
import RulesAPI
import ServiceLifecycle
import ServiceModule

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ServedSystem {
  /// Opens the data directory and puts the service on it.
  static func open(
    _ settings: ServeSettings,
    descriptors: DescriptorBudget,
    health: ServerHealth,
    damage: DamageMonitor,
    ledger: ByteLedger,
    metrics: MetricsRegistry,
    logs: LogRing
  ) throws -> ServedSystem {
    let log = Logger(label: "store")
    let feed = CommitFeed(account: ledger.serverAccount())
    let groups = GroupMetrics(metrics)
    var configuration = StoreConfiguration.served(settings, feed: feed, log: log)
    configuration.groupObserver = groups.observe(commits:)
    configuration.damageObserver = { damage.note($0.message, metadata: $0.metadata) }
    let clock = WallClock.process
    // The tests and tools of developers set clocks as they like.
    if !settings.isDevelopment {
      clock.hold(rememberedIn: settings.dataDirectory, accepting: settings.acceptsClock)
    }
    let directory = try OpenDataDirectory(
      path: settings.dataDirectory,
      store: settings.store,
      isClustered: settings.isClustered,
      clockSteps: settings.databaseClockSteps,
      configuration: configuration,
      openTables: descriptors.tables,
      cacheMegabytes: settings.cacheMegabytes,
      tableKilobytes: settings.tableKilobytes,
      groupObserver: groups.observe(keys:duration:)
    )
    try directory.checkClock(clock, settings)
    (directory.engine as? RocksDBEngine)?.reportDiscardedLog(to: log)
    let rules = try RulesetStore(
      engine: directory.databases.engine,
      countsCoverage: settings.isDevelopment,
      log: Logger(label: "rules")
    )
    var accountSettings = settings.accounts
    // A token that one node has made is valid on all, also where their clocks are minutes apart.
    if let engine = directory.sharedEngine { accountSettings.clock = engine.clock }
    let accounts = try Accounts(
      engine: directory.databases.engine,
      configuration: accountSettings
    )
    let administrators = Administrators(
      accounts,
      requiresSecondFactor: settings.requiresSecondFactor,
      recentSignIn: Int64(settings.recentSignIn)
    )
    let audit = AuditTrail(engine: directory.databases.engine)
    let verifier = AccountTokenVerifier(
      accounts,
      mode: settings.revocation,
      protectsAdministrators: !settings.isDevelopment
    )
    let access = AccessControl(
      mode: try mode(settings, log: log),
      databases: directory.databases,
      rules: rules,
      verifier: verifier,
      administrators: settings.servesConsole ? administrators.tokens : nil,
      compatibility: settings.rulesCompatibility == .emulator ? .emulator : .safe,
      log: Logger(label: "access")
    )
    let threads = EngineThreads(
      settings.engineThreads.map(ThreadCounts.init(reads:))
        ?? ThreadCounts(cores: ThreadCounts.cores)
    )
    let nodesLog = Logger(label: "nodes")
    let filesMark = FilesMark(
      engine: directory.engine,
      directory: settings.dataDirectory,
      settings: settings.files,
      isOptional: settings.isHomeWithoutFiles
    )
    let home = try directory.sharedEngine.flatMap { try HomeClaim(engine: $0) }
    if let home, settings.isHome, try filesMark.isCurrent() { try home.takeIfFree() }
    // What is served by one node: this one, if it is alone or home.
    let isHere: @Sendable () -> Bool = { home?.isHeld ?? true }
    var ownEngine: any KeyValueEngine = directory.engine
    if let home { ownEngine = HomeEngine(ownEngine, claim: home) }
    let files = try FileServices(
      directory,
      engine: ownEngine,
      threads: threads,
      settings: settings,
      openFiles: descriptors.files
    )
    var listening = RealtimeConfiguration(clock: StoreConfiguration.monotonicClock)
    if settings.isClustered { listening.freshness = 0 }
    listening.backlogBytes = settings.listenBacklogKilobytes << 10
    let listeners = try ListenHub(
      databases: directory.databases,
      feed: feed,
      configuration: listening,
      submit: { threads.submit(to: .scans, $0) }
    )
    let service = FirestoreService(
      rules: rules,
      access: access,
      threads: threads,
      listeners: listeners,
      log: Logger(label: "firestore")
    )
    let peers = try home.flatMap { home in
      try directory.sharedEngine.flatMap {
        try PeerNodes(engine: $0, home: home, threads: threads, connections: descriptors.toPeer)
      }
    }
    let analytics = try EventAnalytics(
      engine: directory.events,
      configuration: .served(by: directory.events, settings.events)
    )
    let templates = try ConfigTemplates(
      engine: directory.databases.engine,
      audiences: AnalyticsAudiences(analytics: analytics),
      goals: AnalyticsGoals(analytics: analytics)
    )
    analytics.onErasure { try templates.forget(installation: $0, of: $1) }
    // Of another machine's disk nobody here knows.
    var availableBytes: (@Sendable () throws -> Int)?
    if let store = directory.engine as? RocksDBEngine {
      availableBytes = { try store.availableBytes() }
    }
    let messages = PushService(
      engine: ownEngine,
      threads: threads,
      limits: settings.messaging.limits,
      audiences: AnalyticsAudiences(analytics: analytics),
      availableBytes: availableBytes
    )
    accounts.takeRegistrations(from: messages)
    let storedPart: (StoredPart) throws -> StoredServices = { part in
      try directory.services(
        part,
        rules: rules,
        accounts: accounts,
        templates: templates,
        analytics: analytics,
        files: files.storage,
        audit: audit,
        messages: messages
      )
    }
    let (stored, shared) = (try storedPart(.all), try storedPart(.shared))
    let control = try ControlSocket(directory: settings.dataDirectory, log: log) { request in
      let permit = access.administratorPermit(reason: "brasa \(request.command)")
      return LocalAdministration(
        permit: permit,
        rules: rules,
        accounts: accounts,
        services: isHere() ? stored : shared,
        templates: templates,
        files: files.storage,
        audit: audit,
        events: analytics,
        messages: messages,
        databaseServer: directory.engine as? PostgresEngine,
        isAway: !isHere()
      )
    }
    let storage = StorageService(
      directory: directory,
      threads: threads,
      listeners: listeners,
      control: control,
      metrics: metrics
    )
    descriptors.addMetrics(to: metrics)
    peers?.addMetrics(to: metrics)
    let probes = [("storage", directory.engine), ("events", directory.events as any ServedEngine)]
      .map { StorageProbe($1, of: $0, health: health, metrics: metrics, log: log) }
    let clockWatch = ClockWatch(
      clock,
      database: directory.engine as? PostgresEngine,
      directory: settings.dataDirectory,
      health: health,
      metrics: metrics,
      log: Logger(label: "clock")
    )
    let databases = directory.databases
    let projectsWithData: @Sendable () throws -> Set<Text> = {
      rules.projects.union(try databases.listDatabases().map(\.id.project))
    }
    let identity = try AccountServices.module(
      accounts,
      access: access,
      projectsWithData: projectsWithData,
      settings: settings
    )
    let keys = ProjectKeys(
      defaultProject: settings.project.map { Text($0) },
      takesAnyKey: settings.isDevelopment,
      isProject: { try accounts.knows($0) || projectsWithData().contains($0) }
    )
    var eventsElsewhere: HTTPRoute.Passing?
    if let peers { eventsElsewhere = { try await peers.passHome($0) } }
    let tasksHealth = TaskHealth(health, log: log)
    let installations = try InstallationTokens(engine: directory.engine)
    let shown = ShownTokens(installations)
    let proof = InstallationProof.served(shown, isDevelopment: settings.isDevelopment)
    var modules = [
      ServiceModule.firestore(
        peers.map { ForwardingService(service, on: $0.own, nodes: $0) } ?? service,
        bodyLimit: GatewayConfiguration.Limits().messageBytes,
        metrics: { service.metrics }
      ),
      .rules(rules, access: access, threads: threads, isDevelopment: settings.isDevelopment),
      identity,
      .remoteConfig(
        templates,
        access: access,
        threads: threads,
        keys: keys,
        proof: proof,
        eventsElsewhere: eventsElsewhere,
        log: Logger(label: "remote config")
      ),
      .messagingScripts(),
    ]
    // What these keep in memory or on this machine is one node's.
    let own: [ServiceModule] = [
      .installations(
        installations,
        keys: keys,
        threads: threads,
        perNetwork: settings.events.installationsPerNetwork,
        observer: messages
      ),
      AnalyticsServices.module(
        analytics,
        access: access,
        threads: threads,
        keys: keys,
        proof: proof,
        accounts: accounts,
        health: tasksHealth,
        settings: settings
      ),
      try MessagingServices.module(
        messages,
        access: access,
        threads: threads,
        keys: keys,
        shown: shown,
        health: tasksHealth,
        settings: settings
      ),
      files.module(access: access, accounts: accounts, threads: threads),
    ]
    if let peers, let home {
      let first = ServiceModule.home(
        home,
        isCandidate: settings.isHome,
        files: filesMark,
        threads: threads,
        log: nodesLog
      )
      // Its tasks end behind those of the services, which write until they end.
      modules = [first] + modules + own.map { $0.atHome(home, passedOnBy: peers) }
    } else {
      modules += own
    }
    if settings.isDevelopment {
      modules.append(.firestoreEmulator(EmulatorOperations(access: access, threads: threads)))
    }
    if settings.servesConsole {
      let accountThreads = EngineThreads(count: 4, capacity: 256)
      var console = ConsoleEnvironment(
        access: access,
        threads: threads,
        accounts: accounts,
        administrators: administrators,
        audit: audit,
        accountThreads: accountThreads,
        isDevelopment: settings.isDevelopment,
        defaultProject: settings.project ?? "demo-brasa",
        version: ProgramVersion.text,
        projects: {
          rules.projects.union(try databases.listDatabases().map(\.id.project))
            .union(try accounts.knownProjects(limit: 1_000))
        }
      )
      console.apps = .served(accounts)
      console.keys = .stored(accounts: accounts, files: files.storage, messages: messages) {
        access.administratorPermit(reason: "the list of keys")
      }
      console.indexUses = { id in
        guard let database = try databases.existingDatabase(id) else {
          throw FirestoreError(.notFound, "The database \(id.path) does not exist.")
        }
        return database.indexUses.json
      }
      console.services = modules.map(\.name)
      console.directory = settings.consoleDirectory
      console.hosts = settings.consoleHosts
      console.isBehindTLS = settings.origin.hasPrefix("https://")
      let history = MetricsHistory { metrics.render() }
      let kept = JobHistory(engine: ownEngine)
      let jobs = OperationJobs(kept) { MicrosecondClock.system.now() / 1_000 }
      console.operations = .served(
        stored,
        access: access,
        settings: settings,
        logs: logs,
        metrics: history,
        jobs: jobs
      )
      // Whoever becomes home later loads them then.
      let isLoaded = isHere()
      if isLoaded { try jobs.load() }
      var module = ServiceModule.console(console)
      module.tasks = [
        ServiceTask("console") {
          try? await cancelWhenGracefulShutdown {
            if let home { try await home.untilHeld() }
            var isLoaded = isLoaded
            while true {
              if !isLoaded { isLoaded = await Self.load(jobs, threads) }
              history.sample(now: MicrosecondClock.system.now() / 1_000)
              try await Task.sleep(for: .seconds(MetricsHistory.period))
            }
          }
          jobs.stop()
          accountThreads.stop()
        }
      ]
      modules.append(home.map { module.onlyAtHome($0) } ?? module)
    }
    if let peers {
      modules = modules.map { $0.current(in: directory.databases.engine, threads: threads) }
      modules.append(NodeRoutes(peers: peers, service: service, engine: directory.engine).module)
    }
    var maintenance = [
      MaintenanceService(
        directory,
        services: home == nil ? stored : shared,
        threads: threads,
        health: tasksHealth
      )
    ]
    if let home, settings.isHome {
      maintenance.append(
        MaintenanceService(
          directory,
          services: try storedPart(.home),
          threads: threads,
          health: tasksHealth,
          by: .home(home)
        )
      )
    }
    var tasks = modules.flatMap(\.tasks)
    if home == nil || settings.isHome, let check = files.bucketCheck { tasks.insert(check, at: 0) }
    let services: [any Service] =
      [storage] + maintenance + tasks.map { ModuleTask($0) }
      + probes + [clockWatch, EndOfWaiting(directory: directory)]
    return ServedSystem(
      modules: modules,
      peers: peers?.gatewayPeers,
      audit: Self.recorder(audit, threads: threads),
      recognizes: { service.recognizes($0) },
      administers: { context in
        try await threads.run(caller: context.network) {
          try access.requireAdministration(try access.identify(context))
        }
      },
      onListening: {
        accounts.listens(onPort: $0)
        peers?.announce(settings.nodeAddress(listeningOn: $0))
        if isHere() { Self.welcome(administrators, settings, accounts, threads) }
      },
      services: services
    )
  }

  /// Loads the console's jobs; false where that failed, of which the log tells.
  private static func load(_ jobs: OperationJobs, _ threads: EngineThreads) async -> Bool {
    do {
      try await threads.run(on: .maintenance) { try jobs.load() }
      return true
    } catch {
      Logger(label: "console").warning("jobs are not read yet", metadata: ["error": "\(error)"])
      return false
    }
  }

  /// Shows a set-up link to who starts a production server at a terminal, while nobody can sign in to its console.
  private static func welcome(
    _ administrators: Administrators,
    _ settings: ServeSettings,
    _ accounts: Accounts,
    _ threads: EngineThreads
  ) {
    guard settings.servesConsole, !settings.isDevelopment, isatty(STDOUT_FILENO) == 1 else {
      return
    }
    _ = threads.submit(to: .maintenance) {
      do {
        guard try administrators.isEmpty() else { return }
        let code = try administrators.invite(
          email: nil,
          roles: AdministratorRoles(.owner),
          lifetime: 900
        )
        let link = Administrators.link(code, origin: accounts.origin)
        let text =
          "Nobody can sign in to the console yet. This link works once, within 15 minutes:\n\n"
        // To the terminal and nowhere else: logs are kept, and read by others.
        writeFully(text + "    \(link)\n\n", to: STDERR_FILENO)
      } catch {
        Logger(label: "console").warning("no set-up link", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Keeps what administrators do; what cannot be kept is told to the log.
  private static func recorder(_ audit: AuditTrail, threads: EngineThreads) -> AuditRecorder {
    let log = Logger(label: "audit")
    return { call in
      do {
        try await threads.run(on: .maintenance) { _ = try audit.append(AuditEvent(call)) }
      } catch {
        log.error("a call is missing in the audit trail", metadata: ["error": "\(error)"])
      }
    }
  }

  private static func mode(_ settings: ServeSettings, log: Logger) throws -> AccessControl.Mode {
    if settings.isDevelopment { return .development }
    let loaded = try AdministratorKeyFile(directory: settings.dataDirectory).load()
    if let text = loaded.generated {
      // To the terminal and nowhere else: logs are kept, and read by others.
      writeFully(
        """
        The administrator key, shown this once. Send it as "Authorization: Bearer <key>" over TLS.
        To replace it, stop the server and delete administrator-key.sha256 in the data directory.

            \(text)


        """,
        to: STDERR_FILENO
      )
    }
    return .production(key: loaded.key)
  }
}

extension StoreConfiguration {
  /// How a server's store behaves.
  fileprivate static func served(
    _ settings: ServeSettings,
    feed: CommitFeed,
    log: Logger
  ) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.commitObserver = feed
    configuration.leavesSweepsToCaller = true
    configuration.autoCreateDatabases = settings.isDevelopment
    configuration.autoCreateDefaultDatabases = true
    configuration.requireIndexes = !settings.isDevelopment || settings.requiresIndexes
    if settings.servesConsole, settings.hasNamedOrigin {
      configuration.consoleOrigin = settings.origin
    }
    configuration.missingIndexObserver = { entry in
      log.warning(
        "production would need an index for this query",
        metadata: ["index": "\(entry)"]
      )
    }
    configuration.backgroundErrorObserver = { error in
      log.error("maintenance failed", metadata: ["error": "\(error)"])
    }
    return configuration
  }
}
