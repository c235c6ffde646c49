#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Elements that any thread drops and one thread takes out together, in their order.
///
/// `@unchecked Sendable`: every access to the mutable state holds `mutex`.
package final class Mailbox<Element: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var elements: [Element] = []
  private var isWaiting = false
  private var isClosed = false

  /// An empty box.
  package init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Adds elements; false, and nothing added, once the box is closed.
  package func put(_ new: some Sequence<Element>) -> Bool {
    pthread_mutex_lock(mutex)
    guard !isClosed else {
      pthread_mutex_unlock(mutex)
      return false
    }
    elements.append(contentsOf: new)
    let mustWake = isWaiting
    pthread_mutex_unlock(mutex)
    // After the lock, which the woken thread takes first.
    if mustWake { pthread_cond_signal(changed) }
    return true
  }

  /// Lets `take` go on without elements once the box is empty.
  package func close() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isClosed = true
    pthread_cond_signal(changed)
  }

  /// All elements; waits for the first one.
  ///
  /// Nil when the box is closed and empty.
  package func take() -> [Element]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while elements.isEmpty {
      if isClosed { return nil }
      isWaiting = true
      pthread_cond_wait(changed, mutex)
      isWaiting = false
    }
    return empty()
  }

  /// All elements, or none after `microseconds` of waiting.
  ///
  /// Nil when the box is closed and empty.
  package func take(waiting microseconds: Int) -> [Element]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if elements.isEmpty {
      if isClosed { return nil }
      var until = Self.deadline(after: microseconds)
      isWaiting = true
      pthread_cond_timedwait(changed, mutex, &until)
      isWaiting = false
    }
    return elements.isEmpty && isClosed ? nil : empty()
  }

  private func empty() -> [Element] {
    let taken = elements
    elements = []
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
