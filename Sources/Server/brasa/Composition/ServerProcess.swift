import BaseRuntime
import Console
import Gateway
import ServiceModule

/// The process that serves: its settings, its share of the machine, and where it tells how it fares.
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
