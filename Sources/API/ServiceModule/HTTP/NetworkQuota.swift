import Synchronization

/// A bound of the things of a kind, such as registrations, that each network makes in an hour.
///
/// Memory is bounded too: networks beyond a number share the rest. Any thread may call.
package final class NetworkQuota: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var others = 0
    var hour: Int64 = 0
  }

  private let limit: Int
  private let networks: Int
  private let state = Mutex(State())

  /// The number for each network in an hour, and the number of distinct networks.
  package init(limit: Int, networks: Int = 10_000) {
    self.limit = limit
    self.networks = networks
  }

  /// Counts one of a network; false where its share of the hour is used up.
  package func take(_ network: String, now: Int64) -> Bool {
    state.withLock { state in
      let hour = now / 3_600_000_000
      if hour != state.hour { state = State(hour: hour) }
      guard state.counts[network] != nil || state.counts.count < networks else {
        state.others += 1
        return state.others <= limit
      }
      state.counts[network, default: 0] += 1
      return state.counts[network, default: 0] <= limit
    }
  }
}
