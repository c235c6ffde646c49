#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Marks the threads that must never wait for the disk in debug builds: those that run an event
/// loop.
///
/// Code that starts an event loop marks its thread; an engine asserts before each call that may
/// touch the disk that the calling thread has no mark. Release builds ask nothing.
package enum BlockingCheck {
  /// Marks the calling thread, for as long as it lives, as one that must not block.
  package static func markEventLoop() {
    pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1))
  }

  /// Stops debug builds where the calling thread is an event loop's; to be called before what may touch the
  /// disk.
  @inline(__always)
  package static func assertMayBlock() {
    assert(!isEventLoop, "a call that may touch the disk runs on an event loop")
  }

  /// True if the calling thread was marked.
  package static var isEventLoop: Bool { pthread_getspecific(mark) != nil }

  /// Runs a piece of work of an event loop that has nothing else to do: a write in it may wait for a
  /// quick sync here.
  package static func whileAlone<R>(_ work: () throws -> R) rethrows -> R {
    pthread_setspecific(mark, UnsafeRawPointer(bitPattern: alone))
    defer { markEventLoop() }
    return try work()
  }

  /// True in such a piece of work.
  package static var isAlone: Bool {
    UInt(bitPattern: pthread_getspecific(mark)) == alone
  }

  private static let alone: UInt = 2

  /// The key of the mark; made once a process.
  private static let mark: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "no key for a thread's own data: error \(code)")
    return key
  }()
}
