import BaseRuntime
import Synchronization

/// The connections that are out of credit, by network: those of one network share the growth of their
/// `UnservedRequestCredit`, so that many connections cause no more work than a few.
final class CreditShares: Sendable {
  private let connections = Mutex<[ClientAddress: Int]>([:])

  /// A connection of the network is out of credit.
  func enter(_ network: ClientAddress) {
    connections.withLock { $0[network, default: 0] += 1 }
  }

  /// A connection that was out of credit has some, or is gone.
  func leave(_ network: ClientAddress) {
    connections.withLock { connections in
      let rest = (connections[network] ?? 0) - 1
      connections[network] = rest > 0 ? rest : nil
    }
  }

  /// The number of the network's connections that are out of credit.
  func count(of network: ClientAddress) -> Int {
    connections.withLock { $0[network] ?? 0 }
  }
}
