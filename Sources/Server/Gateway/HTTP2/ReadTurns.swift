import NIOCore

/// The connections of one event loop that have more to read than one turn takes, served by turns.
///
/// The data of each client is processed for a short time, one connection after another. So a client
/// that sends as fast as it can delays others by a share of `round`, not by all that its buffers
/// hold. Turns are measured in time and not in frames, since frames of one size cost a hundredfold
/// or nothing. On the event loop only.
final class ReadTurns {
  /// Something that waits for its turn.
  protocol Taker: AnyObject {
    /// Reads on, or waits for another turn.
    func takeTurn()
  }

  /// The approximate time of a round through all waiting connections.
  private static let round = TimeAmount.milliseconds(1)
  /// The shortest turn: a round is longer where more connections wait than it has room for.
  private static let leastTurn = TimeAmount.microseconds(40)
  /// The time between two rounds, in which the loop looks at its sockets.
  private static let pause = TimeAmount.microseconds(20)

  private let eventLoop: any EventLoop
  /// The counted time of turns since the loop last did its other work.
  private var used = TimeAmount.zero
  private var waiting: CircularBuffer<any Taker> = []
  private var isScheduled = false

  init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// The length of a turn that begins now.
  ///
  /// - Parameter isCounted: True for a connection that makes much work without effect. Such connections
  ///   share one round when they become readable together too, before any of them waits.
  func turn(isCounted: Bool) -> TimeAmount {
    let share = TimeAmount.nanoseconds(Self.round.nanoseconds / Int64(waiting.count + 1))
    return max(Self.leastTurn, isCounted ? min(share, Self.round - used) : share)
  }

  /// True if the round has time left.
  var hasTime: Bool { used < Self.round }

  /// Counts the time that a turn has taken, until the loop has done its other work.
  func count(_ time: TimeAmount) {
    if used == .zero { eventLoop.assumeIsolated().execute { self.used = .zero } }
    used = used + time
  }

  /// Queues for a turn, after those that are queued already.
  func append(_ taker: any Taker) {
    waiting.append(taker)
    schedule()
  }

  /// Schedules a round for the time after the loop has looked at its sockets.
  ///
  /// It does so only when nothing is left of its immediate tasks, those included that they add. A
  /// round begins before that only if other immediate tasks take longer than the pause.
  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    let eventLoop = eventLoop.assumeIsolated()
    eventLoop.execute { _ = eventLoop.scheduleTask(in: Self.pause) { self.serve() } }
  }

  /// A turn for each that is queued, as far as a round's time goes; the loop does its other work
  /// between two rounds.
  private func serve() {
    for _ in 0..<waiting.count where hasTime { waiting.popFirst()?.takeTurn() }
    isScheduled = false
    if !waiting.isEmpty { schedule() }
  }
}
