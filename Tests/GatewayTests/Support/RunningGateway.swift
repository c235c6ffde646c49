import BaseRuntime
import FirestoreAPI
import Gateway
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import ServiceModule

/// A gateway that serves a scripted service on a free port for the length of a test.
struct RunningGateway: Sendable {
  let port: Int
  let service: ScriptedService
  let gateway: Gateway
  let metrics: MetricsRegistry
  let group: ServiceGroup

  /// Stops the gateway as SIGTERM does.
  func stop() async {
    await group.triggerGracefulShutdown()
  }
}

/// Runs the body beside a gateway, then stops it.
func withGateway<Result: Sendable>(
  tls: GatewayConfiguration.TLSFiles? = nil,
  limits: GatewayConfiguration.Limits = .test,
  memory: ByteLedger.Limits = ByteLedger.Limits(),
  threads: Int = 2,
  modules: [ServiceModule] = [],
  log handler: any LogHandler = SwiftLogNoOpLogHandler(),
  _ body: (RunningGateway) async throws -> Result
) async throws -> Result {
  let service = ScriptedService()
  var logger = Logger(label: "test") { _ in handler }
  if handler is SwiftLogNoOpLogHandler { logger.logLevel = .critical }
  let (ports, announce) = AsyncStream<Int>.makeStream()
  let metrics = MetricsRegistry()
  let gateway = try Gateway(
    GatewayConfiguration(port: 0, tls: tls, threads: threads, limits: limits, memory: memory),
    modules: [.firestore(service, bodyLimit: limits.messageBytes)] + modules,
    recognizes: { service.recognizes($0) },
    metrics: metrics,
    logger: logger,
    onListening: { announce.yield($0.port ?? 0) }
  )
  let tasks: [any Service] = modules.flatMap(\.tasks).map { ModuleTask($0) }
  let group = ServiceGroup(services: tasks + [gateway], logger: logger)
  return try await withThrowingTaskGroup(of: Void.self) { tasks in
    tasks.addTask {
      defer { announce.finish() }
      try await group.run()
    }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else {
      try await tasks.waitForAll()
      throw ChannelError.ioOnClosedChannel
    }
    let running = RunningGateway(
      port: port,
      service: service,
      gateway: gateway,
      metrics: metrics,
      group: group
    )
    let result: Result
    do {
      result = try await body(running)
    } catch {
      await running.stop()
      throw error
    }
    await running.stop()
    try await tasks.waitForAll()
    return result
  }
}

extension GatewayConfiguration.Limits {
  /// The product's limits with a short drain and long timeouts for clients: beside hundreds of other tests
  /// one that sends byte after byte takes longer than any client should.
  static var test: GatewayConfiguration.Limits {
    var limits = GatewayConfiguration.Limits()
    limits.drainTimeout = .milliseconds(200)
    limits.headTimeout = .seconds(3_600)
    limits.idleTimeout = .seconds(3_600)
    limits.bodyTimeout = .seconds(3_600)
    limits.stalledReaderTimeout = .seconds(3_600)
    return limits
  }
}
