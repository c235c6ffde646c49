import Access
import Authentication
import BaseRuntime
import BaseStatus
import Console
import Gateway
import Logging
import ServiceLifecycle
import ServiceModule

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The console in the browser, on the products of a server.
struct ConsoleProduct {
  let core: ServerCore
  let products: ServedProducts
  /// The products whose data it exports and imports.
  let stored: StoredServices
  /// Nil where the server is not backed up.
  var backup: BackupService?

  /// The console as a module, beside those that it shows.
  ///
  /// Blocks.
  func module(beside modules: [ServiceModule]) throws -> ServiceModule {
    let accountThreads = EngineThreads(count: 4, capacity: 256)
    var console = environment(accountThreads)
    console.services = modules.map(\.name)
    let history = MetricsHistory { [metrics = core.process.metrics] in metrics.render() }
    let jobs = OperationJobs(JobHistory(engine: core.primaryEngine)) {
      MicrosecondClock.system.now() / 1_000
    }
    var operations = ConsoleOperations.served(
      stored,
      access: core.access,
      settings: core.settings,
      logs: core.process.logs,
      metrics: history,
      jobs: jobs
    )
    operations.requests = core.process.requests
    let decisions = DecisionHistory(engine: core.primaryEngine) { [access = core.access] in
      access.takeRulesDays()
    }
    console.decisions = decisions
    operations.backup = { [backup] in backup?.shown }
    console.operations = operations
    // A node that becomes the primary later loads them then.
    let isLoaded = core.isPrimary()
    if isLoaded { try jobs.load() }
    var module = ServiceModule.console(console)
    module.tasks = [
      ServiceTask("console") { [lease = core.cluster?.lease, threads = core.threads] in
        try? await cancelWhenGracefulShutdown {
          if let lease { try await lease.untilHeld() }
          var isLoaded = isLoaded
          var samples = 0
          while true {
            if !isLoaded { isLoaded = await Self.load(jobs, threads) }
            history.sample(now: MicrosecondClock.system.now() / 1_000)
            samples += 1
            if isLoaded, samples.isMultiple(of: 12) { await Self.keep(decisions, threads) }
            try await Task.sleep(for: .seconds(MetricsHistory.period))
          }
        }
        await Self.keep(decisions, threads)
        jobs.stop()
        accountThreads.stop()
      }
    ]
    return core.cluster.map { module.onlyOnPrimary($0.lease) } ?? module
  }

  private func environment(_ accountThreads: EngineThreads) -> ConsoleEnvironment {
    let (settings, accounts, access) = (core.settings, core.accounts, core.access)
    let projectsWithData = core.projectsWithData
    var console = ConsoleEnvironment(
      access: access,
      threads: core.threads,
      accounts: accounts,
      administrators: core.administrators,
      audit: core.audit,
      accountThreads: accountThreads,
      isDevelopment: settings.isDevelopment,
      defaultProject: settings.project ?? "demo-brasa",
      version: ProgramVersion.text,
      projects: { try projectsWithData().union(try accounts.knownProjects(limit: 1_000)) }
    )
    console.projectsWithData = projectsWithData
    console.apps = .served(accounts)
    console.keys = .stored(
      accounts: accounts,
      files: products.files.storage,
      messages: products.messages
    ) {
      access.administratorPermit(reason: "the list of keys")
    }
    console.indexUses = { [databases = core.directory.databases] id in
      guard let database = try databases.existingDatabase(id) else {
        throw ServiceError(.notFound, "The database \(id.path) does not exist.")
      }
      return database.indexUses.json
    }
    console.directory = settings.consoleDirectory
    console.hosts = settings.consoleHosts
    console.isBehindTLS = settings.origin.hasPrefix("https://")
    return console
  }

  /// Stores the rules' decisions; decisions that cannot be stored are lost, since they are only
  /// figures.
  private static func keep(_ decisions: DecisionHistory, _ threads: EngineThreads) async {
    do {
      try await threads.run(on: .maintenance) { try decisions.keep() }
    } catch {
      Logger(label: "console").debug(
        "counts of rules decisions could not be saved",
        metadata: ["error": "\(error)"]
      )
    }
  }

  /// Loads the console's jobs; false if that failed, which is logged.
  private static func load(_ jobs: OperationJobs, _ threads: EngineThreads) async -> Bool {
    do {
      try await threads.run(on: .maintenance) { try jobs.load() }
      return true
    } catch {
      Logger(label: "console").warning(
        "the console's jobs could not be loaded",
        metadata: ["error": "\(error)"]
      )
      return false
    }
  }

  /// Shows a set-up link to an operator who starts a production server at a terminal, while its
  /// console has no accounts.
  static func welcome(_ core: ServerCore) {
    guard core.settings.servesConsole, !core.settings.isDevelopment, isatty(STDOUT_FILENO) == 1
    else { return }
    let (administrators, accounts) = (core.administrators, core.accounts)
    _ = core.threads.submit(to: .maintenance) {
      do {
        guard try administrators.isEmpty() else { return }
        let code = try administrators.invite(
          email: nil,
          roles: AdministratorRoles(.owner),
          lifetime: 900
        )
        let link = Administrators.link(code, origin: accounts.origin)
        let text =
          "The console has no accounts yet. This link sets up the first one and works once, within 15 minutes:\n\n"
        // To the terminal and nowhere else: logs are kept, and read by others.
        writeFully(text + "    \(link)\n\n", to: STDERR_FILENO)
      } catch {
        Logger(label: "console").warning(
          "the console's set-up link could not be made",
          metadata: ["error": "\(error)"]
        )
      }
    }
  }
}
