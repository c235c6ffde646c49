import BaseRuntime
import BaseStatus
import ServiceModule
import Synchronization

/// Long work on stored data that administrators start in the console: one at a time, the others wait.
///
/// The newest are kept with their findings, over restarts too. Work that was not finished when the
/// server ended has not happened or only in part, as with the commands.
package final class OperationJobs: Sendable {
  /// Does a job and returns its summary; a progress report may throw, which ends it.
  package typealias Work = @Sendable (_ tell: (StorageEvent) throws -> Void) throws -> String

  /// Thrown out of `tell` when a job is to end.
  private struct Cancelled: Error {}

  private struct State {
    var jobs: [OperationJob] = []
    var isClosed = false
  }

  private static let waiting = 8
  private static let differencesKept = 200

  private let state = Mutex(State())
  private let history: JobHistory
  private let threads = EngineThreads(count: 1, capacity: waiting)
  private let now: @Sendable () -> Int64

  /// Jobs by a clock in milliseconds since 1970, after those of a history once that is loaded.
  package init(_ history: JobHistory, now: @escaping @Sendable () -> Int64) {
    self.history = history
    self.now = now
  }

  /// Reads the jobs of the history; blocks.
  package func load() throws {
    let kept = try history.load()
    state.withLock { state in
      let started = Set(state.jobs.map(\.number))
      state.jobs.insert(contentsOf: kept.filter { !started.contains($0.number) }, at: 0)
    }
  }

  /// The jobs, the newest first.
  package var all: [OperationJob] { state.withLock { $0.jobs.reversed() } }

  /// Starts a job behind those that wait, once it is kept; RESOURCE_EXHAUSTED where too many do.
  ///
  /// Blocks.
  package func start(
    _ kind: String,
    _ target: String,
    _ work: @escaping Work
  ) throws -> OperationJob {
    let job = try history.add(kind, target, at: now())
    state.withLock { state in
      state.jobs.append(job)
      Self.trim(&state)
    }
    guard threads.submit({ self.run(job.number, work) }) else {
      state.withLock { state in state.jobs.removeAll { $0.number == job.number } }
      try history.remove(job.number)
      throw ServiceError(.resourceExhausted, "Too many jobs are pending. Try again later.")
    }
    return job
  }

  /// Ends a job at its next progress report, or before it begins; false if none with that number
  /// runs.
  package func cancel(_ number: Int) -> Bool {
    change(number) { job in
      guard job.state.isOpen else { return false }
      job.state = .cancelling
      return true
    } ?? false
  }

  /// Ends every job and the thread.
  package func stop() {
    state.withLock { $0.isClosed = true }
    threads.stop()
  }

  private func run(_ number: Int, _ work: Work) {
    do {
      try check(number)
      change(number) { if $0.state == .waiting { $0.state = .running } }
      let summary = try work { try self.note($0, of: number) }
      finish(number, .done, summary)
    } catch is Cancelled {
      finish(number, .cancelled, "")
    } catch {
      finish(number, .failed, (error as? ServiceError)?.message ?? "\(error)")
    }
  }

  private func finish(_ number: Int, _ end: OperationJob.State, _ summary: String) {
    let time = now()
    let ended = change(number) { job in
      job.state = end
      job.summary = summary
      job.ended = time
      return job
    }
    guard let ended, !state.withLock({ $0.isClosed }) else { return }
    do {
      try history.put(ended)
    } catch {
      change(number) { $0.summary += " (not kept: \(error))" }
    }
  }

  private func note(_ event: StorageEvent, of number: Int) throws {
    try check(number)
    change(number) { job in
      switch event {
      case .progress(let done, let total, let unit): job.progress = .init(done, total, unit)
      case .difference(let text):
        job.differenceCount += 1
        if job.differences.count < Self.differencesKept { job.differences.append(text) }
      // The job's summary lists the gaps of an export.
      case .omission: break
      }
    }
  }

  private func check(_ number: Int) throws {
    let isOver = state.withLock { state in
      state.isClosed || state.jobs.first { $0.number == number }?.state == .cancelling
    }
    if isOver { throw Cancelled() }
  }

  @discardableResult
  private func change<R>(_ number: Int, _ body: (inout OperationJob) -> R) -> R? {
    state.withLock { state in
      guard let index = state.jobs.firstIndex(where: { $0.number == number }) else { return nil }
      return body(&state.jobs[index])
    }
  }

  /// Forgets the oldest that are over.
  private static func trim(_ state: inout State) {
    while state.jobs.count > JobHistory.kept,
      let index = state.jobs.firstIndex(where: { !$0.state.isOpen })
    {
      state.jobs.remove(at: index)
    }
  }
}

/// A job as it is now.
package struct OperationJob: Sendable, Equatable {
  /// The state of a job.
  package enum State: String, Sendable {
    case waiting, running, cancelling, done, failed, cancelled
    /// The server ended before it did.
    case interrupted

    /// True if it has not ended.
    var isOpen: Bool { self == .waiting || self == .running || self == .cancelling }
  }

  /// So many of so many, where that is known, of a unit.
  package struct Progress: Sendable, Equatable {
    /// The count so far, in `unit`.
    package let done: Int
    /// The count at the end; nil where it is not known.
    package let total: Int?
    /// The name of the things counted, for people.
    package let unit: String

    init(_ done: Int, _ total: Int?, _ unit: String) {
      self.done = done
      self.total = total
      self.unit = unit
    }
  }

  /// The number, unique among the jobs that are kept, over restarts too.
  package let number: Int
  /// The kind of work: `verify`, `export`, `import`.
  package let kind: String
  /// The subject of the job, for people.
  package let target: String
  /// The time of the request, in milliseconds since 1970.
  package let time: Int64
  /// The state; a job never returns to an earlier one.
  package internal(set) var state = State.waiting
  /// The last progress that the work reported; nil before the first.
  package internal(set) var progress: Progress?
  /// The first differences, and how many there were.
  package internal(set) var differences: [String] = []
  /// The number of all differences, also of those not kept.
  package internal(set) var differenceCount = 0
  /// The result, or the reason for the failure.
  package internal(set) var summary = ""
  /// The end in milliseconds since 1970; nil while the job is open.
  package internal(set) var ended: Int64?

  init(number: Int, kind: String, target: String, time: Int64) {
    self.number = number
    self.kind = kind
    self.target = target
    self.time = time
  }
}
