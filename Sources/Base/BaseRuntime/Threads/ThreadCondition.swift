#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A lock together with the condition that threads wait for under it.
///
/// The caller pairs `lock()` with `unlock()`, and waits only while it holds the lock.
///
/// `@unchecked Sendable`: both pointers are set before `init` returns and never change, and their
/// targets are made for concurrent use.
package final class ThreadCondition: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// A free lock.
  package init() {
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
    pthread_cond_init(changed, nil)
    #else
    // A step of the system's clock neither ends a wait nor prolongs it.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, Self.clock)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
    #endif
  }

  /// The clock of deadlines; Darwin's conditions know the system's alone.
  #if canImport(Darwin)
  private static let clock = CLOCK_REALTIME
  #else
  private static let clock = CLOCK_MONOTONIC
  #endif

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Waits for the lock and takes it.
  package func lock() { pthread_mutex_lock(mutex) }

  /// Gives the lock back.
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs a body that holds the lock.
  package func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Gives the lock away until some thread signals; may return without a signal.
  package func wait() { pthread_cond_wait(changed, mutex) }

  /// The same for at most so many microseconds.
  package func wait(microseconds: Int) {
    var until = Self.deadline(after: microseconds)
    pthread_cond_timedwait(changed, mutex, &until)
  }

  /// Wakes one waiting thread.
  package func signal() { pthread_cond_signal(changed) }

  /// Wakes all waiting threads.
  package func broadcast() { pthread_cond_broadcast(changed) }

  private static func deadline(after microseconds: Int) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    let nanoseconds = time.tv_nsec + microseconds % 1_000_000 * 1_000
    time.tv_sec += microseconds / 1_000_000 + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return time
  }
}
