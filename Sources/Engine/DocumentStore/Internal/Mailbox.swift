#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Elements that any thread drops and others wait for, in their order.
///
/// One thread takes all that came, or several take one each.
///
/// `@unchecked Sendable`: every access to the mutable state holds `mutex`.
package final class Mailbox<Element: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int
  private var elements: [Element] = []
  /// Those before `elements`, the first one last.
  private var next: [Element] = []
  private var waiting = 0
  private var isClosed = false

  /// An empty box, for at most so many elements at once.
  package init(capacity: Int = .max) {
    self.capacity = capacity
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// The number of elements that nobody took yet.
  package var count: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return next.count + elements.count
  }

  /// Adds an element; false, and nothing added, once the box is closed or where it is full.
  package func put(_ element: Element) -> Bool {
    pthread_mutex_lock(mutex)
    guard !isClosed, next.count + elements.count < capacity else {
      pthread_mutex_unlock(mutex)
      return false
    }
    elements.append(element)
    let mustWake = waiting > 0
    pthread_mutex_unlock(mutex)
    // After the lock, which the woken thread takes first.
    if mustWake { pthread_cond_signal(changed) }
    return true
  }

  /// Lets those who take go on without elements once the box is empty.
  package func close() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isClosed = true
    pthread_cond_broadcast(changed)
  }

  /// The first element; waits for one.
  ///
  /// Nil when the box is closed and empty.
  package func takeOne() -> Element? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard waitForElements() else { return nil }
    if next.isEmpty {
      next = elements.reversed()
      elements.removeAll(keepingCapacity: true)
    }
    return next.popLast()
  }

  /// All elements; waits for the first one.
  ///
  /// Nil when the box is closed and empty.
  package func take() -> [Element]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return waitForElements() ? empty() : nil
  }

  /// All elements, or none after `microseconds` of waiting.
  ///
  /// Nil when the box is closed and empty.
  package func take(waiting microseconds: Int) -> [Element]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if isEmpty {
      if isClosed { return nil }
      var until = Self.deadline(after: microseconds)
      waiting += 1
      pthread_cond_timedwait(changed, mutex, &until)
      waiting -= 1
    }
    return isEmpty && isClosed ? nil : empty()
  }

  private var isEmpty: Bool { elements.isEmpty && next.isEmpty }

  /// Returns when there is an element, or false when there will be none.
  private func waitForElements() -> Bool {
    while isEmpty {
      if isClosed { return false }
      waiting += 1
      pthread_cond_wait(changed, mutex)
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

  private static func deadline(after microseconds: Int) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let nanoseconds = time.tv_nsec + microseconds % 1_000_000 * 1_000
    time.tv_sec += microseconds / 1_000_000 + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return time
  }
}
