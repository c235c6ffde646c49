import BaseRuntime
import BaseStatus
import Synchronization

/// The memory that one request holds beside its bytes, until the object is gone.
///
/// Any thread may call.
package final class HeldLeases: Sendable {
  private let leases = Mutex<[ByteLease]>([])

  /// Nothing held.
  package init() {}

  /// Takes so many bytes for the call; throws RESOURCE_EXHAUSTED where the client's share is used up.
  package func take(
    _ bytes: Int,
    for kind: ByteLedger.Kind,
    by context: CallContext
  ) throws(ServiceError) {
    guard let lease = try context.lease(bytes, for: kind) else { return }
    leases.withLock { $0.append(lease) }
  }
}
