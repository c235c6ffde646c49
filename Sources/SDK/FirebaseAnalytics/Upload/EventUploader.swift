import FirebaseCore
import Foundation
import Locking

/// Sends the events of a log in batches, each until the server has it.
///
/// A batch is in the log, under its number, before it is sent, and after a lost response goes out
/// again as the same one. One process sends at a time; the lock that says which ends with its
/// process. A task runs while events wait.
final class EventUploader: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    /// The wait for more events, which may be cut short.
    var pause: Task<Void, Never>?
    /// A request has arrived since the task last looked.
    var isWanted = false
    var isUrgent = false
    var isStopped = false
    var failures = 0
  }

  private enum Step {
    case sent
    case idle
    case wait(seconds: TimeInterval)
  }

  private struct Ready: Sendable {
    let batch: EventBatch
    let number: Int64
  }

  /// Events of one batch.
  private static let batchSize = 25
  /// Seconds in which more events may come before a batch goes out.
  private static let collectingTime = 15.0
  /// The seconds of the first wait after a failure, and of the longest.
  private static let backoff = (first: 1.0, longest: 300.0)

  private let log: EventLog
  private let lease: LogFile
  private let backend: EventBackend
  private let instanceID: @Sendable (AnalyticsSettings) throws -> String
  private let token: @Sendable () async -> String?
  private let isEnabled: @Sendable (AnalyticsSettings) -> Bool
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (TimeInterval) async throws -> Void
  private let state = Lock(State())

  /// An uploader of a log, with the file by which processes agree on the sender; `token` returns
  /// that of the installation, or nil if it has none now.
  init(
    log: EventLog,
    lease: LogFile,
    backend: EventBackend,
    instanceID: @escaping @Sendable (AnalyticsSettings) throws -> String,
    token: @escaping @Sendable () async -> String?,
    isEnabled: @escaping @Sendable (AnalyticsSettings) -> Bool,
    now: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void
  ) {
    self.log = log
    self.lease = lease
    self.backend = backend
    self.instanceID = instanceID
    self.token = token
    self.isEnabled = isEnabled
    self.now = now
    self.sleep = sleep
  }

  /// Sends queued events: soon, or at once, but not before the end of a wait after a failure.
  func wake(urgently isUrgent: Bool) {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isWanted = true
      state.isUrgent = state.isUrgent || isUrgent
      if isUrgent { state.pause?.cancel() }
      if state.task == nil { state.task = Task { await self.run() } }
    }
  }

  /// Returns when nothing waits, or nothing more is sent.
  func waitUntilIdle() async {
    while let task = state.withLock({ $0.isStopped ? nil : $0.task }) { await task.value }
  }

  /// Sends no more.
  func stop() {
    let task = state.withLock { state in
      state.isStopped = true
      return state.task
    }
    task?.cancel()
  }

  private func run() async {
    await collect()
    while !Task.isCancelled {
      switch await step() {
      case .sent: continue
      case .idle: if !isWantedAgain() { return }
      case .wait(let seconds): await wait(seconds)
      }
    }
  }

  /// Returns true if another upload was requested in the meantime; otherwise the task has ended.
  private func isWantedAgain() -> Bool {
    state.withLock { state in
      defer { state.isWanted = false }
      if !state.isWanted { state.task = nil }
      return state.isWanted
    }
  }

  /// Waits for more events, unless it is urgent.
  private func collect() async {
    let pause = state.withLock { state -> Task<Void, Never>? in
      guard !state.isUrgent else { return nil }
      state.pause = Task { await self.wait(Self.collectingTime) }
      return state.pause
    }
    await pause?.value
    state.withLock { ($0.pause, $0.isUrgent) = (nil, false) }
  }

  private func wait(_ seconds: TimeInterval) async {
    do { try await sleep(seconds) } catch {}
  }

  /// Sends one batch.
  private func step() async -> Step {
    do {
      guard try lease.tryLock() else { return .wait(seconds: Self.collectingTime) }
      defer { lease.unlock() }
      // Before the batch: the server may give the installation another id with its first token.
      let token = try namesInstallation() ? await token() : nil
      guard let ready = try nextBatch() else { return .idle }
      let outcome = await backend.send(ready.batch, token: token)
      if Task.isCancelled { return .idle }
      return try finish(ready.number, outcome)
    } catch {
      note("The events cannot be read or written: \(error)")
      return .wait(seconds: Self.backoff.longest)
    }
  }

  /// Returns true if the next batch names its installation; without consent nothing does, a token neither.
  private func namesInstallation() throws -> Bool {
    try log.update { editor in
      guard let next = editor.contents.waiting.first else { return false }
      return isEnabled(editor.contents.settings) && !next.context.isAnonymous
    }
  }

  /// The batch that is to be sent, made where there is none; nil where nothing waits.
  private func nextBatch() throws -> Ready? {
    let ready = try log.update { editor -> Ready? in
      guard isEnabled(editor.contents.settings) else { return nil }
      if editor.contents.batch == nil {
        let count = editor.contents.nextBatchCount(limit: Self.batchSize)
        guard count > 0 else { return nil }
        let next = editor.contents.settings.nextBatch
        try editor.append(.batch(number: next > 0 ? next : millis, count: count))
      }
      guard let batch = editor.contents.batch else { return nil }
      let content = EventBatch(
        number: batch.number,
        events: editor.contents.batchEvents,
        instanceID: try instanceID(editor.contents.settings),
        secret: editor.contents.settings.instanceSecret,
        sentTimeMillis: millis
      )
      return Ready(batch: content, number: batch.number)
    }
    // A number that a power cut took back could name other events the next time.
    if ready != nil { try log.sync() }
    return ready
  }

  private var millis: Int64 { Int64(now().timeIntervalSince1970 * 1_000) }

  private func finish(_ number: Int64, _ outcome: EventBackend.Outcome) throws -> Step {
    switch outcome {
    case .accepted(let remarks):
      for remark in remarks { note("The server has dropped \(remark)") }
    case .refused(let status, let text):
      note("A batch of events was discarded: the server responded with \(status): \(text)")
    case .failed(let seconds): return .wait(seconds: waitAfterFailure(atLeast: seconds ?? 0))
    }
    state.withLock { $0.failures = 0 }
    try log.update { try $0.append(.finished(number: number)) }
    return .sent
  }

  private func waitAfterFailure(atLeast seconds: TimeInterval) -> TimeInterval {
    let failures = state.withLock { state in
      state.failures += 1
      return state.failures
    }
    let full = min(Self.backoff.first * pow(2, Double(min(failures, 20))), Self.backoff.longest)
    return max(full * Double.random(in: 0.5...1), min(seconds, 3_600))
  }

  private func note(_ text: String) { EventRules.log(text) }
}
