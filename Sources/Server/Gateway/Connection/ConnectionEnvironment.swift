import Access
import BaseRuntime
import BaseStatus
import FirestoreModel
import Logging
import Synchronization

/// The state that all connections of a gateway share.
final class ConnectionEnvironment: Sendable {
  let methods: MethodTable
  /// Returns true if a call's credentials are valid, without regard to their rights.
  let recognizes: @Sendable (CallContext) -> Bool
  let limits: GatewayConfiguration.Limits
  /// The account of the memory that clients make the process hold.
  let ledger: ByteLedger
  let metrics: GatewayMetrics
  let logger: Logger
  let responder: GatewayResponder
  let memoryAnswers: MemoryAnswers
  /// Runs the handlers of HTTP requests inside the gateway's task group.
  let tasks: TaskQueue
  /// The connections that are out of credit for requests without effect.
  let creditShares = CreditShares()
  private let connectionNumber = Atomic<UInt64>(0)

  init(
    methods: MethodTable,
    recognizes: @escaping @Sendable (CallContext) -> Bool,
    limits: GatewayConfiguration.Limits,
    ledger: ByteLedger,
    metrics: GatewayMetrics,
    logger: Logger,
    responder: GatewayResponder,
    memoryAnswers: MemoryAnswers,
    tasks: TaskQueue
  ) {
    self.methods = methods
    self.recognizes = recognizes
    self.limits = limits
    self.ledger = ledger
    self.metrics = metrics
    self.logger = logger
    self.responder = responder
    self.memoryAnswers = memoryAnswers
    self.tasks = tasks
  }

  /// A number for a new connection, from 1.
  func nextConnectionNumber() -> UInt64 {
    connectionNumber.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Logs a call's failure: server faults as errors, the rest for debugging.
  func log(_ error: ServiceError, requestID: String, of method: ServedMethod) {
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
        "request": "\(requestID)", "method": "\(method.name)",
        "code": "\(error.code.name)",
        "message": "\(error.message)", "cause": error.cause.map { "\($0)" } ?? "none",
      ]
    )
  }
}
