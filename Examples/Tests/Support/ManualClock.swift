import Synchronization

/// A clock that stands still until a test moves it; sleepers wake when their time has come.
package final class ManualClock: Clock {
  package struct Instant: InstantProtocol {
    package var offset: Duration = .zero

    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  fileprivate struct Sleeper {
    let deadline: Instant
    let wake: CheckedContinuation<Void, any Error>
  }

  fileprivate struct State {
    var now = Instant()
    var next = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var now: Instant { state.withLock(\.now) }
  package var minimumResolution: Duration { .zero }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
        let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
          if state.cancelled.contains(id) {
            wake.resume(throwing: CancellationError())
          } else if deadline <= state.now {
            wake.resume()
          } else {
            state.sleepers[id] = Sleeper(deadline: deadline, wake: wake)
          }
          return state.takeSatisfiedWatchers()
        }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }

  /// Waits until `count` tasks sleep on this clock.
  package func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { wake in
      let isThere = state.withLock { state in
        guard state.sleepers.count < count else { return true }
        state.watchers.append((count, wake))
        return false
      }
      if isThere { wake.resume() }
    }
  }

  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.wake.resume() }
  }
}

extension ManualClock.State {
  fileprivate mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
    let satisfied = watchers.filter { $0.count <= sleepers.count }
    watchers.removeAll { $0.count <= sleepers.count }
    return satisfied.map(\.wake)
  }
}
