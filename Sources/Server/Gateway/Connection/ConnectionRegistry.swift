import BaseRuntime
import NIOCore
import Synchronization

/// The open connections of a gateway: counts them against their limit, shares it among the clients'
/// addresses, and ends them at a stop.
///
/// No client is turned away below the limit. At the limit, a new connection replaces an idle
/// connection of its own address or of an address that has more. If none is idle, it replaces any
/// connection of an address that has far more than its share. A few connections are looked at,
/// chosen at random, so those of an address that has many come up often. Those of other nodes of a
/// cluster stay.
final class ConnectionRegistry: Sendable {
  /// A connection's ways to end, each on its event loop.
  struct Ending: Sendable {
    /// Gracefully; said twice, it must come soon.
    let finish: @Sendable () -> Void
    /// At once, for another connection.
    let makeWay: @Sendable () -> Void
  }

  private struct Entry {
    let channel: any Channel
    let address: ClientAddress
    let activity: ConnectionActivity
    var ending: Ending
    /// The index of the entry in `order`.
    var index: Int
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The keys of `entries`, in no order, to choose from.
    var order: [ObjectIdentifier] = []
    var connections: [ClientAddress: Int] = [:]
    var isStopping = false
    var whenEmpty: CheckedContinuation<Void, Never>?
  }

  /// The number of connections that are looked at for one that can go.
  private static let sample = 32

  private let limit: Int
  private let metric: GaugeMetric
  private let displaced: CounterMetric
  private let state = Mutex(State())

  init(limit: Int, metrics: GatewayMetrics) {
    self.limit = limit
    metric = metrics.connections
    displaced = metrics.displacedConnections
  }

  /// Returns true if one more connection is welcome; if so it is counted until its channel closes.
  func admit(_ channel: any Channel, _ activity: ConnectionActivity) -> Bool {
    let id = ObjectIdentifier(channel)
    let address = ClientAddress(channel.remoteAddress)
    let (isAdmitted, displaced) = state.withLock { state -> (Bool, Entry?) in
      guard !state.isStopping else { return (false, nil) }
      var displaced: Entry?
      if state.entries.count >= limit {
        guard let victim = Self.victim(for: address, limit, state) else { return (false, nil) }
        displaced = Self.remove(victim, from: &state)
      }
      state.entries[id] = Entry(
        channel: channel,
        address: address,
        activity: activity,
        ending: Ending(
          finish: { channel.close(promise: nil) },
          makeWay: { channel.close(promise: nil) }
        ),
        index: state.order.count
      )
      state.order.append(id)
      state.connections[address, default: 0] += 1
      return (true, displaced)
    }
    if let displaced {
      self.displaced.add(1)
      displaced.channel.eventLoop.execute { displaced.ending.makeWay() }
    }
    guard isAdmitted else { return false }
    metric.add(1)
    channel.closeFuture.whenComplete { _ in self.remove(id) }
    return true
  }

  /// Sets how the connection ends, once its protocol is known.
  func setEnding(of channel: any Channel, _ ending: Ending) {
    let id = ObjectIdentifier(channel)
    let isStopping = state.withLock { state in
      guard state.entries[id] != nil else { return false }
      state.entries[id]?.ending = ending
      return state.isStopping
    }
    if isStopping { ending.finish() }
  }

  /// Asks every connection to end; new ones are refused from now on.
  func finishAll() {
    let entries = state.withLock { state in
      state.isStopping = true
      return Array(state.entries.values)
    }
    for entry in entries { entry.channel.eventLoop.execute { entry.ending.finish() } }
  }

  /// Closes the remaining connections.
  func closeAll() {
    for entry in state.withLock({ Array($0.entries.values) }) { entry.channel.cut() }
  }

  /// Returns when no connection is open.
  func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.entries.isEmpty { state.whenEmpty = continuation }
        return state.entries.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }

  private func remove(_ id: ObjectIdentifier) {
    metric.add(-1)
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      _ = Self.remove(id, from: &state)
      guard state.entries.isEmpty else { return nil }
      defer { state.whenEmpty = nil }
      return state.whenEmpty
    }
    waiter?.resume()
  }

  private static func remove(_ id: ObjectIdentifier, from state: inout State) -> Entry? {
    guard let entry = state.entries.removeValue(forKey: id) else { return nil }
    let last = state.order.removeLast()
    if last != id {
      state.order[entry.index] = last
      state.entries[last]?.index = entry.index
    }
    let rest = state.connections[entry.address, default: 1] - 1
    state.connections[entry.address] = rest == 0 ? nil : rest
    return entry
  }

  // MARK: Shares

  /// The connection that can go for a client of that address.
  private static func victim(
    for address: ClientAddress,
    _ limit: Int,
    _ state: State
  ) -> ObjectIdentifier? {
    let own = state.connections[address] ?? 0
    var best: (id: ObjectIdentifier, rank: Rank)?
    for _ in 0..<sample {
      guard let id = state.order.randomElement(), let entry = state.entries[id],
        !entry.activity.hasNode
      else { continue }
      let count = state.connections[entry.address] ?? 0
      let rank = Rank(since: entry.activity.restingSince, connections: count)
      let mayGo =
        rank.since == nil
        ? count > limit / 8 && count / 2 > own : entry.address == address || count > own
      if mayGo, best.map({ $0.rank < rank }) ?? true { best = (id, rank) }
    }
    return best?.id
  }

  /// The degree to which a connection can be done without.
  private struct Rank: Comparable {
    /// The time since which it is idle.
    let since: NIODeadline?
    /// The number of connections from its address.
    let connections: Int

    static func < (left: Rank, right: Rank) -> Bool {
      switch (left.since, right.since) {
      case (nil, .some): return true
      case (.some, nil): return false
      case (let since?, let other?) where left.connections == right.connections:
        return since > other
      default: return left.connections < right.connections
      }
    }
  }
}
