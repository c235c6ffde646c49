import FirestoreService
import Gateway
import ServiceLifecycle

/// What `brasa serve` puts behind the port.
struct ServedSystem {
  /// The API, for gRPC and REST.
  let service: any RPCService
  /// HTTP routes beside REST, health and metrics.
  let features: [any HTTPFeature]
  /// Told the port when it takes connections.
  let onListening: @Sendable (Int) -> Void
  /// What runs beside the port, in the order of starting; stopped in reverse, after the port.
  let services: [any Service]
}
