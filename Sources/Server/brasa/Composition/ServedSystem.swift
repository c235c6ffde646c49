import Access
import FirestoreService
import Gateway
import ServiceLifecycle
import ServiceModule

/// The system that `brasa serve` puts behind the port.
struct ServedSystem {
  let modules: [ServiceModule]
  /// The other nodes of a cluster; nil serves alone.
  let peers: GatewayPeers?
  /// Keeps what administrators change.
  let audit: AuditRecorder
  /// Returns true if a call's credentials are valid.
  let recognizes: @Sendable (CallContext) -> Bool
  /// Throws for a caller who is not an administrator of the whole server.
  let administers: @Sendable (CallContext) async throws -> Void
  /// Puts projects' ids in place of their numbers in paths.
  let numbers: ProjectPaths
  /// Receives the port when it accepts connections.
  let onListening: @Sendable (Int) -> Void
  /// The work of commands inside the server.
  let administration: ServedAdministration
  /// The host of functions, joined with the event bus; nil where functions are off.
  let functions: FunctionEvents?
  /// Returns when a thread for reads has read from the store; false where it had no room for the job.
  let readsStore: @Sendable () async -> Bool
  /// The services that run beside the port, in the order of starting; stopped in reverse, after the
  /// port.
  let services: [any Service]
}
