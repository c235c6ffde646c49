import BaseRuntime
import Dispatch
import Synchronization

/// The queue of an engine's writes: writes that wait at the same time share one group, and one
/// sync.
///
/// **A group** takes the interactive writes that wait when it begins, in their order and up to a
/// bound of bytes, then background writes up to bounds of bytes and time, at least one. The bodies
/// run one after the other and see the earlier ones' writes; one that throws is rolled back alone.
/// When the group is durable, or has failed, all completions run in the order of the bodies, and
/// then the next group begins. If the group fails, every write whose body went well has failed with
/// it.
///
/// **Threads.** Any thread may submit. Bodies and completions run on one thread of the queue's own,
/// which starts with the first write. They must not wait for another write, and they must take no
/// lock of a thread that waits for one. No lock of the queue is held while they run or a group
/// lands.
///
/// **Leaders.** A write that comes while the queue has nothing to do may be written by the thread that
/// brings it, in a group of its own (`QueuedWrite.mayLead`): it saves two changes of threads, which
/// cost as much as a quick sync. Writes that come meanwhile wait for the queue's thread as usual, so
/// groups form behind a sync.
package final class WriteQueue<Writer: GroupWriter>: Sendable {
  private struct State {
    var interactive: [QueuedWrite] = []
    var background = WriteBacklog()
    var thread: StoreThread?
    /// True if the thread waits for `arrival`, or is about to, and no leader keeps it waiting.
    var isIdle = false
    /// The thread that writes a group of its own; the queue's thread waits meanwhile.
    var leader: ThreadID?
    var isClosed = false
  }

  private enum Work {
    case group
    case nothingYet
    case ended
  }

  private struct Outcome {
    let write: QueuedWrite
    var result: Result<Void, any Error>

    var isSuccess: Bool { (try? result.get()) != nil }
  }

  private let writer: Writer
  private let limits: GroupLimits
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())
  /// Signalled for a thread that is idle.
  private let arrival = DispatchSemaphore(value: 0)
  private let groupCount = Atomic<Int>(0)
  private let writeCount = Atomic<Int>(0)
  /// Odd while a group lands, and after one with an unknown outcome.
  private let landing = Atomic<Int>(0)
  /// The nanoseconds that the last group took to be on the disk.
  private let landingTime = Atomic<Int64>(.max)
  /// The moment at which it was there, in nanoseconds since `start`.
  private let landedAt = Atomic<Int64>(0)
  /// The moment until which no thread leads, in nanoseconds since `start`.
  private let restEnd = Atomic<Int64>(0)
  private let start: ContinuousClock.Instant

  private static func nanoseconds(_ time: Duration) -> Int64 { Int64(time / .nanoseconds(1)) }

  /// A queue that writes groups by `writer`, which has no other user.
  package init(
    _ writer: Writer,
    limits: GroupLimits = GroupLimits(),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.writer = writer
    self.limits = limits
    self.now = now
    start = now()
  }

  /// Adds a write; after `close()` it fails at once.
  package func submit(_ write: QueuedWrite) {
    if mayLead(write), beginLeading() { return lead(write) }
    let (isAccepted, mustWake) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      switch write.priority {
      case .interactive: state.interactive.append(write)
      case .background: state.background.append(write)
      }
      if state.thread == nil { state.thread = StoreThread { self.serve() } }
      defer { state.isIdle = false }
      return (true, state.isIdle)
    }
    if mustWake { arrival.signal() }
    if !isAccepted {
      write.completion(.failure(KeyValueError(.closed, "the storage engine was closed")))
    }
  }

  /// True if the caller runs in a body or completion, where it must not wait for a write.
  package var isCurrent: Bool {
    state.withLock { $0.thread?.isCurrent ?? false || $0.leader == .current }
  }

  /// True if nothing waits and no group is being written.
  package var isIdle: Bool { state.withLock { $0.isIdle } }

  /// Groups that were begun and writes that were in them.
  package var counts: (groups: Int, writes: Int) {
    (groupCount.load(ordering: .relaxed), writeCount.load(ordering: .relaxed))
  }

  /// `KeyValueEngine.stateMark` of the engine whose queue it is.
  package var stateMark: Int? {
    let mark = landing.load(ordering: .sequentiallyConsistent)
    return mark.isMultiple(of: 2) ? mark : nil
  }

  /// Runs the queued writes and ends the thread; further calls do no harm.
  package func close() {
    let (thread, mustWake, isLeader) = state.withLock { state in
      state.isClosed = true
      defer { (state.isIdle, state.thread) = (false, nil) }
      return (state.thread, state.isIdle, state.leader == .current)
    }
    if mustWake { arrival.signal() }
    guard let thread else { return }
    // A completion that drops an engine can't wait for the thread that runs it, nor a leader's for the
    // queue's thread, which waits for the leader.
    if thread.isCurrent || isLeader { thread.detach() } else { thread.join() }
  }
}

// On a leader's thread.
extension WriteQueue {
  private func mayLead(_ write: QueuedWrite) -> Bool {
    guard write.mayLead,
      landingTime.load(ordering: .relaxed) <= Self.nanoseconds(limits.leadersLanding),
      writer.takesLeaders
    else { return false }
    let time = Self.nanoseconds(now() - start)
    // A disk that was quick some time ago may be asleep, or full, by now.
    return restEnd.load(ordering: .relaxed) <= time
      && time - landedAt.load(ordering: .relaxed) <= Self.nanoseconds(limits.leadersMemory)
  }

  /// True, and the queue's thread waits, if there is nothing else to write.
  private func beginLeading() -> Bool {
    state.withLock { state in
      guard state.isIdle, !state.isClosed, state.interactive.isEmpty, state.background.isEmpty
      else { return false }
      state.isIdle = false
      state.leader = .current
      return true
    }
  }

