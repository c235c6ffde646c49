import NIOCore
import Synchronization

/// The open connections of a gateway: counts them against their limit and ends them at a stop.
final class ConnectionRegistry: Sendable {
  /// A connection's ways to end.
  struct Entry: Sendable {
    let channel: any Channel
    /// Asks for a graceful end, on the connection's event loop; said twice, it must come soon.
    let finish: @Sendable () -> Void
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var isStopping = false
    var whenEmpty: CheckedContinuation<Void, Never>?
  }

  private let limit: Int
  private let metric: GaugeMetric
  private let state = Mutex(State())

  init(limit: Int, metric: GaugeMetric) {
    self.limit = limit
    self.metric = metric
  }

  /// Whether one more connection is welcome; if so it is counted until its channel closes.
  func admit(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let isAdmitted = state.withLock { state in
      guard !state.isStopping, state.entries.count < limit else { return false }
      state.entries[id] = Entry(channel: channel) { channel.close(promise: nil) }
      return true
    }
    guard isAdmitted else { return false }
    metric.add(1)
    channel.closeFuture.whenComplete { _ in self.remove(id) }
    return true
  }

  /// Sets how the connection ends gracefully, once its protocol is known.
  func setFinish(of channel: any Channel, _ finish: @escaping @Sendable () -> Void) {
    let id = ObjectIdentifier(channel)
    let isStopping = state.withLock { state in
      guard state.entries[id] != nil else { return false }
      state.entries[id] = Entry(channel: channel, finish: finish)
      return state.isStopping
    }
    if isStopping { finish() }
  }

  /// Asks every connection to end; new ones are refused from now on.
  func finishAll() {
    let entries = state.withLock { state in
      state.isStopping = true
      return Array(state.entries.values)
    }
    for entry in entries { entry.channel.eventLoop.execute { entry.finish() } }
  }

  /// Closes what is still open.
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
      state.entries[id] = nil
      guard state.entries.isEmpty else { return nil }
      defer { state.whenEmpty = nil }
      return state.whenEmpty
    }
    waiter?.resume()
  }
}
