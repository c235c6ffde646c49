import HTTPTypes
import NIOCore
import NIOHTTPTypes
import ServiceModule

/// Answers on the event loop what needs no more, before a request reaches the decoder of HTTP.
///
/// It follows where requests begin and end. A plain GET without a body that memory can answer is
/// handled here, and a plain POST with a route that has a handler for the loop. This happens only
/// after the responses to all earlier requests have been written, and while the client reads.
/// Everything else passes unchanged. The decoder and the handlers behind it are added when the
/// first request passes. While a response is awaited at most one more read is taken, and kept. After
/// a request that it cannot follow everything passes: nothing that comes then is taken for a
/// request that the decoder does not see as one.
///
/// A read may hold a thousand requests: those that its turn has no time for wait for another turn. The
/// connections of an event loop that send much are read by turns (`ReadTurns`).
final class HTTP1MemoryLane: ChannelDuplexHandler, RemovableChannelHandler, ReadTurns.Taker {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// The role of the next byte.
  private enum Position {
    /// The first of a request.
    case start
    /// Within a head that began with those bytes, which have passed, and the part of it that was
    /// read.
    case head(ByteBuffer, HTTP1HeadReader.Beginning)
    /// Within a body, of which that many bytes are to come.
    case body(Int)
    /// Within the body of a call that began with those bytes, which have not passed.
    case collected(HTTP1LoopCall, ByteBuffer)
    /// Behind a call that is being answered; those bytes came already.
    case waiting(ByteBuffer)
    /// Before requests that came and wait for a turn.
    case paused(ByteBuffer)
    /// Within a request that could not be followed, or behind one.
    case unknown
  }

  /// The least time that a byte takes on the event loop: it is deciphered, copied and handed on.
  private static let nanosecondsOfByte: Int64 = 2
  /// Smaller reads are not counted.
  private static let largeRead = 2 << 10

  private let connection: HTTP1Connection
  private let limit: TimeAmount
  private let readTurns: ReadTurns
  /// The approximate time that the last turn took.
  private var lastTurn = TimeAmount.zero
  /// The time after which no other request of a read begins.
  private var turnEnd = NIODeadline.now()
  private var isWaitingForTurn = false
  /// The time that is counted already for the next read.
  private var counted = TimeAmount.zero
  private var context: ChannelHandlerContext?
  private var reader: HTTP1HeadReader
  private var position = Position.start
  /// The timeout on the decoder's side, once that is there.
  private var idleTimeout: HTTP1IdleTimeout?
  /// Requests that passed and whose responses are not written to their end.
  private var unanswered = 0
  private var hasWritten = false
  /// True while a route handles a request; `early` holds a response that it gives during the call.
  private var isBeginning = false
  private var early: LoopAnswer?
  /// True if the channel asked to read, and has to wait for a turn or for requests that came before.
  private var isReadDue = false
  /// The time at which the last call began, or the last response was written.
  private var lastActivity: NIODeadline = .now()
  private var timer: Scheduled<Void>?

