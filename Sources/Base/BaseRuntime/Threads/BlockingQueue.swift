/// A queue of elements that any thread adds and others wait for, in their order.
///
/// One thread takes all that came, or several take one each.
///
/// `@unchecked Sendable`: every access to the mutable state holds the condition's lock.
package final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = ThreadCondition()
  private let capacity: Int
  private var elements: [Element] = []
  /// Those before `elements`, the first one last.
  private var next: [Element] = []
  private var waiting = 0
  private var isClosed = false

  /// An empty queue, for at most so many elements at once.
  package init(capacity: Int = .max) { self.capacity = capacity }

  /// The number of pending elements.
  package var count: Int { condition.withLock { next.count + elements.count } }

  /// Adds an element; false, and nothing added, once the queue is closed or where it is full.
  package func put(_ element: Element) -> Bool {
    condition.lock()
    guard !isClosed, next.count + elements.count < capacity else {
      condition.unlock()
      return false
    }
    elements.append(element)
    let mustWake = waiting > 0
    condition.unlock()
    // After the lock, which the woken thread takes first.
    if mustWake { condition.signal() }
    return true
  }

  /// Lets consumers continue without elements once the queue is empty.
  package func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// The first element; waits for one.
  ///
  /// Nil when the queue is closed and empty.
  package func takeOne() -> Element? {
    condition.withLock {
      guard waitForElements() else { return nil }
      if next.isEmpty {
        next = elements.reversed()
        elements.removeAll(keepingCapacity: true)
      }
      return next.popLast()
    }
  }

  /// All elements; waits for the first one.
  ///
  /// Nil when the queue is closed and empty.
  package func take() -> [Element]? {
    condition.withLock { waitForElements() ? empty() : nil }
  }

  /// All elements, or none after `microseconds` of waiting.
  ///
  /// Nil when the queue is closed and empty.
  package func take(waiting microseconds: Int) -> [Element]? {
    condition.withLock {
      if isEmpty {
        if isClosed { return nil }
        waiting += 1
        condition.wait(microseconds: microseconds)
        waiting -= 1
      }
      return isEmpty && isClosed ? nil : empty()
    }
  }

  private var isEmpty: Bool { elements.isEmpty && next.isEmpty }

  /// Returns when there is an element, or false when there will be none.
  private func waitForElements() -> Bool {
    while isEmpty {
      if isClosed { return false }
      waiting += 1
      condition.wait()
      waiting -= 1
    }
    return true
  }

  private func empty() -> [Element] {
    let taken = next.isEmpty ? elements : next.reversed() + elements
    elements = []
    next = []
    return taken
  }
}
