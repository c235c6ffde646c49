import Dispatch
import KeyValueStore
import Synchronization

/// An engine that lets writes go on only when so many wait, all at once and so in one group.
final class GatheringEngine: EngineWrapper {
  private struct State {
    var wanted = 0
    var gathered: [QueuedWrite] = []
  }

  let base: any KeyValueEngine
  private let state = Mutex(State())

  init(_ base: any KeyValueEngine) { self.base = base }

  /// Holds the next writes back until there are that many.
  func gather(_ count: Int) { state.withLock { $0.wanted = count } }

  func submit(_ write: QueuedWrite) {
    let ready = state.withLock { state -> [QueuedWrite] in
      state.gathered.append(write)
      guard state.gathered.count >= state.wanted else { return [] }
      defer { state = State() }
      return state.gathered
    }
    guard ready.count > 1 else { return ready.forEach(base.submit) }
    // What is submitted on the writing thread waits for the same group, the next one.
    let start = QueuedWrite(.interactive) { _ in
    } completion: { [base] _ in
      ready.forEach(base.submit)
    }
    base.submit(start)
  }
}
