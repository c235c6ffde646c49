import NIOCore

/// The connections of one event loop that have more to read than one turn takes, served by turns.
///
/// The data of each client is processed for a short time, one connection after another. So a client
/// that sends as fast as it can delays others by a share of `round`, not by all that its buffers
/// hold. Turns are measured in time and not in frames, since frames of one size cost a hundredfold
/// or nothing. On the event loop only.
final class ReadTurns {
  /// The approximate time of a round through all waiting connections.
  private static let round = TimeAmount.milliseconds(1)
  /// The shortest turn: a round is longer where more connections wait than it has room for.
  private static let leastTurn = TimeAmount.microseconds(40)

  private let eventLoop: any EventLoop
  private var waiting: CircularBuffer<AnswerLane> = []
  private var isScheduled = false

  init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// The time at which a turn that begins now is over.
  var endOfTurn: NIODeadline {
    let share = Self.round.nanoseconds / Int64(waiting.count + 1)
    return .now() + max(Self.leastTurn, .nanoseconds(share))
  }

  /// Queues the lane for a turn, after those that are queued already.
  func append(_ lane: AnswerLane) {
    waiting.append(lane)
    guard !isScheduled else { return }
    isScheduled = true
    eventLoop.assumeIsolated().execute { self.serve() }
  }

  /// One turn for each queued lane; the loop does its other work between two rounds.
  private func serve() {
    isScheduled = false
    for _ in 0..<waiting.count { waiting.popFirst()?.takeTurn() }
  }
}
