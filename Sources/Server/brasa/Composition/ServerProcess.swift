import BaseRuntime
import Console
import Gateway
import ServiceModule

/// The serving process: its settings, its share of the machine, and the receivers of its status.
struct ServerProcess: Sendable {
  let settings: ServeSettings
  let descriptors: DescriptorBudget
  let health: ServerHealth
  let damage: DamageMonitor
  /// The bytes that clients make the process hold.
  let ledger: ByteLedger
  let metrics: MetricsRegistry
  let logs: LogRing
  let requests: RequestLog
}
