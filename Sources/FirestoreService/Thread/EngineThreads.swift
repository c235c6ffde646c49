import DocumentStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A fixed set of threads for blocking work on the storage engine.
///
/// Jobs start in the order in which they were submitted. The queue is bounded: what does not fit is
/// refused, so that overload shows as RESOURCE_EXHAUSTED and not as memory. Any thread may submit.
package final class EngineThreads: Sendable {
  private let queue: JobQueue
  private let threads: [StoreThread]

  /// Starts the threads.
  ///
  /// At most `capacity` jobs wait at once.
  package init(count: Int, capacity: Int = 16_384) {
    let queue = JobQueue(capacity: capacity)
    self.queue = queue
    threads = (0..<count).map { _ in
      StoreThread {
        while let job = queue.take() { job() }
      }
    }
  }

  /// Queues a job; false when the queue is full or the threads were stopped.
  package func submit(_ job: @escaping @Sendable () -> Void) -> Bool { queue.add(job) }

  /// The number of jobs that wait for a thread.
  package var waiting: Int { queue.count }

  /// Lets the queued jobs run, then ends the threads and returns.
  package func stop() {
    queue.close()
    for thread in threads { thread.join() }
  }
}

/// A bounded queue of jobs that threads sleep on.
///
/// `@unchecked Sendable`: every access to the mutable state holds `mutex`.
private final class JobQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let hasJob = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int
  private var jobs: [(@Sendable () -> Void)?] = []
  private var head = 0
  private var idle = 0
  private var isClosed = false

  init(capacity: Int) {
    self.capacity = capacity
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(hasJob, nil)
  }

  deinit {
    pthread_cond_destroy(hasJob)
    pthread_mutex_destroy(mutex)
    hasJob.deallocate()
    mutex.deallocate()
  }

  var count: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return jobs.count - head
  }

  func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isClosed, jobs.count - head < capacity else { return false }
    jobs.append(job)
    if idle > 0 { pthread_cond_signal(hasJob) }
    return true
  }

  /// The oldest job; waits for one, and is nil once the queue is closed and empty.
  func take() -> (@Sendable () -> Void)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while head == jobs.count {
      if isClosed { return nil }
      idle += 1
      pthread_cond_wait(hasJob, mutex)
      idle -= 1
    }
    let job = jobs[head]
    jobs[head] = nil
    head += 1
    compact()
    return job
  }

  /// Drops the taken front once it is the larger part.
  private func compact() {
    if head == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head > jobs.count / 2 {
      jobs.removeFirst(head)
      head = 0
    }
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_broadcast(hasJob)
    pthread_mutex_unlock(mutex)
  }
}
