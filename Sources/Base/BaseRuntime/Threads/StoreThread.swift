#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A thread of the storage layers' own, for work that must not block a caller's.
///
/// `@unchecked Sendable`: the handle is written before `init` returns and only read afterwards.
package final class StoreThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body` once.
  package init(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(ThreadBody(run: body))
    #if canImport(Darwin)
    var created: pthread_t?
    let code = pthread_create(&created, nil, { enterThread($0) }, start.toOpaque())
    guard code == 0, let created else { preconditionFailure("no thread: error \(code)") }
    #else
    var created = pthread_t()
    let code = pthread_create(&created, nil, { enterThread($0) }, start.toOpaque())
    precondition(code == 0, "no thread: error \(code)")
    #endif
    handle = created
  }

  /// Has the calling thread run behind others while the processor is short, for the rest of its life.
  package static func standBack() {
    #if canImport(Darwin)
    pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    #else
    // On Linux zero names the calling thread alone.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
  }

  /// Waits until the body has returned.
  ///
  /// Called once.
  package func join() { pthread_join(handle, nil) }

  /// Lets the thread end by itself, instead of `join()`.
  package func detach() { pthread_detach(handle) }

  /// True if the caller runs on this thread.
  package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }
}

/// Tells the running threads of the process apart.
package struct ThreadID: Sendable, Hashable {
  private let handle: UInt

  /// The calling thread.
  package static var current: ThreadID {
    #if canImport(Darwin)
    ThreadID(handle: UInt(bitPattern: pthread_self()))
    #else
    ThreadID(handle: UInt(pthread_self()))
    #endif
  }
}

/// The start argument of a new thread.
private final class ThreadBody {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }
}

private func enterThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
