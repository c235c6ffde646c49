/// A bounded queue of jobs, served by turns of their callers.
///
/// A caller's jobs keep their order. A caller may have as many jobs waiting as there is room left for
/// others, so that one that asks for much neither delays nor shuts out the rest. Any thread may call.
///
/// `@unchecked Sendable`: every access to the mutable state holds the condition's lock.
final class JobQueue: @unchecked Sendable {
  typealias Job = @Sendable () -> Void

  private let condition = ThreadCondition()
  private let capacity: Int
  private var jobs: [String: JobList] = [:]
  /// The callers that have jobs, in the order of their turns.
  private var turns = JobTurns()
  private var total = 0
  private var waiting = 0
  private var isClosed = false

  /// An empty queue, for at most so many jobs at once.
  init(capacity: Int) { self.capacity = capacity }

  /// The number of jobs that no thread took yet.
  var count: Int { condition.withLock { total } }

  /// Adds a job behind its caller's others; false, and nothing added, once the queue is closed or where
  /// the caller's share of it is used up.
  func put(_ job: @escaping Job, of caller: String) -> Bool {
    condition.lock()
    let own = jobs[caller]?.count ?? 0
    guard !isClosed, own < capacity - total else {
      condition.unlock()
      return false
    }
    if own == 0 { turns.append(caller) }
    jobs[caller, default: JobList()].append(job)
    total += 1
    let mustWake = waiting > 0
    condition.unlock()
    if mustWake { condition.signal() }
    return true
  }

  /// The job whose turn it is; waits for one.
  ///
  /// Nil when the queue is closed and empty.
  func take() -> Job? {
    condition.withLock {
      while total == 0 {
        if isClosed { return nil }
        waiting += 1
        condition.wait()
        waiting -= 1
      }
      return removeNext()
    }
  }

  /// Lets those who take go on without jobs once the queue is empty.
  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  private func removeNext() -> Job? {
    guard let caller = turns.removeFirst(), let job = jobs[caller]?.removeFirst() else {
      preconditionFailure("the callers with turns are those with jobs")
    }
    if jobs[caller]?.count == 0 { jobs[caller] = nil } else { turns.append(caller) }
    total -= 1
    return job
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

private typealias JobList = FirstInFirstOut<JobQueue.Job>
private typealias JobTurns = FirstInFirstOut<String>