  /// - Parameters:
  ///   - headLimit: The length of a head that the decoder accepts at least.
  ///   - limit: The time that the connection may have no request before the decoder has seen one.
  ///   - readTurns: The turns of the connection's event loop.
  init(
    _ connection: HTTP1Connection,
    headLimit: Int,
    limit: TimeAmount,
    readTurns: ReadTurns
  ) {
    self.readTurns = readTurns
    reader = HTTP1HeadReader(limit: headLimit)
    self.connection = connection
    self.limit = limit
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    watch(context, until: .now() + limit)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    leave()
    // The read that waited is the next handler's now.
    if isReadDue { context.channel.read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  private func leave() {
    timer?.cancel()
    (context, timer, early) = (nil, nil, nil)
    position = .unknown
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.noteRead()
    var bytes = unwrapInboundIn(data)
    serve(&bytes, context)
  }

  /// Processes bytes for as long as a turn lasts, and counts the time.
  private func serve(
    _ bytes: inout ByteBuffer,
    _ context: ChannelHandlerContext,
    isResumed: Bool = false
  ) {
    let count = bytes.readableBytes
    let begin = NIODeadline.now()
    turnEnd = begin + readTurns.turn(isCounted: true)
    take(&bytes, context)
    guard count >= Self.largeRead || isPaused || isResumed else { return }
    lastTurn = max(.now() - begin, .nanoseconds(Int64(count) * Self.nanosecondsOfByte))
    if lastTurn > counted { readTurns.count(lastTurn - counted) }
    counted = .zero
  }

  private func take(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
    // Input after a request with a response that took the connection is discarded.
    var isFirst = true
    while bytes.readableBytes > 0, self.context != nil {
      switch position {
      case .start:
        guard isFirst || .now() < turnEnd else { return pause(before: bytes) }
        isFirst = false
        takeRequest(from: &bytes, context)
      case .head(let begun, let beginning): takeHead(begun, beginning, from: &bytes, context)
      case .body(let left):
        let count = min(left, bytes.readableBytes)
        position = count == left ? .start : .body(left - count)
        pass(count, of: &bytes, context)
      case .collected(let call, let begun): collect(call, begun, from: &bytes, context)
      case .waiting(var held):
        position = .unknown
        if held.readableBytes == 0 { held = bytes } else { held.writeImmutableBuffer(bytes) }
        position = .waiting(held)
        return
      case .paused(var held):
        position = .unknown
        held.writeImmutableBuffer(bytes)
        position = .paused(held)
        return
      case .unknown: pass(bytes.readableBytes, of: &bytes, context)
      }
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    flushAnswers()
    context.fireChannelReadComplete()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    // The decoder's side watches clients that do not read, and has to know from the beginning.
    if !context.channel.isWritable, !hasDecoder(context) { return }
    context.fireChannelWritabilityChanged()
  }

  func read(context: ChannelHandlerContext) {
    isReadDue = true
    readIfDue(context)
  }

  private func readIfDue(_ context: ChannelHandlerContext) {
    guard isReadDue, !isHolding else { return }
    guard readTurns.hasTime else { return waitForTurn() }
    isReadDue = false
    context.read()
  }

  /// True while there are bytes that have to be processed before more are read.
  ///
  /// Most clients send nothing during the response: to stop and restart reading for them would be two
  /// system calls a request.
  private var isHolding: Bool {
    switch position {
    case .waiting(let held): held.readableBytes > 0
    case .paused: true
    default: false
    }
  }

  private var isPaused: Bool {
    if case .paused = position { return true }
    return false
  }

  private func pause(before bytes: ByteBuffer) {
    position = .paused(bytes)
    waitForTurn()
  }

  private func waitForTurn() {
    guard !isWaitingForTurn else { return }
    isWaitingForTurn = true
    readTurns.append(self)
  }

  func takeTurn() {
    isWaitingForTurn = false
    guard let context else { return }
    if case .paused(var held) = position {
      position = .start
      serve(&held, context, isResumed: true)
      flushAnswers()
      guard self.context != nil else { return }
      if idleTimeout != nil { context.fireChannelReadComplete() }
      return readIfDue(context)
    }
    guard isReadDue, !isHolding else { return }
    guard readTurns.hasTime else { return waitForTurn() }
    // The bytes arrive after the round.
    readTurns.count(lastTurn)
    counted = lastTurn
    isReadDue = false
    context.read()
  }

  /// The answer to a request that passed has been written to its end.
  func passedRequestWasAnswered() { unanswered -= 1 }

  private func takeRequest(from bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
    switch reader.read(bytes) {
    case .head(let head):
      if unanswered == 0, context.channel.isWritable {
        if let request = head.request,
          let answer = connection.answerFromMemory(request, context.channel.allocator)
        {
          bytes.moveReaderIndex(forwardBy: head.length)
          return write(answer, context)
        }
        if let request = head.post,
          let call = connection.call(request, head, isAlone: idleTimeout == nil)
        {
          noteActivity()
          position = .collected(call, ByteBuffer())
          return collect(call, ByteBuffer(), from: &bytes, context)
        }
      }
      unanswered += 1
      pass(head, 0, of: &bytes, context)
    case .incomplete(let beginning):
      unanswered += 1
      position = .head(bytes, beginning)
      pass(bytes.readableBytes, of: &bytes, context)
    case .unusual: position = .unknown
    }
  }

  /// Continues with a head after its beginning has passed.
  private func takeHead(
    _ begun: consuming ByteBuffer,
    _ beginning: HTTP1HeadReader.Beginning,
    from bytes: inout ByteBuffer,
    _ context: ChannelHandlerContext
  ) {
    let passed = begun.readableBytes
    // The buffer has no other owner now, so appending does not copy the bytes before.
    position = .unknown
    begun.writeImmutableBuffer(bytes)
    switch reader.read(begun, after: beginning) {
    case .head(let head): pass(head, passed, of: &bytes, context)
    case .incomplete(let beginning):
      position = .head(begun, beginning)
      pass(bytes.readableBytes, of: &bytes, context)
    case .unusual: position = .unknown
    }
  }

  // MARK: Calls

  /// Goes on with a call whose body is not complete, and has it answered when it is.
  private func collect(
    _ call: HTTP1LoopCall,
    _ begun: consuming ByteBuffer,
    from bytes: inout ByteBuffer,
    _ context: ChannelHandlerContext
  ) {
    let count = min(call.length - begun.readableBytes, bytes.readableBytes)
    guard let part = bytes.readSlice(length: count) else { return }
    var whole = begun
    // The buffer has no other owner now, so appending does not copy the bytes before.
    position = .unknown
    if whole.readableBytes == 0 { whole = part } else { whole.writeImmutableBuffer(part) }
    guard whole.readableBytes == call.length else {
      return position = .collected(call, whole)
    }
    position = .waiting(ByteBuffer())
    isBeginning = true
    connection.beginCall()
    let isTaken = call.begin(whole, on: self)
    isBeginning = false
    guard isTaken else {
      connection.endCall()
      position = .start
      unanswered += 1
      return pass(whole.readableBytes, of: &whole, context)
    }
    idleTimeout?.isAnsweringElsewhere = true
    guard let answer = early else { return }
    early = nil
    position = .start
    write(answer, of: call, context)
  }

  /// Writes the response to the current call, and continues with the bytes behind it.
  func finish(_ call: HTTP1LoopCall, _ answer: LoopAnswer) {
    guard !isBeginning else { return early = answer }
    guard let context, case .waiting(var held) = position else {
      if case .stream(_, let stream) = answer { stream.end() }
      return
    }
    position = .start
    write(answer, of: call, context)
    if held.readableBytes > 0, self.context != nil {
      serve(&held, context)
      guard self.context != nil else { return }
      if idleTimeout != nil { context.fireChannelReadComplete() }
    }
    guard self.context != nil else { return }
    readIfDue(context)
  }

  func flushAnswers() {
    guard hasWritten else { return }
    hasWritten = false
    context?.flush()
  }

  private func write(
    _ answer: LoopAnswer,
    of call: HTTP1LoopCall,
    _ context: ChannelHandlerContext
  ) {
    idleTimeout?.isAnsweringElsewhere = false
    let isLast = connection.isStopping
    write(call.bytes(of: answer, isLast: isLast, context.channel.allocator), context)
    guard case .stream(_, let stream) = answer else {
      connection.endCall()
      if isLast { context.channel.closeWhenWritten() }
      return
    }
    flushAnswers()
    do {
      try connection.hand(context.channel, to: stream, behind: self)
    } catch {
      stream.end()
      context.close(promise: nil)
    }
  }

  private func write(_ answer: ByteBuffer, _ context: ChannelHandlerContext) {
    hasWritten = true
    noteActivity()
    context.write(wrapOutboundOut(.byteBuffer(answer)), promise: nil)
  }

  private func noteActivity() {
    lastActivity = .now()
    idleTimeout?.noteActivity()
  }

  // MARK: What passes

  /// Passes a request on, as far as there is of it; some of it may have passed before.
  private func pass(
    _ head: HTTP1HeadReader.Head,
    _ passed: Int,
    of bytes: inout ByteBuffer,
    _ context: ChannelHandlerContext
  ) {
    let left = head.length - passed + head.bodyLength
    let count = min(left, bytes.readableBytes)
    position = count == left ? .start : .body(left - count)
    pass(count, of: &bytes, context)
  }

  private func pass(_ count: Int, of bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
    var part = bytes
    // Whole requests that pass are not also held here.
    if count == bytes.readableBytes {
      bytes = ByteBuffer()
    } else {
      part = bytes.readSlice(length: count) ?? ByteBuffer()
    }
    guard hasDecoder(context) else { return bytes = ByteBuffer() }
    context.fireChannelRead(wrapInboundOut(part))
  }

  /// Adds the decoder and the handlers behind it if they are missing; false if that fails and the
  /// connection ends.
  private func hasDecoder(_ context: ChannelHandlerContext) -> Bool {
    guard idleTimeout == nil else { return true }
    do {
      idleTimeout = try connection.addDecoder(to: context.channel, behind: self)
      timer?.cancel()
      timer = nil
      return true
    } catch {
      context.close(promise: nil)
      return false
    }
  }

  /// Closes a connection that has no request for too long; the decoder's side watches itself.
  private func watch(_ context: ChannelHandlerContext, until deadline: NIODeadline) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      var since = self.lastActivity
      if case .waiting = self.position { since = .now() }
      let due = since + self.limit
      if due <= .now() { context.close(promise: nil) } else { self.watch(context, until: due) }
    }
  }
}

/// Notifies a connection's memory lane of the responses to requests that passed it.
final class HTTP1AnswerWatch: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let lane: HTTP1MemoryLane

  init(_ lane: HTTP1MemoryLane) { self.lane = lane }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { lane.passedRequestWasAnswered() }
    context.write(data, promise: promise)
  }
}
