/// A bounded queue of jobs, served by turns of their callers.
///
/// A caller's jobs keep their order. A caller may have as many jobs waiting as there is room left for
/// others, so that one that asks for much neither delays nor shuts out the rest. Any thread may call.
///
/// **Wake-ups.** One idle thread is woken at a time; it wakes the next one if it leaves jobs behind, so that
/// threads which wait for the disk do not hold up what others could do. Jobs that are added during a
/// `Handover` wake a thread at its end, or when there is a batch of them.
///
/// `@unchecked Sendable`: every access to the mutable state holds the condition's lock.
final class JobQueue: @unchecked Sendable {
  typealias Job = @Sendable () -> Void

  /// The jobs of one caller.
  private final class CallerJobs {
    let caller: String
    var jobs = FirstInFirstOut<Job>()

    init(_ caller: String) { self.caller = caller }
  }

  private let condition = ThreadCondition()
  private let capacity: Int
  private let threads: Int
  /// The callers that have jobs.
  private var callers: [String: CallerJobs] = [:]
  /// The same in the order of their turns.
  private var turns = FirstInFirstOut<CallerJobs>()
  /// The jobs of the caller whose job was added last.
  private var last: CallerJobs?
  private var total = 0
  private var waiting = 0
  private var refused = 0
  /// True if a thread was signalled and has not looked yet.
  private var isWaking = false
  private var isClosed = false

  /// The most jobs that a thread takes at a time.
  private let batch: Int

  /// A batch of jobs that are soon over.
  static let batch = 8

  /// An empty queue, for at most so many jobs at once, which so many threads take from, each at most a batch
  /// at a time.
  init(capacity: Int, threads: Int = 1, batch: Int = JobQueue.batch) {
    self.capacity = capacity
    self.threads = threads
    self.batch = batch
  }

  /// The number of jobs that no thread took yet.
  var count: Int { condition.withLock { total } }

  /// The jobs that no thread took yet, the threads that wait for one, and the jobs that were refused so far.
  var figures: (waiting: Int, idle: Int, refused: Int) {
    condition.withLock { (total, waiting, refused) }
  }

  /// Adds a job behind its caller's others; false, and nothing added, once the queue is closed or where
  /// the caller's share of it is used up.
  func put(_ job: @escaping Job, of caller: String) -> Bool {
    condition.lock()
    let own = jobs(of: caller)
    guard !isClosed, (own?.jobs.count ?? 0) < capacity - total else {
      refused += 1
      condition.unlock()
      return false
    }
    append(job, to: own ?? CallerJobs(caller))
    let handover = waiting > 0 && total < Self.batch ? Handover.current : nil
    let mustWake = handover == nil && takeWake()
    condition.unlock()
    handover?.add((), for: self)
    if mustWake { condition.signal() }
    return true
  }

  /// The jobs whose turn it is; waits for one.
  ///
  /// More than one only where so many wait that every thread has at least as much to do. Nil when the queue
  /// is closed and empty.
  func take() -> [Job]? {
    condition.lock()
    while total == 0 {
      if isClosed {
        condition.unlock()
        return nil
      }
      waiting += 1
      condition.wait()
      waiting -= 1
      isWaking = false
    }
    let count = max(1, min(batch, total / (2 * threads)))
    let jobs = (0..<count).map { _ in removeNext() }
    let mustWake = takeWake()
    condition.unlock()
    if mustWake { condition.signal() }
    return jobs
  }

  /// Lets consumers continue without jobs once the queue is empty.
  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// Returns true if the asking thread has to wake another: jobs and threads wait, and none is on
  /// its way.
  private func takeWake() -> Bool {
    guard total > 0, waiting > 0, !isWaking else { return false }
    isWaking = true
    return true
  }

  private func jobs(of caller: String) -> CallerJobs? {
    if let last, last.jobs.count > 0, last.caller == caller { return last }
    return callers[caller]
  }

  private func append(_ job: @escaping Job, to own: CallerJobs) {
    if own.jobs.count == 0 {
      callers[own.caller] = own
      turns.append(own)
    }
    own.jobs.append(job)
    last = own
    total += 1
  }

  private func removeNext() -> Job {
    guard let own = turns.removeFirst(), let job = own.jobs.removeFirst() else {
      preconditionFailure("the callers with turns are those with jobs")
    }
    if own.jobs.count == 0 { callers[own.caller] = nil } else { turns.append(own) }
    total -= 1
    return job
  }
}

/// The items are nothing but that jobs were added.
extension JobQueue: HandoverReceiver {
  func receive(_ added: [Void]) {
    let mustWake = condition.withLock { takeWake() }
    if mustWake { condition.signal() }
  }
}

/// A first-in, first-out list whose operations take constant time on average.
private struct FirstInFirstOut<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      head += 1
      if head * 2 >= elements.count, head > 16 {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head].take()
  }
}
