import NIOCore
import NIOHTTP2

/// Pacing by the client's reading, and the connection's one timer.
extension HTTP2Connection {
  /// Starts the call now, or when the client has read enough of the responses before it.
  func startWhenReaderAllows(_ call: GRPCCall) {
    if unwrittenBytes < environment.limits.bufferedResponseBytes, delayedCalls.isEmpty {
      call.start()
    } else {
      delayedCalls.append(call)
    }
  }

  func startDelayedCalls() {
    while unwrittenBytes < environment.limits.bufferedResponseBytes,
      let call = delayedCalls.popFirst()
    {
      call.start()
    }
  }

  /// Remembers a call whose service waits for room.
  func pause(_ call: StreamingCall, on id: HTTP2StreamID) {
    pausedCalls[id] = call
  }

  /// Lets the services that waited for room on the connection continue, once half of it is free.
  func resumePausedCalls() {
    guard !pausedCalls.isEmpty,
      streamedBytes.load(ordering: .relaxed) < environment.limits.bufferedResponseBytes / 2
    else { return }
    for (id, call) in pausedCalls where call.wantsToContinue {
      pausedCalls[id] = nil
      continueLater(call)
    }
  }

  /// Has the stream produce more on the loop's next turn, outside the write that made room.
  func continueLater(_ stream: any ConnectionStream) {
    streamsToContinue.append(stream)
    guard streamsToContinue.count == 1, let context else { return }
    context.eventLoop.assumeIsolated().execute { self.continueStreams() }
  }

  private func continueStreams() {
    let streams = streamsToContinue
    streamsToContinue = []
    for stream in streams { stream.continueWriting() }
    startDelayedCalls()
    flushUnlessReading()
  }

  /// Makes sure that the timer fires by then.
  func wake(at deadline: NIODeadline) {
    guard let context else { return }
    if let wake {
      guard deadline < wake.at else { return }
      wake.task.cancel()
    }
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      self.wake = nil
      self.expireCalls()
    }
    wake = (deadline, task)
  }

  /// Has the timer look after a client that was given something to read.
  func watchReader() {
    lastProgress = .now()
    wake(at: lastProgress + TimeAmount(environment.limits.stalledReaderTimeout))
  }

  /// Ends calls whose deadline passed, drops a stalled reader and sets the timer for the next.
  private func expireCalls() {
    let now = NIODeadline.now()
    expireIdleness(now)
    if unwrittenBytes > 0 || stalledBytes > 0 {
      let stalled = lastProgress + TimeAmount(environment.limits.stalledReaderTimeout)
      guard now < stalled else {
        environment.logger.info(
          "connection closed: the client stopped reading",
          metadata: ["connection": "\(number)"]
        )
        closeNow()
        return
      }
      wake(at: stalled)
    }
    for stream in Array(streams.values) {
      guard let deadline = stream.deadline else { continue }
      if deadline <= now { stream.expire() } else { wake(at: deadline) }
    }
    flushUnlessReading()
  }
}

/// Called during a write, by the HTTP/2 layer and the lane: nothing may be written from here.
extension HTTP2Connection: NIOHTTP2FrameDelegate {
  func wroteFrame(_ frame: HTTP2Frame) {
    switch frame.payload {
    case .headers(let payload): if payload.endStream { wroteEnd(of: frame.streamID) }
    case .rstStream(let code): if code != .noError { countReset() }
    case .data, .priority, .settings, .pushPromise, .ping, .goAway, .windowUpdate,
      .alternativeService, .origin:
      return
    }
  }

  private func wroteEnd(of id: HTTP2StreamID) {
    guard let stream = streams[id] else { return }
    stream.endLeft()
    if stream.wantsToContinue { continueLater(stream) }
  }

  /// A part of a response left that had waited.
  func wroteData(_ size: Int, of stream: any ConnectionStream) {
    unwrittenBytes -= size
    stream.unwrittenBytes -= size
    account.release(size, for: .response)
    if unwrittenBytes > 0 { lastProgress = .now() }
    if stream.unwrittenBytes < environment.limits.streamedResultBytes / 2 {
      continueAfterWrite(stream)
    }
    resumePausedCalls()
  }

  private func continueAfterWrite(_ stream: any ConnectionStream) {
    if stream.wantsToContinue || !delayedCalls.isEmpty { continueLater(stream) }
  }
}
