import NIOCore
import Synchronization

/// The activity of a connection: whether it has a request, and since when it has none.
///
/// The connection writes it; the registry reads it when it looks for one that can go. Any thread may
/// call.
final class ConnectionActivity: Sendable {
  private static let busy: UInt64 = .max

  private let node = Atomic(false)
  /// In the event loops' time; the connection begins without a request.
  private let resting = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

  /// The time since which the connection is idle; nil while it has a request.
  var restingSince: NIODeadline? {
    let nanoseconds = resting.load(ordering: .relaxed)
    return nanoseconds == Self.busy ? nil : .uptimeNanoseconds(nanoseconds)
  }

  /// True if another node of the cluster has the connection.
  var hasNode: Bool { node.load(ordering: .relaxed) }

  /// The connection belongs to another node: it carries the requests of many clients, which have
  /// their shares there.
  func isOfNode() { node.store(true, ordering: .relaxed) }

  /// A request has come.
  func begin() { resting.store(Self.busy, ordering: .relaxed) }

  /// The last request is over.
  func rest() { resting.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
}
