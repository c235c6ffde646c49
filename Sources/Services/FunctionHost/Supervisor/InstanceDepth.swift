import Synchronization

/// The length of the chain of events that an instance works on, which its calls of the server carry on.
///
/// An instance has one connection for all its calls, so they can't be distinguished: they have the
/// greatest depth of the deliveries in flight. The pool keeps deliveries of long chains to
/// themselves, so that no other chain grows by them beyond `mostShared`. Any thread may call.
final class InstanceDepth: Sendable {
  /// The greatest depth of deliveries that share an instance with those of other depths.
  static let mostShared = 8

  private struct State {
    var calls: [Int: Int] = [:]
    /// Stays behind the last call: code that runs on after its response belongs to it.
    var depth = 0
  }

  private let state = Mutex(State())

  var current: Int { state.withLock { $0.depth } }

  /// Returns true where a call of a depth may run beside those in flight.
  func admits(_ depth: Int) -> Bool {
    state.withLock { state in
      state.calls.isEmpty || depth == state.depth || max(depth, state.depth) <= Self.mostShared
    }
  }

  func begin(_ call: Int, depth: Int) {
    state.withLock { state in
      state.depth = state.calls.isEmpty ? depth : max(state.depth, depth)
      state.calls[call] = depth
    }
  }

  func end(_ call: Int) {
    state.withLock { state in
      state.calls[call] = nil
      if let most = state.calls.values.max() { state.depth = most }
    }
  }
}
