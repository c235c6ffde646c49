import Access
import ConfigTemplates
import DocumentStore
import EventAnalytics
import Events
import FirestoreService
import Hosting
import Installations
import KeyValuePostgres
import KeyValueRocksDB
import Logging
import PushMessaging
import Realtime
import ServiceModule

/// The products of one server, open on its core.
struct ServedProducts {
  let core: ServerCore
  let listeners: ListenHub
  let documents: FirestoreService
  let files: FileServices
  let analytics: EventAnalytics
  let templates: ConfigTemplates
  let messages: PushService
  let installations: InstallationTokens
  let bus: EventBus
  /// Nil where functions are off.
  let functions: FunctionServices?
  let hosting: Hosting

  /// Opens the products.
  ///
  /// Blocks.
  init(_ core: ServerCore) throws {
    self.core = core
    let (directory, settings) = (core.directory, core.settings)
    files = try FileServices(
      directory,
      engine: core.primaryEngine,
      threads: core.threads,
      settings: settings,
      openFiles: core.process.descriptors.files,
      tap: core.tap
    )
    listeners = try ListenHub(core)
    documents = FirestoreService(
      rules: core.rules,
      access: core.access,
      threads: core.threads,
      listeners: listeners,
      log: Logger(label: "firestore")
    )
    analytics = try EventAnalytics(
      engine: directory.events,
      configuration: .served(by: directory.events, settings.events)
    )
    templates = try ConfigTemplates(
      engine: directory.databases.engine,
      audiences: AnalyticsAudiences(analytics: analytics),
      goals: AnalyticsGoals(analytics: analytics)
    )
    analytics.onErasure { [templates] in try templates.forget(installation: $0, of: $1) }
    // The free space of another machine's disk is unknown here.
    var availableBytes: (@Sendable () throws -> Int)?
    if let store = directory.engine as? RocksDBEngine {
      availableBytes = { try store.availableBytes() }
    }
    messages = PushService(
      engine: core.primaryEngine,
      threads: core.threads,
      limits: settings.messaging.limits,
      audiences: AnalyticsAudiences(analytics: analytics),
      availableBytes: availableBytes
    )
    core.accounts.takeRegistrations(from: messages)
    installations = try InstallationTokens(engine: directory.engine)
    bus = try EventServices.bus(core)
    core.accounts.writeAlongChanges(core.tap.accountFollower)
    templates.writeAlongVersions(core.tap.templateFollower)
    functions = try FunctionServices(core)
    hosting = try HostingServices.open(core)
  }

  /// The products that a node keeps in its store: all of them, those of every node, or those of the primary.
  func stored(_ part: StoredPart) throws -> StoredServices {
    try core.directory.services(
      part,
      rules: core.rules,
      accounts: core.accounts,
      templates: templates,
      analytics: analytics,
      files: files.storage,
      audit: core.audit,
      messages: messages,
      bus: bus
    )
  }

  /// The socket by which commands reach the server.
  func control(stored: StoredServices, shared: StoredServices) throws -> ControlSocket {
    let administration = administration(stored: stored, shared: shared)
    return try ControlSocket(directory: core.settings.dataDirectory, log: core.log) {
      administration($0)
    }
  }

  /// The work of commands inside the server.
  func administration(
    stored: StoredServices,
    shared: StoredServices
  ) -> @Sendable (AdministrationRequest) -> LocalAdministration {
    let (access, rules, accounts, audit) = (core.access, core.rules, core.accounts, core.audit)
    let (isPrimary, databaseServer) = (core.isPrimary, core.directory.engine as? PostgresEngine)
    return {
      [templates, files, analytics, messages, bus, hosting, functions = functions?.host] request in
      LocalAdministration(
        permit: access.administratorPermit(reason: "brasa \(request.command)"),
        rules: rules,
        accounts: accounts,
        services: isPrimary() ? stored : shared,
        templates: templates,
        files: files.storage,
        audit: audit,
        events: analytics,
        messages: messages,
        bus: bus,
        sites: hosting,
        databaseServer: databaseServer,
        functions: functions,
        isAway: !isPrimary()
      )
    }
  }
}

extension ListenHub {
  /// The listeners of a server's databases.
  fileprivate convenience init(_ core: ServerCore) throws {
    var configuration = RealtimeConfiguration(clock: StoreConfiguration.monotonicClock)
    if core.settings.isClustered { configuration.freshness = 0 }
    configuration.backlogBytes = core.settings.listenBacklogKilobytes << 10
    try self.init(
      databases: core.directory.databases,
      feed: core.feed,
      configuration: configuration,
      submit: { [threads = core.threads] in threads.submit(to: .scans, $0) }
    )
  }
}
