import KeyValueStore
import Synchronization

/// An engine that takes so many writes and then none any more, as if the process had been killed before the next one.
final class MortalEngine: EngineWrapper {
  let base: any KeyValueEngine
  private let left: Mutex<Int>

  init(_ base: any KeyValueEngine, writes: Int) {
    self.base = base
    left = Mutex(writes)
  }

  /// True if a write was refused.
  var isDead: Bool { left.withLock { $0 < 0 } }

  func submit(_ write: QueuedWrite) {
    let isTaken = left.withLock { left in
      left = max(left - 1, -1)
      return left >= 0
    }
    guard !isTaken else { return base.submit(write) }
    base.submit(
      QueuedWrite(write.priority) { _ in
        throw KeyValueError(.stopped, "the process is dead")
      } completion: {
        write.completion($0)
      }
    )
  }
}
