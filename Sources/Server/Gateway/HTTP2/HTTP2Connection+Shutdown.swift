import NIOCore
import NIOHTTP2

/// The end of connections: at a stop, when they rest, and when the client has to go.
extension HTTP2Connection {
  /// The time between the announcement of the end and the refusal of new streams.
  private static let announcement = TimeAmount.milliseconds(100)

  /// Ends the connection of a client that floods it with frames.
  func refuseFlood() {
    guard !isEnded else { return }
    environment.logger.debug(
      "connection closed: the client sends too many control frames",
      metadata: ["connection": "\(String(number, radix: 36))"]
    )
    lane.writeGoAway(lastStreamID: lastStreamID, .enhanceYourCalm)
    closeNow()
  }

  /// Ends a connection that rests, for another one.
  func makeWay() {
    lane.writeGoAway(lastStreamID: lastStreamID, .noError)
    closeNow()
  }

  /// Closes the connection with what was written, and gives up all that it was doing.
  func closeNow() {
    shutdown = .closing
    lane.stopReading()
    end()
    context?.close(promise: nil)
  }

  /// Announces the end now and refuses new streams a little later, when those in flight have
  /// arrived.
  ///
  /// The first GOAWAY names the highest stream there can be, the second the last one that came (RFC
  /// 9113, section 6.8): a stream that crosses the first on its way is served.
  func finishGracefully() {
    advanceShutdown()
    guard let context else { return }
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.announcement) {
      self.advanceShutdown()
    }
  }

  /// Notifies the client that the server stops; `closing` refuses streams after that.
  private func advanceShutdown() {
    switch shutdown {
    case .none:
      shutdown = .announced
      writeGoAway(lastStreamID: .maxID)
      for stream in streams.values { stream.drain() }
    case .announced:
      shutdown = .closing
      writeGoAway(lastStreamID: lastStreamID)
      closeIfDrained()
    case .closing:
      return
    }
    flushUnlessReading()
  }

  private func writeGoAway(lastStreamID: HTTP2StreamID) {
    lane.writeGoAway(lastStreamID: lastStreamID, .noError)
    makeDirty()
  }

  /// Closes the channel when the client knows of the end and no stream is left.
  func closeIfDrained() {
    guard shutdown == .closing, streams.isEmpty, let context else { return }
    context.flush()
    context.channel.closeWhenWritten()
  }

  // MARK: Idleness

  /// Has the timer look at a connection that has no stream.
  func watchIdleness() {
    if let idleEnd { wake(at: idleEnd) }
  }

  /// Notes that the last stream is gone.
  func noteIdleness() {
    guard idleSince == nil, streams.isEmpty else { return }
    idleSince = .now()
    activity.rest()
    watchIdleness()
  }

  /// The time at which a connection without a stream ends; nil while it has one.
  private var idleEnd: NIODeadline? {
    let limits = environment.limits
    let limit = lastStreamID == .rootStream ? limits.headTimeout : limits.idleTimeout
    return idleSince.map { $0 + TimeAmount(limit) }
  }

  /// Ends a connection that has had no stream for too long, or sets the timer for it.
  func expireIdleness(_ now: NIODeadline) {
    guard let idleEnd, case .none = shutdown else { return }
    if idleEnd <= now { finishGracefully() } else { wake(at: idleEnd) }
  }
}
