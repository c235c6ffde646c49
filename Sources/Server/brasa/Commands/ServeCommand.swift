import ArgumentParser
import BaseRuntime
import Console
import CoreMetrics
import Gateway
import KeyValueRocksDB
import Logging
import NIOCore
import ServiceLifecycle
import ServiceModule

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The command `brasa serve`.
///
/// Its standard output is one line, written when the port takes connections, for programs that
/// start it: `brasa listening address=127.0.0.1 port=8080 tls=false mode=development`. Everything
/// else goes to the log on standard error.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the server.",
    discussion: """
      Production is the default: it listens on loopback, checks every credential, and prints the \
      administrator key that its first start generates once. --dev accepts what Google's emulators \
      accept. SIGTERM and SIGINT stop the server once open calls have ended; SIGHUP reads the \
      certificate files again. Every option is also an environment variable; a flag wins.

      Examples:
        brasa serve --dev
        brasa serve --dev --data scratch --import seed --export-on-exit
        brasa serve --data data --tls-certificate server.pem --tls-key server-key.pem
        BRASA_PORT=9090 brasa serve --dev --require-indexes

      Mail and identity providers are set by variables alone (BRASA_SMTP, BRASA_OUTBOUND_HOSTS, …); \
      docs/accounts.md has them.
      """
  )

  @OptionGroup var flags: ServeFlags

  func run() async throws {
    FreedMemory.boundArenas()
    let environment = Self.environment()
    let settings = try ServeSettings(flags, environment: environment)
    try Self.check(settings)
    let process = try Self.process(settings)
    let logger = Logger(label: "brasa")
    let supervised = ServiceManager(environment).map {
      SupervisedServer($0, health: process.health)
    }
    supervised?.opens(settings.dataDirectory)
    let system = try ServedSystem.open(process)
    let seed = SeedFolder(
      settings: settings.seed,
      project: settings.project,
      administration: system.administration,
      logger: logger
    )
    try await seed.read()
    let gateway = try Self.gateway(system, process, supervised)
    if let functions = system.functions {
      await functions.join(GatewayListeners(listeners: gateway.functionListeners))
    }
    let reloader = CertificateReloader(gateway: gateway, logger: logger)
    // Services end in the reverse order: the port first, then what it depends on.
    let ending = settings.seed.target == nil ? [] : [seed.service]
    var services: [any Service] = system.services + ending + [reloader, gateway]
    if let frame = supervised?.services(gateway, system) {
      services = [frame.first] + services + [frame.last]
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services.map { .init(service: $0) },
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger
      )
    )
    do {
      try await group.run()
    } catch {
      throw HostAddress.failure(error, host: settings.host, port: settings.port)
    }
    logger.notice("stopped")
  }

  /// Sets up the process's log, metrics and limits.
  private static func process(_ settings: ServeSettings) throws -> ServerProcess {
    let metrics = MetricsRegistry()
    MetricsSystem.bootstrap(metrics)
    let logs = LogRing()
    let repeated = RepeatedErrors()
    LoggingSystem.bootstrap { label in
      LineLogHandler(label: label, level: settings.logLevel, repeated: repeated) { line in
        logs.append(line)
        LineLogHandler.writeToStandardError(line)
      }
    }
    let logger = Logger(label: "brasa")
    for warning in settings.warnings { logger.warning("\(warning)") }
    let descriptors = try DescriptorBudget.raisingLimit(hasPeers: settings.isClustered)
    if descriptors.isTight {
      logger.warning(
        "the limit of open files allows fewer connections; raise it with ulimit -n",
        metadata: ["limit": "\(descriptors.limit)", "connections": "\(descriptors.connections)"]
      )
    }
    return ServerProcess(
      settings: settings,
      descriptors: descriptors,
      health: ServerHealth(),
      damage: DamageMonitor(metrics: metrics, logger: Logger(label: "store")),
      ledger: ByteLedger(
        limits: settings.clientMemory.limits(isDevelopment: settings.isDevelopment)
      ),
      metrics: metrics,
      logs: logs,
      requests: RequestLog()
    )
  }

  /// The port in front of a system.
  private static func gateway(
    _ system: ServedSystem,
    _ process: ServerProcess,
    _ supervised: SupervisedServer?
  ) throws -> Gateway {
    let settings = process.settings
    var configuration = settings.gateway(connections: process.descriptors.connections)
    configuration.peers = system.peers
    return try Gateway(
      configuration,
      modules: system.modules,
      recognizes: system.recognizes,
      administers: system.administers,
      ledger: process.ledger,
      health: process.health,
      metrics: process.metrics,
      requestLog: process.requests,
      damage: process.damage,
      audit: system.audit,
      numbers: system.numbers,
      logger: Logger(label: "gateway"),
      onListening: {
        system.onListening($0.port ?? 0)
        announce($0, settings: settings)
        supervised?.listens(on: $0, mode: mode(settings))
      }
    )
  }

  /// Looks at everything that a start needs, before it makes a directory or prints a key.
  private static func check(_ settings: ServeSettings) throws {
    try HostAddress.check(settings.host, port: settings.port)
    if let metrics = settings.metricsAddress {
      try HostAddress.check(metrics.host, port: metrics.port, option: "--metrics-address")
    }
    try settings.tls?.check()
    try settings.seed.check()
    try DataDirectoryPath.check(settings.dataDirectory)
    try RestoredDirectory.check(settings.dataDirectory)
  }

  private static func announce(_ address: SocketAddress, settings: ServeSettings) {
    let line =
      "brasa listening address=\(address.ipAddress ?? settings.host) port=\(address.port ?? 0)"
      + " tls=\(settings.tls != nil) mode=\(mode(settings))\n"
    writeFully(line, to: STDOUT_FILENO)
  }

  private static func mode(_ settings: ServeSettings) -> String {
    settings.isDevelopment ? "development" : "production"
  }

  /// The process's environment.
  private static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return variables
  }
}

extension ServeSettings {
  /// The port's share of the settings, with that many connections at most.
  func gateway(connections: Int) -> GatewayConfiguration {
    var limits = GatewayConfiguration.Limits()
    limits.connections = connections
    var configuration = GatewayConfiguration(
      host: host,
      port: port,
      tls: tls,
      development: developmentOrigins,
      limits: limits,
      webChannel: webChannel.limits
    )
    configuration.metricsAddress = metricsAddress
    configuration.certificateDirectory = tlsDirectory
    configuration.isBehindProxy = isBehindProxy
    return configuration
  }
}