  private func lead(_ write: QueuedWrite) {
    // The thread is about to wait for the disk.
    Handover.current?.deliver()
    var backlog = WriteBacklog()
    backlog.append(write)
    let begin = now()
    let outcomes = runGroup(&backlog, isShared: false)
    let end = now()
    // Its body read the disk, or the sync waited.
    if end - begin > limits.leadersLanding {
      restEnd.store(Self.nanoseconds(end - start + limits.leadersRest), ordering: .relaxed)
    }
    settle(outcomes)
    writer.settled()
    let mustWake = state.withLock { state in
      state.leader = nil
      let hasWork = !state.interactive.isEmpty || !state.background.isEmpty || state.isClosed
      state.isIdle = !hasWork
      return hasWork
    }
    if mustWake { arrival.signal() }
  }
}

// On the queue's thread.
extension WriteQueue {
  private func serve() {
    var backlog = WriteBacklog()
    while true {
      switch takeArrivals(into: &backlog) {
      case .group:
        settle(runGroup(&backlog, isShared: true))
        writer.settled()
      case .nothingYet: arrival.wait()
      case .ended: return
      }
    }
  }

  private func takeArrivals(into backlog: inout WriteBacklog) -> Work {
    state.withLock { state in
      backlog.append(taking: &state.interactive)
      if !backlog.isEmpty || !state.background.isEmpty { return .group }
      if state.isClosed { return .ended }
      state.isIdle = true
      return .nothingYet
    }
  }

  private func settle(_ outcomes: [Outcome]) {
    Handover.during { handover in
      for outcome in outcomes {
        outcome.write.completion(outcome.result)
        handover.deliverIfDue()
      }
    }
  }

  /// Writes a group; one that is not shared takes no background writes.
  private func runGroup(_ backlog: inout WriteBacklog, isShared: Bool) -> [Outcome] {
    groupCount.add(1, ordering: .relaxed)
    var outcomes: [Outcome] = []
    do {
      let group = try writer.beginGroup()
      do {
        try fill(group, from: &backlog, &outcomes)
        if isShared { try fillWithBackground(group, &outcomes) }
      } catch {
        writer.abandon(group)
        throw error
      }
      if outcomes.contains(where: \.isSuccess) {
        try land(group)
      } else {
        writer.abandon(group)
      }
    } catch {
      fail(&outcomes, with: error)
      if outcomes.isEmpty { outcomes = refuseAll(&backlog, isShared: isShared, error) }
    }
    writeCount.add(outcomes.count, ordering: .relaxed)
    return outcomes
  }

  private func land(_ group: Writer.Group) throws {
    let last = landing.load(ordering: .relaxed)
    let mark = last.isMultiple(of: 2) ? last + 1 : last + 2
    landing.store(mark, ordering: .sequentiallyConsistent)
    let begin = now()
    try writer.land(group)
    let end = now()
    landingTime.store(Self.nanoseconds(end - begin), ordering: .relaxed)
    landedAt.store(Self.nanoseconds(end - start), ordering: .relaxed)
    landing.store(mark + 1, ordering: .sequentiallyConsistent)
  }

  private func fill(
    _ group: Writer.Group,
    from backlog: inout WriteBacklog,
    _ outcomes: inout [Outcome]
  ) throws {
    while group.byteCount < limits.interactiveBytes, let write = backlog.takeFirst() {
      try run(write, in: group, &outcomes)
    }
  }

  private func fillWithBackground(_ group: Writer.Group, _ outcomes: inout [Outcome]) throws {
    let (before, start) = (group.byteCount, now())
    while group.byteCount - before < limits.backgroundBytes,
      let write = takeBackground()
    {
      try run(write, in: group, &outcomes)
      if now() - start >= limits.backgroundTime { return }
    }
  }

  private func run(
    _ write: QueuedWrite,
    in group: Writer.Group,
    _ outcomes: inout [Outcome]
  ) throws {
    do {
      outcomes.append(Outcome(write: write, result: try group.attempt(write.body)))
    } catch {
      outcomes.append(Outcome(write: write, result: .failure(error)))
      throw error
    }
  }

  /// Turns the successes of a group that failed into failures.
  private func fail(_ outcomes: inout [Outcome], with error: any Error) {
    for index in outcomes.indices where outcomes[index].isSuccess {
      outcomes[index].result = .failure(error)
    }
  }

  /// Refuses all waiting writes with the error for which no group could be begun; a leader its own.
  private func refuseAll(
    _ backlog: inout WriteBacklog,
    isShared: Bool,
    _ error: any Error
  ) -> [Outcome] {
    var refused: [Outcome] = []
    while let write = backlog.takeFirst() ?? (isShared ? takeBackground() : nil) {
      refused.append(Outcome(write: write, result: .failure(error)))
    }
    return refused
  }

  private func takeBackground() -> QueuedWrite? { state.withLock { $0.background.takeFirst() } }
}

/// Writes in their order, taken from the front.
private struct WriteBacklog {
  private var writes: [QueuedWrite] = []
  private var next = 0

  var isEmpty: Bool { next == writes.count }

  mutating func append(_ write: QueuedWrite) { writes.append(write) }

  /// Takes all of an array's writes and leaves it empty.
  mutating func append(taking others: inout [QueuedWrite]) {
    if writes.isEmpty {
      swap(&writes, &others)
    } else {
      writes += others
      others.removeAll(keepingCapacity: true)
    }
  }

  mutating func takeFirst() -> QueuedWrite? {
    guard next < writes.count else { return nil }
    defer {
      next += 1
      if next == writes.count { (writes, next) = ([], 0) }
    }
    return writes[next]
  }
}
