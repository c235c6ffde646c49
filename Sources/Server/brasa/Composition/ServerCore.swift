import Access
import AuditTrail
import Authentication
import BaseRuntime
import BaseText
import Console
import DocumentStore
import Events
import Gateway
import KeyValuePostgres
import KeyValueRocksDB
import KeyValueStore
import Logging
import Realtime
import ServiceModule

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The parts that every product is built on: the open data directory, accounts, rules and rights, and the threads.
struct ServerCore {
  let process: ServerProcess
  /// Commits on their way from the store to listeners.
  let feed: CommitFeed
  /// Writes the events of triggers in the groups of their causes.
  let tap = EventTap()
  let clock: WallClock
  let directory: OpenDataDirectory
  let rules: RulesetStore
  let accounts: Accounts
  let administrators: Administrators
  let audit: AuditTrail
  let access: AccessControl
  let threads: EngineThreads
  /// This node among the others; nil where the server has its store alone.
  let cluster: ClusterMembership?
  /// The engine of the products that one node alone serves; it takes no writes while another node is the primary.
  let primaryEngine: any KeyValueEngine
  let taskHealth: TaskHealth
  let log: Logger

  var settings: ServeSettings { process.settings }

  /// Opens the data directory.
  ///
  /// Blocks. Throws where the directory or the store cannot be used, or a clock is not to be believed.
  init(_ process: ServerProcess) throws {
    self.process = process
    let settings = process.settings
    log = Logger(label: "store")
    feed = CommitFeed(account: process.ledger.serverAccount())
    clock = WallClock.process
    // Developers' tests and tools set clocks as they like.
    if !settings.isDevelopment {
      clock.hold(rememberedIn: settings.dataDirectory, accepting: settings.acceptsClock)
    }
    directory = try OpenDataDirectory(process, feed: feed, tap: tap, log: log)
    for upgrade in directory.upgrades {
      log.notice(
        "the data's format was upgraded; older versions of Brasa can't open it",
        metadata: [
          "part": "\(upgrade.owner)", "from": "\(upgrade.stored)", "to": "\(upgrade.current)",
        ]
      )
    }
    try directory.checkClock(clock, settings)
    (directory.engine as? RocksDBEngine)?.reportDiscardedLog(to: log)
    rules = try RulesetStore(
      engine: directory.databases.engine,
      countsCoverage: settings.isDevelopment,
      log: Logger(label: "rules")
    )
    var accountSettings = settings.accounts
    // A token that one node has made is valid on all, also where their clocks are minutes apart.
    if let engine = directory.sharedEngine { accountSettings.clock = engine.clock }
    accounts = try Accounts(engine: directory.databases.engine, configuration: accountSettings)
    administrators = Administrators(
      accounts,
      requiresSecondFactor: settings.requiresSecondFactor,
      recentSignIn: Int64(settings.recentSignIn)
    )
    audit = AuditTrail(engine: directory.databases.engine)
    access = try AccessControl.served(
      settings,
      databases: directory.databases,
      rules: rules,
      accounts: accounts,
      administrators: administrators
    )
    threads = EngineThreads(
      settings.engineThreads.map(ThreadCounts.init(reads:))
        ?? ThreadCounts(cores: ThreadCounts.cores)
    )
    cluster = try ClusterMembership(
      directory,
      settings: settings,
      threads: threads,
      connections: process.descriptors.toPeer
    )
    if let lease = cluster?.lease {
      primaryEngine = PrimaryEngine(directory.engine, lease: lease)
    } else {
      primaryEngine = directory.engine
    }
    taskHealth = TaskHealth(process.health, metrics: process.metrics, log: log)
  }

  /// True on the node that serves the single-node services: always if the server has its store
  /// alone.
  var isPrimary: @Sendable () -> Bool {
    { [lease = cluster?.lease] in lease?.isHeld ?? true }
  }

  /// The projects that have rules or databases.
  var projectsWithData: @Sendable () throws -> Set<Text> {
    { [rules, databases = directory.databases] in
      rules.projects.union(try databases.listDatabases().map(\.id.project))
    }
  }

  /// The API keys of projects.
  var keys: ProjectKeys {
    ProjectKeys(
      defaultProject: settings.project.map { Text($0) },
      takesAnyKey: settings.isDevelopment,
      isProject: { [accounts, projectsWithData] in
        try accounts.knows($0) || projectsWithData().contains($0)
      }
    )
  }
}

extension OpenDataDirectory {
  /// Opens the directory of a server, whose metrics and log tell how the store fares.
  fileprivate convenience init(
    _ process: ServerProcess,
    feed: CommitFeed,
    tap: EventTap,
    log: Logger
  ) throws {
    let settings = process.settings
    let groups = GroupMetrics(process.metrics)
    var configuration = StoreConfiguration.served(settings, feed: feed, log: log)
    configuration.groupObserver = groups.observe(commits:)
    configuration.commitFollower = tap
    configuration.damageObserver = { [damage = process.damage] in
      damage.note($0.message, metadata: $0.metadata)
    }
    try self.init(
      path: settings.dataDirectory,
      store: settings.store,
      isClustered: settings.isClustered,
      clockSteps: settings.databaseClockSteps,
      configuration: configuration,
      openTables: process.descriptors.tables,
      cacheMegabytes: settings.cacheMegabytes,
      tableKilobytes: settings.tableKilobytes,
      keepsLog: settings.backup != nil,
      groupObserver: groups.observe(keys:duration:)
    )
  }
}

extension StoreConfiguration {
  /// The store's configuration in a server.
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
        "this query needs an index in production",
        metadata: ["index": "\(entry)"]
      )
    }
    configuration.backgroundErrorObserver = { error in
      log.error("maintenance failed", metadata: ["error": "\(error)"])
    }
    return configuration
  }
}

extension AccessControl {
  /// The access control of a server; a production server without an administrator key makes one and shows it.
  fileprivate static func served(
    _ settings: ServeSettings,
    databases: Databases,
    rules: RulesetStore,
    accounts: Accounts,
    administrators: Administrators
  ) throws -> AccessControl {
    let verifier = AccountTokenVerifier(
      accounts,
      mode: settings.revocation,
      protectsAdministrators: !settings.isDevelopment
    )
    return AccessControl(
      mode: try mode(settings),
      databases: databases,
      rules: rules,
      verifier: verifier,
      administrators: settings.servesConsole ? administrators.tokens : nil,
      compatibility: settings.rulesCompatibility == .emulator ? .emulator : .safe,
      log: Logger(label: "access")
    )
  }

  private static func mode(_ settings: ServeSettings) throws -> Mode {
    if settings.isDevelopment { return .development }
    let file = AdministratorKeyFile(directory: settings.dataDirectory)
    let loaded = try file.load()
    if let text = loaded.generated, settings.isLoggedToJournal {
      try file.keep(text)
      Logger(label: "access").notice(
        "the administrator key was created; store it in a safe place and delete the file",
        metadata: ["file": "\(file.textPath)"]
      )
    } else if let text = loaded.generated {
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
