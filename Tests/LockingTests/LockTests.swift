import Foundation
import Locking
import Testing

struct `A lock` {
  @Test func `no two bodies run at once`() {
    let lock = Lock((inside: 0, most: 0, count: 0))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 {
        lock.withLock { state in
          state.inside += 1
          state.most = max(state.most, state.inside)
          state.count += 1
          state.inside -= 1
        }
      }
    }
    let end = lock.withLock { $0 }
    #expect(end.count == 160_000 && end.most == 1)
  }

  @Test func `an error leaves it free, with what the body has written`() {
    struct Failure: Error {}
    let lock = Lock(0)
    #expect(throws: Failure.self) {
      try lock.withLock { value in
        value = 1
        throw Failure()
      }
    }
    #expect(lock.withLock { $0 } == 1)
  }

  @Test func `copies share the value, which goes with the last of them`() {
    final class Item: Sendable {}
    weak var seen: Item?
    var first: Lock<Item?>? = Lock(Item())
    var second = first
    seen = first?.withLock { $0 }
    first = nil
    #expect(seen != nil)
    #expect(second?.withLock { $0 } === seen)
    second = nil
    #expect(seen == nil)
  }
}
