import KeyValueStore
import Synchronization

/// An engine that takes so many writes and then none any more, as if the process had been killed before the next one.
final class MortalEngine: KeyValueEngine {
  private let base: any KeyValueEngine
  private let left: Mutex<Int>

  init(_ base: any KeyValueEngine, writes: Int) {
    self.base = base
    left = Mutex(writes)
  }

  /// Whether a write was refused.
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

  var isWritingThread: Bool { base.isWritingThread }

  func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R { try base.read(body) }

  func readInMemory<R>(
    steps: Int,
    _ body: (any KeyValueSnapshot) throws -> R
  ) throws -> R? {
    try base.readInMemory(steps: steps, body)
  }

  func get(_ key: [UInt8], cachedOnly: Bool) throws -> PointRead {
    try base.get(key, cachedOnly: cachedOnly)
  }

  func statistics() -> [String: Double] { base.statistics() }
  func close() throws { try base.close() }
}
