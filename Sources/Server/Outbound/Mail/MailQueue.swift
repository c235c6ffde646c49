import Authentication
import Logging
import Synchronization

/// Messages on their way: taken at once, delivered in the background, retried a few times.
///
/// At most `capacity` messages wait; further ones are refused. Messages live in memory and never in
/// the store, which holds no code that works: a reader of a copy of it must not be able to take
/// over accounts. At a stop every message that waits is tried once more; a message that is not
/// delivered then, or after the last attempt, is in the log as an error. The log has the
/// recipient's domain and the reason of a failure, never the message.
package final class MailQueue: Mailer {
  private struct State {
    /// Taken and not begun.
    var new: [Mail] = []
    /// Taken and neither delivered nor given up.
    var count = 0
    var isClosed = false
    /// The time at which the attempts of a stop are over.
    var end: ContinuousClock.Instant?
  }

  private let transport: SMTPTransport
  private let state = Mutex(State())
  /// Says that there is something new.
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let capacity: Int
  private let turns = Turns(8)
  private let log: Logger
  private let delays: [Duration]

  /// The time that the attempts at a stop may take, all together.
  private static let farewell = Duration.seconds(3)

  /// A queue in front of that transport; `run` delivers.
  package init(
    transport: SMTPTransport,
    capacity: Int = 1_000,
    delays: [Duration] = [.seconds(5), .seconds(60), .seconds(600)],
    log: Logger
  ) {
    self.transport = transport
    self.capacity = capacity
    self.delays = delays
    self.log = log
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Queues an email and returns at once.
  ///
  /// Throws `AccountError` for a recipient that is no plain address and for a full queue. Throws `OutboundError`
  /// while the server stops, and for a subject that is not one line of at most 500 bytes.
  package func post(_ mail: Mail) throws {
    guard MailAddress(mail.recipient) != nil else {
      throw AccountError(.init(rawValue: "INVALID_RECIPIENT_EMAIL"))
    }
    guard MailText.isOneLine(mail.subject) else {
      throw OutboundError(.refused, "the email's subject must be one plain line")
    }
    try state.withLock { state in
      guard !state.isClosed else { throw OutboundError(.overloaded, "the server is stopping") }
      guard state.count < capacity else {
        throw AccountError(
          .init(rawValue: "QUOTA_EXCEEDED"),
          "Too many emails are queued. Try again later."
        )
      }
      state.count += 1
      state.new.append(mail)
    }
    signal.yield()
  }

  /// Delivers messages until the task is cancelled, some at a time; returns when none waits any more.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for await _ in signals { begin(&group, isLast: false) }
      begin(&group, isLast: true)
    }
  }

  /// Takes no more messages; `run` returns once those that wait are delivered or given up.
  package func finish() { signal.finish() }

  private func begin(_ group: inout DiscardingTaskGroup, isLast: Bool) {
    let new = state.withLock { state in
      defer { state.new = [] }
      if isLast { state.isClosed = true }
      return state.new
    }
    for mail in new {
      group.addTask {
        await self.deliver(mail)
        self.state.withLock { $0.count -= 1 }
      }
    }
  }

  private func deliver(_ mail: Mail) async {
    var attempts = 0
    for delay in delays.map(Optional.some) + [nil] {
      attempts += 1
      guard let problem = await attempt(mail) else { return }
      guard let delay, (problem as? OutboundError)?.code != .refused, !Task.isCancelled else {
        return giveUp(mail, problem, attempts)
      }
      note(
        .warning,
        "an email was not delivered and will be retried",
        mail,
        problem,
        ["after": "\(delay)"]
      )
      do {
        try await Task.sleep(for: delay)
      } catch {
        if let problem = await attempt(mail) { giveUp(mail, problem, attempts + 1) }
        return
      }
    }
  }

  /// Tries to deliver a message; returns the error, or nil when it was delivered.
  private func attempt(_ mail: Mail) async -> (any Error)? {
    await turns.enter()
    defer { turns.leave() }
    let left = Task.isCancelled ? timeLeft() : nil
    if let left, left <= .zero { return OutboundError(.overloaded, "the server stops") }
    do {
      try await transport.deliver(mail, within: left)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the time that a stop still leaves; it begins with the first call.
  private func timeLeft() -> Duration {
    state.withLock { state in
      let end = state.end ?? .now + Self.farewell
      state.end = end
      return end - .now
    }
  }

  private func giveUp(_ mail: Mail, _ problem: any Error, _ attempts: Int) {
    note(
      .error,
      "an email was not delivered and will not be retried",
      mail,
      problem,
      ["attempts": "\(attempts)"]
    )
  }

  private func note(
    _ level: Logger.Level,
    _ event: Logger.Message,
    _ mail: Mail,
    _ problem: any Error,
    _ more: Logger.Metadata
  ) {
    let domain = mail.recipient.split(separator: "@").last ?? ""
    var metadata: Logger.Metadata = ["domain": "\(domain)", "error": "\(problem)"]
    metadata.merge(more) { kept, _ in kept }
    log.log(level: level, event, metadata: metadata)
  }
}

/// Lets a number of tasks work at a time; the others wait for their turn.
private final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
