import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The few threads on which passwords are hashed, below everything else in priority.
///
/// A caller waits on its own thread for its result. So that sign-ins cannot hold back anything
/// else, call from threads that serve accounts alone, somewhat more than `threads + capacity` of
/// them. Callers are served by turns of their addresses and accounts (`PasswordLine`). When
/// `capacity` callers wait already, one is refused with TOO_MANY_ATTEMPTS_TRY_LATER: a stranger,
/// and the newest job of the caller with the most. So no caller keeps the others out.
package final class PasswordPool: Sendable {
  private let queue: PasswordQueue
  /// The most callers that wait or are served.
  package let maximumLoad: Int

  /// Starts the threads; by default half of the processors, so that the others continue to serve.
  ///
  /// - Parameter niceness: The amount by which the threads are scheduled below others. At 10 a
  ///   thread has an eighth of a normal one's share of a processor that both want, and makes way at
  ///   once for one that wakes. Further down a busy machine would not get to it: at 19 a sign-in
  ///   was seen to take 47 s.
  package init(
    threads: Int = max(1, PasswordPool.processors / 2),
    capacity: Int = 24,
    niceness: Int = 10
  ) {
    maximumLoad = capacity + threads
    queue = PasswordQueue(niceness: niceness, limit: maximumLoad)
    for _ in 0..<threads { Self.start(queue) }
  }

  deinit { queue.close() }

  /// Runs the work on one of the threads and returns what it gives.
  package func run<R: Sendable>(
    for caller: PasswordCaller = .administrator,
    _ work: @escaping @Sendable () throws -> R
  ) throws -> R {
    let outcome = Outcome<R>()
    let job = PasswordQueue.Job(
      work: {
        let result = Result { try work() }
        return { outcome.set(result) }
      },
      refuse: { outcome.set(.failure(Self.refusal)) }
    )
    guard queue.add(job, for: caller) else { throw Self.refusal }
    return try outcome.wait()
  }

  /// The number of callers that wait or are being served.
  package var load: Int { queue.load }

  private static let refusal = AccountError(
    .tooManyAttempts,
    "Too many sign-ins at once. Try again later."
  )

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

/// The body of a password thread; C gives and takes plain pointers.
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

/// Jobs for the password threads.
private final class PasswordQueue: Sendable {
  struct Job: Sendable {
    /// Does the work and returns the notification of the caller, which is sent when the job no
    /// longer counts.
    let work: @Sendable () -> (@Sendable () -> Void)
    /// Notifies the caller that others need the slot.
    let refuse: @Sendable () -> Void
  }

  private struct State {
    var waiting = PasswordLine<Job>()
    var running = 0
    var isClosed = false
  }

  private enum Admission {
    case queued
    case queuedInstead(of: Job)
    case refused
  }

  let niceness: Int
  /// Jobs that wait or run at most.
  private let limit: Int
  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)

  init(niceness: Int, limit: Int) {
    self.niceness = niceness
    self.limit = limit
  }

  /// Queues a job; false where its caller has its share of a full queue already.
  func add(_ job: Job, for caller: PasswordCaller) -> Bool {
    let admission = state.withLock { state -> Admission in
      var displaced: Job?
      if state.waiting.count + state.running >= limit {
        displaced = state.waiting.crowdedOut(by: caller)
        if displaced == nil { return .refused }
      }
      state.waiting.append(job, for: caller)
      return displaced.map(Admission.queuedInstead) ?? .queued
    }
    switch admission {
    case .queued: available.signal()
    // The signal of the job that went counts for this one.
    case .queuedInstead(let displaced): displaced.refuse()
    case .refused: return false
    }
    return true
  }

  var load: Int { state.withLock { $0.waiting.count + $0.running } }

  func close() {
    state.withLock { $0.isClosed = true }
    available.signal()
  }

  func serve() {
    while true {
      available.wait()
      let job = state.withLock { state -> Job? in
        let job = state.waiting.removeFirst()
        if job != nil { state.running += 1 }
        return job
      }
      if let job {
        let tell = job.work()
        state.withLock { $0.running -= 1 }
        tell()
      } else if state.withLock({ $0.isClosed }) {
        break
      }
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
