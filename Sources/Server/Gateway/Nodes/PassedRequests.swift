import Access
import BaseStatus
import KeyValueStore
import Synchronization

/// The requests of one kind in flight to the primary: limited in number, shared among the clients'
/// networks, and ended when they can have no result any more.
///
/// No network is turned away below half of the limit. Beyond it no network may have more than a
/// sixteenth. Any thread may call.
package final class PassedRequests: Sendable {
  /// A request in flight, which ends with its last holder.
  ///
  /// A caller that drops its response ends it.
  package final class Passage: Sendable {
    /// Thrown when the request must end; the code that forwards it decides what to do.
    package let cancellation = Cancellation()
    private let passages: PassedRequests
    private let id: Int

    fileprivate init(_ id: Int, of passages: PassedRequests) {
      (self.id, self.passages) = (id, passages)
    }

    deinit {
      passages.forget(id)
      cancellation.cancel()
    }
  }

  private struct Entry {
    let node: NodeNumber
    let network: String
    let cancellation: Cancellation
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    /// Entries by network.
    var networks: [String: Int] = [:]
    var last = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Room for that many at a time.
  package init(limit: Int) { self.limit = limit }

  /// Begins a request of a client in that network; throws RESOURCE_EXHAUSTED where there are too many.
  package func begin(
    to node: NodeNumber,
    of network: String
  ) throws(ServiceError) -> Passage {
    let passage = state.withLock { state -> Passage? in
      let held = state.networks[network, default: 0]
      let count = state.entries.count
      guard count < limit, count < limit / 2 || held < limit / 16 else { return nil }
      state.last += 1
      let passage = Passage(state.last, of: self)
      state.entries[state.last] = Entry(
        node: node,
        network: network,
        cancellation: passage.cancellation
      )
      state.networks[network] = held + 1
      return passage
    }
    guard let passage else {
      throw ServiceError(
        .resourceExhausted,
        "Too many requests are being forwarded to the primary of the cluster. Try again later."
      )
    }
    return passage
  }

  /// The number of requests in flight.
  package var count: Int { state.withLock { $0.entries.count } }

  /// Ends the requests in flight to one node, or to all.
  package func endAll(to node: NodeNumber? = nil) {
    let ended = state.withLock { state in
      state.entries.values.filter { node == nil || $0.node == node }
    }
    for entry in ended { entry.cancellation.cancel() }
  }

  private func forget(_ id: Int) {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: id) else { return }
      let rest = state.networks[entry.network, default: 1] - 1
      state.networks[entry.network] = rest == 0 ? nil : rest
    }
  }
}
