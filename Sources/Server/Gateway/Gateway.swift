import Access
import BaseRuntime
import BaseStatus
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import ServiceModule

/// The server's one port: gRPC, REST and every other HTTP route, with or without TLS.
///
/// `run()` serves until a graceful shutdown is asked for, then drains; it may be called once.
package final class Gateway: Service {
  private let configuration: GatewayConfiguration
  private let environment: ConnectionEnvironment
  /// The environment of the port for metrics alone.
  private let metricsEnvironment: ConnectionEnvironment
  private let registry: ConnectionRegistry
  private let turns = EventLoopTurns()
  let ledger: ByteLedger
  private let webChannels: WebChannelSessions
  private let probes: HealthService
  private let served: [ServiceModule]
  private let certificates: CertificateStore?
  private let onListening: @Sendable (SocketAddress) -> Void
  private let logger: Logger
  /// Listens for instances of functions; nil while the port is closed.
  package let functionListeners = FunctionListeners()

  /// A gateway for those services.
  ///
  /// - Parameters:
  ///   - modules: The services beside health, metrics and WebChannel.
  /// - recognizes: Returns true if the credentials of a call are valid, without regard to their
  ///     rights; the context's memory also records this. It returns false for a call without
  ///     credentials.
  ///   - ledger: The process's ledger; nil makes one with the configuration's limits.
  ///   - health: The state that health probes receive.
  ///   - requestLog: Keeps the newest requests of the port; nil keeps none.
  ///   - metrics: Shown at `/metrics`; the registry that swift-metrics was bootstrapped with.
  ///   - damage: The state of damaged data in `/healthz`.
  ///   - administers: Throws unless the caller is an administrator of the whole server.
  ///   - audit: Keeps what signed-in administrators change.
  ///   - numbers: Puts projects' ids in place of their numbers in paths.
  /// - onListening: Receives the bound address once connections are accepted.
  /// - Throws: The problem with the certificate files; `RouteConflict` if services overlap.
  package init(
    _ configuration: GatewayConfiguration,
    modules: [ServiceModule],
    recognizes: @escaping @Sendable (CallContext) -> Bool,
    administers: @escaping @Sendable (CallContext) async throws -> Void = Gateway.refuse,
    ledger: ByteLedger? = nil,
    health: ServerHealth = ServerHealth(),
    metrics: MetricsRegistry,
    requestLog: RequestLog? = nil,
    damage: DamageMonitor? = nil,
    audit: AuditRecorder? = nil,
    numbers: ProjectPaths? = nil,
    logger: Logger,
    onListening: @escaping @Sendable (SocketAddress) -> Void = { _ in }
  ) throws {
    self.configuration = configuration
    self.logger = logger
    self.onListening = onListening
    certificates = try configuration.tls.map {
      try CertificateStore(
        $0,
        hosts: try configuration.certificateDirectory.map { try HostCertificates(directory: $0) },
        shutdownTimeout: configuration.limits.farewellTimeout
      )
    }
    let gatewayMetrics = GatewayMetrics(registry: metrics, requestLog: requestLog)
    self.ledger = ledger ?? ByteLedger(limits: configuration.memory)
    metrics.addSource(self.ledger.metrics)
    webChannels = WebChannelSessions(configuration, self.ledger, gatewayMetrics)
    for source in modules.compactMap(\.metrics) { metrics.addSource(source) }
    probes = HealthService(health, of: modules.flatMap { $0.methods.map(\.serviceName) })
    var own = ServiceModule("gateway")
    own.methods = probes.methods
    let methods = try MethodTable(modules + [own], metrics: gatewayMetrics)
    let roots = modules.compactMap(\.root)
    let healthRoutes = HealthRoutes(health: health, damage: damage, roots: roots).routes
    let isTrusted = !configuration.isBehindProxy
    own.routes = healthRoutes
    own.routes.append(MetricsRoute(metrics, trustsMachine: isTrusted, admission: administers).route)
    own.routes += webChannels.routes(for: methods, configuration)
    served = modules + [own]
    let shared = SharedParts(
      recognizes: recognizes,
      audit: audit,
      numbers: numbers,
      sites: modules.lazy.compactMap(\.sites).first,
      configuration: configuration,
      metrics: gatewayMetrics,
      ledger: self.ledger,
      logger: logger
    )
    environment = shared.environment(try RouteTable(served), methods, peers: configuration.peers)
    metricsEnvironment = try shared.metricsEnvironment(healthRoutes, metrics)
    registry = ConnectionRegistry(limit: configuration.limits.connections, metrics: gatewayMetrics)
  }

  /// The parts that connections of both ports share.
  private struct SharedParts {
    let recognizes: @Sendable (CallContext) -> Bool
    let audit: AuditRecorder?
    let numbers: ProjectPaths?
    let sites: HostedOrigins?
    let configuration: GatewayConfiguration
    let metrics: GatewayMetrics
    let ledger: ByteLedger
    let logger: Logger
    let tasks = TaskQueue()

    /// The environment of the connections of a port that serves those routes and methods.
    func environment(
      _ routes: RouteTable,
      _ methods: MethodTable,
      peers: GatewayPeers?
    ) -> ConnectionEnvironment {
      ConnectionEnvironment(
        methods: methods,
        recognizes: recognizes,
        limits: configuration.limits,
        ledger: ledger,
        metrics: metrics,
        logger: logger,
        responder: GatewayResponder(
          routes: routes,
          methods: methods,
          origins: configuration.development,
          metrics: metrics,
          audit: audit,
          sites: sites,
          numbers: numbers,
          peers: peers,
          ledger: ledger,
          logger: logger
        ),
        memoryAnswers: MemoryAnswers(
          routes: routes,
          origins: configuration.development,
          sites: sites,
          metrics: metrics,
          logger: logger
        ),
        tasks: tasks
      )
    }

    /// The environment of the port for metrics alone, which needs no credentials.
    func metricsEnvironment(
      _ healthRoutes: [HTTPRoute],
      _ registry: MetricsRegistry
    ) throws -> ConnectionEnvironment {
      var module = ServiceModule("metrics")
      module.routes = healthRoutes + [MetricsRoute(unguarded: registry).route]
      return environment(
        try RouteTable([module]),
        try MethodTable([module], metrics: metrics),
        peers: nil
      )
    }
  }

  /// Throws PERMISSION_DENIED for every caller.
  package static let refuse: @Sendable (CallContext) async throws -> Void = { _ in
    throw ServiceError(
      .permissionDenied,
      "Only programs on the server's own machine may do this."
    )
  }

  /// Reads the certificate files again; open connections keep what they have.
  package func reloadCertificates() throws {
    try certificates?.reload()
  }

  /// Reads changed certificate files again, and returns their number and the faults of others.
  package func reloadChangedCertificates() throws -> (count: Int, failures: [CertificateFailure]) {
    try certificates?.reloadChanged() ?? (0, [])
  }

  /// Binds the port and serves until a graceful shutdown, then ends the open calls.
  package func run() async throws {
    let threads = configuration.threads
    let group = MultiThreadedEventLoopGroup(
      numberOfThreads: threads > 0 ? threads : System.coreCount
    )
    for loop in group.makeIterator() { loop.execute { BlockingCheck.markEventLoop() } }
    turns.begin(group)
    do {
      try await serve(on: group)
    } catch {
      turns.end()
      try await group.shutdownGracefully()
      throw error
    }
    turns.end()
    try await group.shutdownGracefully()
  }

  /// Returns when every event loop of the port has taken a turn; at once where the port is closed.
  package func turnEventLoops() async { await turns.take() }

  private func serve(on group: MultiThreadedEventLoopGroup) async throws {
    let factory = ConnectionFactory(
      environment: environment,
      registry: registry,
      certificates: certificates,
      group: group
    )
    defer { factory.close() }
    let figures = ConnectionFactory(
      environment: metricsEnvironment,
      registry: registry,
      certificates: nil,
      group: group
    )
    defer { figures.close() }
    let metricsListener = try await bindMetrics(figures, on: group)
    defer { metricsListener?.close(promise: nil) }
    let address = ListenAddress(host: configuration.host, port: configuration.port)
    let listener = try await bind(factory, to: address, on: group)
    for module in served {
      logger.debug(
        "serving",
        metadata: [
          "service": "\(module.name)", "paths": "\(module.served.joined(separator: " "))",
        ]
      )
    }
    functionListeners.open(factory, group)
    defer { functionListeners.close() }
    if let address = listener.localAddress { onListening(address) }
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await self.environment.tasks.run() }
      await self.waitForShutdown(of: listener)
      await self.drain()
      self.environment.tasks.finish()
      // Their connections are gone, so no one waits for the responses that handlers still await.
      tasks.cancelAll()
      await tasks.waitForAll()
    }
  }

  private func bindMetrics(
    _ factory: ConnectionFactory,
    on group: MultiThreadedEventLoopGroup
  ) async throws -> (any Channel)? {
    guard let address = configuration.metricsAddress else { return nil }
    let listener = try await bind(factory, to: address, on: group)
    logger.info(
      "metrics listening",
      metadata: [
        "address": "\(listener.localAddress?.ipAddress ?? address.host)",
        "port": "\(listener.localAddress?.port ?? address.port)",
      ]
    )
    return listener
  }

  private func bind(
    _ factory: ConnectionFactory,
    to address: ListenAddress,
    on group: MultiThreadedEventLoopGroup
  ) async throws -> any Channel {
    try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try factory.configure(listener: channel) }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(
        .writeBufferWaterMark,
        value: ChannelOptions.Types.WriteBufferWaterMark(
          low: GatewayConfiguration.unwrittenBytesPerConnection / 4,
          high: GatewayConfiguration.unwrittenBytesPerConnection
        )
      )
      // One buffer a turn of the event loop, so that a client that sends much is read as often as
      // others.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      // A connection keeps its first buffer; the size grows as more comes at once.
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 64 << 10)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try factory.configure(channel) }
      }
      .bind(host: address.host, port: address.port)
      .get()
  }

  /// Returns when a shutdown is asked for or the listener failed.
  private func waitForShutdown(of listener: any Channel) async {
    await withTaskCancellationOrGracefulShutdownHandler {
      try? await listener.closeFuture.get()
    } onCancelOrGracefulShutdown: {
      listener.close(promise: nil)
    }
  }

  /// Lets open calls end, for as long as the configuration gives them.
  private func drain() async {
    probes.stop()
    webChannels.stop()
    for module in served { module.onShutdown?() }
    registry.finishAll()
    let limit = configuration.limits.drainTimeout
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.registry.waitUntilEmpty() }
      group.addTask {
        // Cut short when all are closed, or when the program wants to end at once.
        try? await Task.sleep(for: limit)
        self.registry.closeAll()
      }
      await group.next()
      group.cancelAll()
    }
  }
}

extension WebChannelSessions {
  /// The sessions of a gateway.
  fileprivate convenience init(
    _ configuration: GatewayConfiguration,
    _ ledger: ByteLedger,
    _ metrics: GatewayMetrics
  ) {
    self.init(
      limits: configuration.webChannel,
      node: configuration.peers?.own,
      ledger: ledger,
      metrics: metrics
    )
  }

  /// The routes by which browsers reach methods.
  fileprivate func routes(
    for methods: MethodTable,
    _ configuration: GatewayConfiguration
  ) -> [HTTPRoute] {
    WebChannelRoutes(
      methods: methods.forBrowsers,
      sessions: self,
      peers: configuration.peers,
      bodyLimit: configuration.limits.messageBytes
    ).routes
  }
}
