import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The few threads on which passwords are hashed, below everything else in priority.
///
/// A caller waits on its own thread for its result. So that sign-ins cannot hold back anything else,
/// call from threads that serve accounts alone, somewhat more than `threads + capacity` of them.
/// When `capacity` callers wait already, a further one is refused with TOO_MANY_ATTEMPTS_TRY_LATER.
package final class PasswordPool: Sendable {
  private let queue: PasswordQueue
  private let waiting = Mutex(0)
  private let capacity: Int

  /// Starts the threads; by default half of the processors, so that the others go on serving.
  ///
  /// - Parameter niceness: How far below the others they stand. At 10 a thread has an eighth of a normal
  ///   one's share of a processor that both want, and makes way at once for one that wakes. Further down
  ///   a busy machine would not get to it: at 19 a sign-in was seen to take 47 s.
  package init(
    threads: Int = max(1, PasswordPool.processors / 2),
    capacity: Int = 24,
    niceness: Int = 10
  ) {
    queue = PasswordQueue(niceness: niceness)
    self.capacity = capacity + threads
    for _ in 0..<threads { Self.start(queue) }
  }

  deinit { queue.close() }

  /// Runs the work on one of the threads and returns what it gives.
  package func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) throws -> R {
    try enter()
    defer { waiting.withLock { $0 -= 1 } }
    let outcome = Outcome<R>()
    queue.add {
      outcome.set(Result { try work() })
    }
    return try outcome.wait()
  }

  /// How many callers wait or are being served.
  package var load: Int { waiting.withLock { $0 } }

  private func enter() throws {
    try waiting.withLock {
      guard $0 < capacity else {
        throw AccountError(.tooManyAttempts, "Too many sign-ins at once. Try again later.")
      }
      $0 += 1
    }
  }

  /// The number of processors.
  package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  private static func start(_ queue: PasswordQueue) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let argument = Unmanaged.passRetained(queue).toOpaque()
    #if canImport(Glibc)
    var thread = pthread_t()
    #else
    var thread: pthread_t?
    #endif
    let result = pthread_create(&thread, &attributes, passwordThread, argument)
    precondition(result == 0, "a thread for passwords could not be started")
    pthread_attr_destroy(&attributes)
  }
}

/// What a password thread runs; C gives and takes plain pointers.
#if canImport(Glibc)
private func passwordThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let queue = Unmanaged<PasswordQueue>.fromOpaque(argument).takeRetainedValue()
  // On Linux zero names the calling thread alone.
  setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(queue.niceness))
  queue.serve()
  return nil
}
#else
private func passwordThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  let queue = Unmanaged<PasswordQueue>.fromOpaque(argument).takeRetainedValue()
  if queue.niceness > 0 { pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0) }
  queue.serve()
  return nil
}
#endif

/// Jobs for the password threads, first come, first served.
private final class PasswordQueue: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isClosed = false
  }

  let niceness: Int
  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)

  init(niceness: Int) { self.niceness = niceness }

  func add(_ job: @escaping @Sendable () -> Void) {
    state.withLock { $0.jobs.append(job) }
    available.signal()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    available.signal()
  }

  func serve() {
    while true {
      available.wait()
      let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
      if let job { job() } else if state.withLock({ $0.isClosed }) { break }
    }
    // The next thread is to end as well.
    available.signal()
  }
}

/// A result that one thread waits for.
///
/// `@unchecked Sendable`: the result is written before the signal and read after it.
private final class Outcome<R: Sendable>: @unchecked Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private var result: Result<R, any Error>?

  func set(_ result: Result<R, any Error>) {
    self.result = result
    arrived.signal()
  }

  func wait() throws -> R {
    arrived.wait()
    guard let result else { preconditionFailure("a signal without a result") }
    return try result.get()
  }
}
