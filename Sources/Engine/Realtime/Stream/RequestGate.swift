import Synchronization

/// Stops reading a client's requests while it reads too slowly, or asks faster than the hub answers.
///
/// The transport lets requests in, the hub's thread lets them out and says when the client is too
/// slow. The sink is called under the lock, so that it receives changes in their order.
final class RequestGate: Sendable {
  private struct State {
    /// The sizes of the requests that the hub has not answered, in their order.
    var sizes = Queue<Int>()
    var bytes = 0
    var isFull = false
    var isPaused = false

    var isReading: Bool { !isFull && !isPaused }
  }

  private let sink: any ListenSink
  private let state = Mutex(State())

  /// About how much memory the requests of a stream may take before it is asked for no more.
  private static let limit = 256 << 10

  init(_ sink: any ListenSink) { self.sink = sink }

  /// A request of so many bytes has come.
  func enter(_ bytes: Int) {
    change { state in
      let size = 256 + bytes
      state.sizes.append(size)
      state.bytes += size
      if state.bytes >= Self.limit { state.isFull = true }
    }
  }

  /// A request has been answered.
  func leave() {
    change { state in
      state.bytes -= state.sizes.popFirst() ?? 0
      if state.bytes < Self.limit / 2 { state.isFull = false }
    }
  }

  /// The client has begun to read too slowly, or reads again.
  func setPaused(_ isPaused: Bool) { change { $0.isPaused = isPaused } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      let wasReading = state.isReading
      body(&state)
      if state.isReading != wasReading { sink.setReading(state.isReading) }
    }
  }
}
