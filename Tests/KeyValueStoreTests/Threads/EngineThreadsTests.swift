import Dispatch
import KeyValueStore
import Synchronization
import Testing

@testable import BaseRuntime

@Suite struct EngineThreadsTests {
  @Test func `a lane whose threads are all held holds up no other lane`() {
    let threads = EngineThreads(ThreadCounts(reads: 2))
    let gate = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)
    let scans = ThreadCounts(reads: 2).scans
    for _ in 0..<scans {
      let isTaken = threads.submit(to: .scans) {
        begun.signal()
        gate.wait()
      }
      #expect(isTaken)
    }
    for _ in 0..<scans { begun.wait() }
    let isQueued = threads.submit(to: .scans) {}
    let read = DispatchSemaphore(value: 0)
    let maintenance = DispatchSemaphore(value: 0)
    let isRead = threads.submit(to: .reads) { read.signal() }
    let isMaintained = threads.submit(to: .maintenance) { maintenance.signal() }
    #expect(isQueued && isRead && isMaintained)
    // Both return although every scanning thread is held: there is no time limit that could pass.
    read.wait()
    maintenance.wait()
    #expect(threads.figures(of: .scans) == .init(waiting: 1, busy: scans, refused: 0))
    for _ in 0..<scans { gate.signal() }
    threads.stop()
    #expect(threads.waiting == 0)
  }

  @Test func `callers take turns, and each one's jobs keep their order`() {
    let queue = JobQueue(capacity: 100)
    let ran = Mutex<[String]>([])
    for (caller, count) in [("a", 4), ("b", 2), ("c", 1)] {
      for number in 1...count {
        let isTaken = queue.put({ ran.withLock { $0.append("\(caller)\(number)") } }, of: caller)
        #expect(isTaken)
      }
    }
    queue.close()
    while let jobs = queue.take() { for job in jobs { job() } }
    #expect(ran.withLock { $0 } == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
  }

  @Test func `a caller has at most as many jobs waiting as there is room for others`() {
    let queue = JobQueue(capacity: 8, threads: 4)
    #expect((0..<8).filter { _ in Self.put(queue, "greedy") }.count == 4)
    #expect((0..<8).filter { _ in Self.put(queue, "second") }.count == 2)
    #expect(Self.put(queue, "third"))
    #expect(queue.count == 7)
    #expect(queue.take() != nil)
    #expect(!Self.put(queue, "greedy"))
    #expect(Self.put(queue, "third"))
    #expect(queue.figures == (waiting: 7, idle: 0, refused: 11))
  }

  private static func put(_ queue: JobQueue, _ caller: String) -> Bool { queue.put({}, of: caller) }

  @Test func `a thread takes several jobs where all have enough to do`() {
    let queue = JobQueue(capacity: 1_000, threads: 2)
    for _ in 0..<40 { #expect(Self.put(queue, "a") && Self.put(queue, "b")) }
    var taken: [Int] = []
    while queue.count > 0 { taken.append(queue.take()?.count ?? 0) }
    #expect(taken.reduce(0, +) == 80)
    #expect(taken.first == JobQueue.batch && taken.max() == JobQueue.batch)
    // The last jobs are for whoever comes first.
    #expect(taken.suffix(7) == [1, 1, 1, 1, 1, 1, 1])
  }

  @Test(arguments: [4, 6, 60])
  func `jobs that wait for each other run on as many threads, handed over together or not`(
    count: Int
  ) {
    for isTogether in [true, false] {
      let threads = EngineThreads(count: 4)
      let meeting = Meeting(of: 4)
      let submit = { for _ in 0..<count { _ = threads.submit { meeting.attend() } } }
      if isTogether { Handover.during { _ in submit() } } else { submit() }
      // Returns only if four of the jobs have run at the same time.
      threads.stop()
      #expect(meeting.attendants == count)
    }
  }

  /// Holds threads until so many have come; who comes later goes on at once.
  private final class Meeting: Sendable {
    private let size: Int
    private let count = Atomic<Int>(0)
    private let isComplete = DispatchSemaphore(value: 0)

    init(of size: Int) { self.size = size }

    var attendants: Int { count.load(ordering: .relaxed) }

    func attend() {
      let number = count.add(1, ordering: .relaxed).newValue
      if number == size { for _ in 1..<size { isComplete.signal() } }
      if number < size { isComplete.wait() }
    }
  }

  @Test func `a batch of jobs wakes a thread before the work that submits them ends`() {
    let threads = EngineThreads(count: 1)
    let ran = DispatchSemaphore(value: 0)
    Handover.during { _ in
      for _ in 0..<2 * JobQueue.batch {
        let isTaken = threads.submit { ran.signal() }
        #expect(isTaken)
      }
      ran.wait()
    }
    threads.stop()
  }

  @Test func `jobs of random callers all run once and in each caller's order`() {
    var random = SystemRandomNumberGenerator()
    let threads = EngineThreads(count: 1, capacity: 1_000_000)
    let ran = Mutex<[Int: [Int]]>([:])
    var sent: [Int: Int] = [:]
    for _ in 0..<5_000 {
      let caller = Int.random(in: 0..<20, using: &random)
      let number = sent[caller, default: 0]
      sent[caller] = number + 1
      let lane = EngineThreads.Lane.allCases.randomElement(using: &random) ?? .reads
      let isTaken = threads.submit(to: lane, caller: "\(caller)") {
        ran.withLock { $0[caller, default: []].append(number) }
      }
      #expect(isTaken)
    }
    threads.stop()
    for (caller, count) in sent {
      #expect(ran.withLock { $0[caller] } == Array(0..<count))
    }
    let isTaken = threads.submit {}
    #expect(!isTaken)
  }

  @Test func `a job that does not fit is refused with its own error`() async {
    let threads = EngineThreads(count: 1, capacity: 1)
    let gate = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)
    let isHeld = threads.submit {
      begun.signal()
      gate.wait()
    }
    Self.wait(begun)
    let isQueued = threads.submit {}
    #expect(isHeld && isQueued)
    let refusal = await Self.refusal(of: threads)
    #expect(refusal?.code == .overloaded)
    gate.signal()
    threads.stop()
  }

  private static func refusal(of threads: EngineThreads) async -> KeyValueError? {
    do {
      try await threads.run {}
      return nil
    } catch {
      return error as? KeyValueError
    }
  }

  private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test(arguments: [
    (1, 4, 2, 8), (2, 4, 2, 8), (4, 8, 4, 16), (16, 32, 16, 64), (64, 64, 32, 64),
  ])
  func `the counts follow the cores`(cores: Int, reads: Int, scans: Int, files: Int) {
    let counts = ThreadCounts(cores: cores)
    #expect(counts.reads == reads && counts.scans == scans && counts.maintenance == 1)
    #expect(counts.files == files && counts.intake == min(cores, 32))
  }
}
