import FirestoreModel
import FirestoreService
import FirestoreWire
import Logging
import Synchronization

/// What all connections of a gateway share.
final class ConnectionEnvironment: Sendable {
  let service: any RPCService
  let limits: GatewayConfiguration.Limits
  /// What clients make the process hold.
  let ledger: ByteLedger
  let metrics: GatewayMetrics
  let health: HealthService
  let logger: Logger
  let responder: GatewayResponder
  /// Runs the handlers of HTTP requests inside the gateway's task group.
  let tasks: TaskQueue
  private let connectionNumber = Atomic<UInt64>(0)

  init(
    service: any RPCService,
    limits: GatewayConfiguration.Limits,
    ledger: ByteLedger,
    metrics: GatewayMetrics,
    health: ServerHealth,
    logger: Logger,
    responder: GatewayResponder,
    tasks: TaskQueue
  ) {
    self.health = HealthService(health)
    self.service = service
    self.limits = limits
    self.ledger = ledger
    self.metrics = metrics
    self.logger = logger
    self.responder = responder
    self.tasks = tasks
  }

  /// A number for a new connection, from 1.
  func nextConnectionNumber() -> UInt64 {
    connectionNumber.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Counts a gRPC call that ended.
  func observe(_ path: GRPCPath, _ code: StatusCode, since start: ContinuousClock.Instant?) {
    metrics.observe(CallName(path), code, since: start)
  }

  /// Logs a call's failure: what is ours to repair as an error, the rest for debugging.
  func log(_ error: FirestoreError, requestID: String, route: GRPCPath) {
    let level: Logger.Level =
      switch error.code {
      // The store logs damage itself, seldom: clients may ask for it any number of times.
      case .internalError, .unknown: .error
      default: .debug
      }
    logger.log(
      level: level,
      "call failed",
      metadata: [
        "request": "\(requestID)", "method": "\(CallName(route).text)",
        "code": "\(error.code.name)",
        "message": "\(error.message)", "cause": error.cause.map { "\($0)" } ?? "none",
      ]
    )
  }
}
