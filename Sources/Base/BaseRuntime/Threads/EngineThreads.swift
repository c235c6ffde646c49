/// The threads for blocking work on the storage engine, in independent lanes.
///
/// Each lane has its own threads and bounded queue. Threads take the jobs of one caller in the
/// order in which they were submitted, one at a time, or a few where many reads wait; callers take
/// turns. Jobs beyond the queue are refused, so that overload shows as RESOURCE_EXHAUSTED and not
/// as memory. Any thread may submit. Jobs run inside a `Handover`: their results for event loops
/// are delivered with those of the thread's other jobs.
package final class EngineThreads: Sendable {
  /// The kind of a job, by the time for which it may hold a thread.
  package enum Lane: Int, Sendable, CaseIterable {
    /// Point reads, commits, the first slice of a query: short work with a waiting client.
    case reads
    /// The slices of long scans, aggregations and searches. A job does one slice and submits the next one.
    case scans
    /// Work without a deadline: administration, clean-up. Its threads take what others leave of the
    /// processor.
    case maintenance
    /// Reading, writing and syncing the bytes of files, a part at a time.
    case files
    /// Reads of mass data without a waiting client, such as events. Its threads take what others
    /// leave of the processor.
    case intake

    fileprivate var standsBack: Bool { self == .maintenance || self == .intake }
  }

  private final class Pool: Sendable {
    let queue: JobQueue
    private let threads: [StoreThread]

    var figures: Figures {
      let (waiting, idle, refused) = queue.figures
      return Figures(waiting: waiting, busy: threads.count - idle, refused: refused)
    }

    init(count: Int, capacity: Int, batch: Int = JobQueue.batch, standsBack: Bool = false) {
      let queue = JobQueue(capacity: capacity, threads: count, batch: batch)
      self.queue = queue
      threads = (0..<count).map { _ in
        StoreThread {
          if standsBack { StoreThread.standBack() }
          Self.serve(queue)
        }
      }
    }

    /// Runs jobs until the queue is closed; the results of a batch for event loops are delivered
    /// together.
    private static func serve(_ queue: JobQueue) {
      while let jobs = queue.take() {
        Handover.during { handover in
          for job in jobs {
            job()
            handover.deliverIfDue()
          }
        }
      }
    }

    func stop() {
      queue.close()
      for thread in threads { thread.join() }
    }
  }

  /// The pools by lane; lanes may share one.
  private let pools: [Pool]
  private let distinctPools: [Pool]

  /// Starts the threads of all lanes; at most `capacity` jobs of a lane wait at once.
  package init(_ counts: ThreadCounts, capacity: Int = 16_384) {
    pools = Lane.allCases.map { lane in
      Pool(
        count: counts[lane],
        capacity: capacity,
        batch: lane == .reads ? JobQueue.batch : 1,
        standsBack: lane.standsBack
      )
    }
    distinctPools = pools
  }

  /// Starts so many threads that all lanes share, for jobs of any length: each thread takes one at a time.
  package init(count: Int, capacity: Int = 16_384) {
    let pool = Pool(count: count, capacity: capacity, batch: 1)
    pools = Lane.allCases.map { _ in pool }
    distinctPools = [pool]
  }

  /// Queues a job; false if the caller's share of the lane's queue is used up or the threads were
  /// stopped.
  ///
  /// - Parameter caller: Names the caller that takes turns with others; empty is the server itself.
  package func submit(
    to lane: Lane = .reads,
    caller: String = "",
    _ job: @escaping @Sendable () -> Void
  ) -> Bool { pools[lane.rawValue].queue.put(job, of: caller) }

  /// The state of a pool's threads now.
  package struct Figures: Sendable, Hashable {
    /// Jobs that wait for a thread.
    package let waiting: Int
    /// Threads that work on a job.
    package let busy: Int
    /// Jobs that were refused since the start, because the lane's queue or the caller's share of it
    /// was used up.
    package let refused: Int
  }

  /// The figures of a lane.
  package func figures(of lane: Lane) -> Figures { pools[lane.rawValue].figures }

  /// The number of jobs that wait for a thread.
  package var waiting: Int { distinctPools.reduce(0) { $0 + $1.queue.count } }

  /// Lets the queued jobs run, then ends the threads and returns.
  ///
  /// Jobs that these submit to other lanes during the stop may be refused.
  package func stop() {
    for pool in distinctPools { pool.stop() }
  }
}

extension ThreadCounts {
  fileprivate subscript(lane: EngineThreads.Lane) -> Int {
    switch lane {
    case .reads: reads
    case .scans: scans
    case .maintenance: maintenance
    case .files: files
    case .intake: intake
    }
  }
}
