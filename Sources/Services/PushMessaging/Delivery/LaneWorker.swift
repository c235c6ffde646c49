import KeyValueStore
import Synchronization

/// Sends the due deliveries in the lanes of one transport, a bounded number at once.
///
/// The queue is in the store; memory has only the deliveries in flight and the position in each
/// lane. New entries come behind the position, except those with a write that took longer than
/// their delay: every half minute the lanes are read from their beginnings.
package final class LaneWorker: Sendable {
  private struct State {
    var underWay: Set<[UInt8]> = []
    /// The last key read, by lane.
    var positions: [Lane: [UInt8]] = [:]
    var reread: ContinuousClock.Instant
    /// True from an outcome that the store refused until it keeps one: the queue is read well meanwhile.
    var losesOutcomes = false
  }

  private let service: PushService
  private let channel: PushChannel
  private let transport: any PushTransport
  private let outcomes: OutcomeWriter
  private let report: QueueReport
  private let state = Mutex(State(reread: .now))

  private static let rereading = Duration.seconds(30)
  /// The time for which a few free slots wait to be more, so that they are filled by one read.
  private static let gathering = Duration.milliseconds(20)
  /// The longest wait between two attempts, in seconds.
  private static let longestBackoff = 600.0

  /// A worker for a way.
  ///
  /// - Parameter report: Receives failures of the store, and reads of the queue that went well.
  package init(
    _ service: PushService,
    _ channel: PushChannel,
    _ transport: any PushTransport,
    report: @escaping QueueReport
  ) {
    self.service = service
    self.channel = channel
    self.transport = transport
    outcomes = OutcomeWriter(service)
    self.report = report
  }

  /// Works until its task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do {
          let jobs = try await take()
          for job in jobs { group.addTask { await self.work(job) } }
          if isBusy {
            await service.signals.lanes(channel).wait(atMost: Self.gathering)
          } else if jobs.isEmpty {
            await service.signals.lanes(channel).wait(atMost: .seconds(1))
          }
        } catch {
          report(error)
          await service.signals.lanes(channel).wait(atMost: .seconds(1))
        }
      }
    }
  }

  /// Hands over everything that is due now and waits for it; for tests.
  package func drain() async throws {
    while true {
      let jobs = try await take()
      guard !jobs.isEmpty else { return }
      await withDiscardingTaskGroup { group in
        for job in jobs { group.addTask { await self.work(job) } }
      }
    }
  }

  // MARK: What is due

  /// Slots that are worth a read.
  private var batch: Int { max(service.limits.underWay(channel) / 4, 1) }

  /// True if too few slots are free for a read.
  private var isBusy: Bool {
    state.withLock { service.limits.underWay(channel) - $0.underWay.count < batch }
  }

  /// Takes what is due, and reports that all goes well unless the store refused the last outcome.
  private func take() async throws -> [LaneJob] {
    let jobs = try await due()
    if !state.withLock({ $0.losesOutcomes }) { report(nil) }
    return jobs
  }

  /// Takes due messages: of the free slots one in eight is for normal messages while there are any.
  private func due() async throws -> [LaneJob] {
    let (free, isWhole) = state.withLock { state in
      if state.reread + Self.rereading < .now { (state.positions, state.reread) = ([:], .now) }
      let isWhole = state.positions.isEmpty && state.underWay.isEmpty
      return (service.limits.underWay(channel) - state.underWay.count, isWhole)
    }
    guard free > 0 else { return [] }
    let normal = try await due(Lane(channel, .normal), atMost: max(free / 8, 1))
    let high = try await due(Lane(channel, .high), atMost: free - normal.count)
    if isWhole, normal.isEmpty, high.isEmpty {
      // Nothing waits for an outcome any more, as where its registration ended meanwhile.
      state.withLock { $0.losesOutcomes = false }
    }
    let rest = free - normal.count - high.count
    guard rest > 0 else { return high + normal }
    return high + normal + (try await due(Lane(channel, .normal), atMost: rest))
  }

  private func due(_ lane: Lane, atMost limit: Int) async throws -> [LaneJob] {
    guard limit > 0 else { return [] }
    let now = service.now
    let upTo = try await service.laneTime()
    let (position, underWay) = state.withLock { ($0.positions[lane], $0.underWay) }
    let jobs = try await service.read(on: .scans) { reader in
      let range = Self.range(lane, after: position, upTo: upTo)
      return try Self.read(range, skipping: underWay, now: now, limit, reader)
    }
    state.withLock { state in
      for job in jobs { state.underWay.insert(job.key) }
      if let last = jobs.last { state.positions[lane] = last.key }
    }
    return jobs
  }

  private static func range(_ lane: Lane, after position: [UInt8]?, upTo time: Int64) -> KeyRange {
    let prefix = MessagingKey(.lane, bytes: [lane.rawValue])
    let upper = prefix.number(time + 1).bytes
    let lower = position.map { $0 + [0] } ?? prefix.bytes
    return KeyRange(lower: KeyOrder.compare(lower, upper) < 0 ? lower : upper, upper: upper)
  }

  private static func read(
    _ range: KeyRange,
    skipping underWay: Set<[UInt8]>,
    now: Int64,
    _ limit: Int,
    _ reader: any KeyValueReader
  ) throws -> [LaneJob] {
    let cursor = try reader.cursor(over: range, reversed: false)
    var jobs: [LaneJob] = []
    var batch = LaneBatch()
    while jobs.count < limit, try cursor.next() {
      let key = Array(cursor.key)
      guard !underWay.contains(key) else { continue }
      let entry = try ProjectValue(decoding: cursor.value)
      let id = try MessagingKey.number(in: cursor.key, fromEnd: 1)
      let number = try MessagingKey.number(in: cursor.key)
      jobs.append(try LaneJob(key, entry, (id, number), &batch, now: now, reader))
    }
    return jobs
  }

  // MARK: Handing over

  private func work(_ job: LaneJob) async {
    do {
      switch job.action {
      case .hand(let parcel): try await settle(job, await transport.hand(parcel))
      case .settle(let state, let reason): try await move(job, to: state, reason)
      case .drop: try await outcomes.keep(.init(job: job, state: nil, reason: nil))
      }
      state.withLock { $0.losesOutcomes = false }
    } catch {
      state.withLock { $0.losesOutcomes = true }
      report(error)
    }
    let mayRead = state.withLock { state in
      state.underWay.remove(job.key)
      return service.limits.underWay(channel) - state.underWay.count == batch
    }
    if mayRead { service.signals.lanes(channel).signal() }
  }

  private func settle(_ job: LaneJob, _ outcome: PushOutcome) async throws {
    switch outcome {
    case .handed: try await move(job, to: .handed)
    case .refused(let reason): try await move(job, to: .refused, reason)
    case .unauthorized(let reason): try await move(job, to: .refused, "unauthorized: \(reason)")
    case .gone where job.isForActivity: try await move(job, to: .refused, "activity-ended")
    case .gone(let since):
      guard since.map({ $0 > job.renewed }) ?? true else {
        return try await move(job, to: .refused, "gone-before-renewal")
      }
      try await end(job)
    case .retry(let delay, let reason): try await postpone(job, delay, reason)
    }
  }

  private func move(
    _ job: LaneJob,
    to state: Delivery.State,
    _ reason: String? = nil
  ) async throws {
    try await outcomes.keep(.init(job: job, state: state, reason: reason))
  }

  private func end(_ job: LaneJob) async throws {
    let reason = "\(channel.name)-gone"
    try await service.writeDeliveries { book in
      try book.move(job.project, job.message, job.registration, to: .gone, reason: reason)
      guard let known = try Registration.read(job.project, job.registration, book.group),
        known.renewed == job.renewed
      else { return }
      try PushService.end(known, reason: reason, &book)
    }
  }

  private func postpone(
    _ job: LaneJob,
    _ delay: Duration?,
    _ reason: String
  ) async throws {
    let seconds = delay.map { Double($0.components.seconds) } ?? Self.backoff(job.attempt)
    let due = service.now + Int64(max(seconds, 0.001) * 1_000_000)
    guard due <= job.deadline else { return try await move(job, to: .expired, reason) }
    service.figures.retries.add(1, ordering: .relaxed)
    _ = try await service.writeDeliveries { book in
      try book.postpone(
        job.project,
        job.message,
        job.registration,
        until: due,
        attempt: job.attempt,
        reason: reason
      )
    }
  }

  /// Seconds before the next attempt: doubled each time, with full jitter.
  private static func backoff(_ attempt: Int64) -> Double {
    let highest = min(longestBackoff, Double(1 << min(attempt, 12)))
    return Double.random(in: 0.5...highest)
  }
}
