import Access
import BaseRuntime
import BaseStatus
import Logging
import NIOCore
import NIOHPACK
import NIOHTTP2
import ServiceModule
import Synchronization

/// An HTTP/2 connection: gRPC calls and bridged HTTP requests on the frames of one channel.
///
/// There is no channel, task or actor for a stream. `NIOHTTP2Handler`, the next handler towards the
/// socket, checks the protocol and answers pings; the lane behind it cuts DATA to the peer's frame
/// size and holds it until the peer's windows allow it; this handler opens and ends streams, sends
/// WINDOW_UPDATE, counts what is held for a client in either direction, and times out. Everything
/// here happens on the connection's event loop. Writes within a read are flushed once, at its end.
final class HTTP2Connection: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// The connection's window for request bodies, topped up at half.
  static let connectionWindow = 4 << 20
  /// A stream's window, topped up at half.
  static let streamWindow = 256 << 10

  let environment: ConnectionEnvironment
  let mailbox: EventLoopMailbox
  let peer: Peer
  let number: UInt64
  /// The account of the memory that the connection and its requests hold.
  let account: LedgerAccount
  /// Streams that are open and handlers of streams that are gone.
  let openLeases = OpenLeases()
  /// The registry's view of the connection.
  let activity: ConnectionActivity

  var context: ChannelHandlerContext?
  /// The way of DATA to the socket.
  let lane: AnswerLane
  var streams: [HTTP2StreamID: any ConnectionStream] = [:]
  /// Response bytes that wait for the client's windows or the socket.
  var unwrittenBytes = 0
  /// The bytes of bidirectional calls among those, with those that still wait in outboxes.
  let streamedBytes = Atomic<Int>(0)
  /// Bidirectional calls whose service waits for room on the connection.
  var pausedCalls: [HTTP2StreamID: StreamingCall] = [:]
  /// Complete calls that wait for the client to read earlier responses.
  var delayedCalls = CircularBuffer<GRPCCall>()
  var streamsToContinue: [any ConnectionStream] = []
  var lastProgress = NIODeadline.now()
  var wake: (at: NIODeadline, task: Scheduled<Void>)?
  var shutdown = Shutdown.none
  private var heldRequestBytes = 0
  private var unacknowledgedBytes = 0
  private var isReading = false
  private var isDirty = false
  /// True if the HTTP/2 layer was given frames since the last flush.
  private var hasWrittenFrames = false
  private var lastAuthorization: String?
  private(set) var lastStreamID = HTTP2StreamID.rootStream
  /// RST_STREAM frames that the client made the server send.
  private var ownResets: RateLimit
  /// The credit of callers without credentials for requests without effect; nil means no limit.
  private var unservedCredit: UnservedRequestCredit?
  /// True if the connection is counted among those of its network that are out of credit.
  private var sharesCredit = false
  /// The bytes that are charged for a socket that takes nothing.
  var stalledBytes = 0
  /// True if all has been given up.
  private(set) var isEnded = false
  /// The time since which the connection has had no stream; nil while it has one.
  var idleSince: NIODeadline? = .now()

  /// The progress of the connection to a graceful end.
  enum Shutdown {
    case none
    /// The client was notified; streams that crossed the notice are still served.
    case announced
    /// New streams are refused; the channel closes with the last one.
    case closing
  }

  init(
    environment: ConnectionEnvironment,
    mailbox: EventLoopMailbox,
    readTurns: ReadTurns,
    peer: Peer,
    activity: ConnectionActivity
  ) {
    self.environment = environment
    self.activity = activity
    account = environment.ledger.account(of: peer.network)
    ownResets = RateLimit(environment.limits.ownResetsPerTenSeconds)
    unservedCredit = environment.limits.unservedRequests.map {
      UnservedRequestCredit(requests: $0.atOnce, perSecond: $0.perSecond)
    }
    self.mailbox = mailbox
    self.peer = peer
    number = environment.nextConnectionNumber()
    lane = AnswerLane(environment.limits, readTurns: readTurns)
    lane.start(self)
  }

  /// Names a stream's request in logs: connection and stream.
  func requestID(_ stream: HTTP2StreamID) -> String {
    "\(String(number, radix: 36))-\(Int(stream))"
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { widenConnectionWindow() }
    watchIdleness()
  }

  func channelActive(context: ChannelHandlerContext) {
    widenConnectionWindow()
    context.fireChannelActive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    environment.logger.debug(
      "connection failed",
      metadata: ["connection": "\(String(number, radix: 36))", "error": "\(error)"]
    )
    // The HTTP/2 layer has reset the stream, or sent the client the reason for the connection's
    // end.
    if error is NIOHTTP2Errors.StreamError { return }
    closeNow()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = true
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let payload):
      receive(payload, on: frame.streamID)
    case .data(let payload):
      receive(payload, on: frame.streamID)
    case .rstStream, .priority, .settings, .pushPromise, .ping, .goAway, .windowUpdate,
      .alternativeService, .origin:
      // The HTTP/2 layer acts on these; a reset arrives as the stream's closing.
      return
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    flushUnlessReading()
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let closed = event as? StreamClosedEvent { close(closed.streamID) }
  }

  // MARK: Requests

  private func receive(_ payload: HTTP2Frame.FramePayload.Headers, on id: HTTP2StreamID) {
    if let stream = streams[id] {
      if payload.endStream { stream.receiveEnd() }
      return
    }
    lastStreamID = max(lastStreamID, id)
    guard shutdown != .closing, hasRoomForStream else {
      return write(HTTP2Frame(streamID: id, payload: .rstStream(.refusedStream)))
    }
    guard let head = RequestHead(payload.headers) else {
      return write(HTTP2Frame(streamID: id, payload: .rstStream(.protocolError)))
    }
    noteCredentials(head)
    // The lane, which counts the frames, acts on it at once.
    if head.cost > 0 { _ = isOutOfCredit(after: head.cost, at: .now()) }
    idleSince = nil
    activity.begin()
    // A site's host has none of the server's methods: it answers as for any other request.
    if head.isGRPC, environment.memoryAnswers.isOfServer(head.authority) {
      openCall(head, on: id, isComplete: payload.endStream)
    } else {
      openRequest(payload.headers, head, on: id, isComplete: payload.endStream)
    }
    noteIdleness()
  }

  private func openCall(_ head: RequestHead, on id: HTTP2StreamID, isComplete: Bool) {
    let admitted: AdmittedCall
    do throws(ServiceError) {
      admitted = try AdmittedCall(head, on: id, of: self)
    } catch {
      return refuse(error, on: id, isComplete: isComplete)
    }
    let cost = head.bytes + Self.callBytes
    guard let lease = RequestLease(account, bytes: cost, countedBy: openLeases) else {
      return refuse(ByteLedger.exhausted, on: id, isComplete: isComplete)
    }
    if case .bidirectional(let open) = admitted.method.handler {
      let call = StreamingCall(admitted, open, lease, on: id, of: self)
      streams[id] = call
      if let deadline = call.deadline { wake(at: deadline) }
      call.start()
      if isComplete { call.receiveEnd() }
    } else {
      let call = GRPCCall(admitted, lease, on: id, of: self)
      streams[id] = call
      if let deadline = call.deadline { wake(at: deadline) }
      if isComplete { call.receiveEnd() }
    }
  }

  /// The same text for the same credentials, so that a thousand streams keep one copy.
  func shared(authorization: String?) -> String? {
    if authorization != lastAuthorization { lastAuthorization = authorization }
    return lastAuthorization
  }

  private func openRequest(
    _ headers: HPACKHeaders,
    _ head: RequestHead,
    on id: HTTP2StreamID,
    isComplete: Bool
  ) {
    let cost = head.bytes + Self.requestBytes
    guard let lease = RequestLease(account, bytes: cost, countedBy: openLeases) else {
      return write(HTTP2Frame(streamID: id, payload: .rstStream(.refusedStream)))
    }
    guard let request = BridgedRequest(headers, cost: head.cost, lease, on: id, of: self) else {
      return write(HTTP2Frame(streamID: id, payload: .rstStream(.protocolError)))
    }
    streams[id] = request
    if let deadline = request.deadline { wake(at: deadline) }
    request.start()
    if isComplete { request.receiveEnd() }
  }

  /// True if the event loop has nothing to do but the connection's one request.
  var isAlone: Bool {
    streams.count == 1 && !lane.hasUnread && mailbox.company.isAlone(self)
  }

  /// A request was served, by which its client is no nuisance.
  func noteServed(headerCost: Int) {
    unservedCredit?.giveBack(headerCost: headerCost)
    noteCredit()
    lane.endPause()
  }

  /// A frame has moved a download on.
  func noteUsefulFrame() {
    unservedCredit?.giveBack(frames: 1)
    noteCredit()
  }

  /// Returns true if the client, with so many frames more, is not to be read for a while.
  func isOutOfCredit(after frames: Int, at now: NIODeadline) -> Bool {
    guard let isUsedUp = unservedCredit?.spend(frames, at: now, sharers: creditSharers) else {
      return false
    }
    noteCredit()
    return isUsedUp && !account.isTrusted
  }

  /// True if the client has used up half of its credit or more.
  var isLowOnCredit: Bool { unservedCredit?.isLow == true && !account.isTrusted }

  /// The time until a client that is out of credit has some.
  var timeToCredit: TimeAmount { unservedCredit?.timeToGrow(sharers: creditSharers) ?? .zero }

  private var creditSharers: Int {
    sharesCredit ? environment.creditShares.count(of: peer.network) : 1
  }

  /// Counts the connection among those that are out of credit for as long as it is.
  private func noteCredit() {
    let isUsedUp = unservedCredit?.usedUpSince != nil
    guard isUsedUp || sharesCredit else { return }
    let shares = isUsedUp && !isEnded && !account.isTrusted
    guard shares != sharesCredit else { return }
    sharesCredit = shares
    if shares {
      environment.creditShares.enter(peer.network)
    } else {
      environment.creditShares.leave(peer.network)
    }
  }

  /// Returns true if the client has been out of credit for so long that it must be disconnected.
  func isNuisance(at now: NIODeadline) -> Bool {
    guard let since = unservedCredit?.usedUpSince else { return false }
    return now - since >= TimeAmount(environment.limits.unservedTimeout)
  }

  /// Notes a call that ended in the log of requests.
  func note(_ path: String, _ code: StatusCode, _ duration: Duration?, _ context: CallContext) {
    environment.metrics.requestLog?.note(
      "gRPC",
      path: path,
      status: code.httpStatus,
      duration: duration,
      from: RequestLog.Caller(context, address: peer.address)
    )
  }

  /// Answers a call that never started.
  private func refuse(_ error: ServiceError, on id: HTTP2StreamID, isComplete: Bool) {
    environment.metrics.refusedCalls.observe(error.code, since: nil)
    writeHeaders(GRPCHeaders.trailersOnly(error, requestID: requestID(id)), on: id, isLast: true)
    if !isComplete { write(HTTP2Frame(streamID: id, payload: .rstStream(.noError))) }
  }

  private func receive(_ payload: HTTP2Frame.FramePayload.Data, on id: HTTP2StreamID) {
    let padding = payload.paddingBytes.map { $0 + 1 } ?? 0
    let size = payload.data.readableBytes
    acknowledgeOnConnection(size + padding)
    guard let stream = streams[id], case .byteBuffer(let data) = payload.data else { return }
    if size > 0 {
      heldRequestBytes -= stream.heldRequestBytes
      stream.receive(data, isLast: payload.endStream)
      heldRequestBytes += stream.heldRequestBytes
      environment.metrics.receivedBytes.add(size)
    }
    if payload.endStream {
      stream.receiveEnd()
    } else if heldRequestBytes > environment.limits.bufferedRequestBytes {
      stream.overflow()
    }
  }

  private func widenConnectionWindow() {
    guard unacknowledgedBytes == 0 else { return }
    acknowledgeOnConnection(Self.connectionWindow - 65_535)
    flushUnlessReading()
  }

  private func acknowledgeOnConnection(_ bytes: Int) {
    unacknowledgedBytes += bytes
    guard unacknowledgedBytes >= Self.connectionWindow / 2 else { return }
    acknowledge(unacknowledgedBytes, on: .rootStream)
    unacknowledgedBytes = 0
  }

  /// Lets the client send that many bytes more.
  func acknowledge(_ bytes: Int, on id: HTTP2StreamID) {
    write(HTTP2Frame(streamID: id, payload: .windowUpdate(windowSizeIncrement: bytes)))
  }

  /// A call took its request out of the connection's hands.
  func releaseRequestBytes(_ bytes: Int) {
    heldRequestBytes -= bytes
  }

  // MARK: Answers

  /// Writes a HEADERS frame; the last one ends the stream.
  func writeHeaders(_ headers: HPACKHeaders, on id: HTTP2StreamID, isLast: Bool) {
    let payload = HTTP2Frame.FramePayload.Headers(headers: headers, endStream: isLast)
    if isLast {
      writeEnd(.headers(payload), on: id)
    } else {
      write(HTTP2Frame(streamID: id, payload: .headers(payload)))
    }
  }

  /// Writes the frame that ends a stream, behind what waits of its response.
  func writeEnd(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID) {
    let frame = HTTP2Frame(streamID: id, payload: payload)
    if let waiting = streams[id]?.flow.waiting { waiting.end = frame } else { write(frame) }
  }

  /// Writes messages of a stream's response and gives how many bytes leave with the next flush for sure.
  ///
  /// Those that wait are counted until they leave; nil where there is no room for them.
  func write(
    _ messages: [[UInt8]],
    of stream: any ConnectionStream,
    on id: HTTP2StreamID
  ) -> Int? {
    let size = messages.reduce(0) { $0 + $1.count + GRPCMessageBuffer.prefixBytes }
    guard lane.write(messages, size: size, of: stream, on: id) else {
      return writeData(framed(messages, size: size), of: stream, on: id) ? 0 : nil
    }
    environment.metrics.sentBytes.add(size)
    isDirty = true
    return size
  }

  /// Writes DATA of a stream's response and counts it until it left; false where there is no room for it.
  func writeData(
    _ data: ByteBuffer,
    of stream: any ConnectionStream,
    on id: HTTP2StreamID
  ) -> Bool {
    let size = data.readableBytes
    guard account.reserve(size, for: .response) else { return false }
    if unwrittenBytes == 0 { watchReader() }
    unwrittenBytes += size
    stream.unwrittenBytes += size
    environment.metrics.sentBytes.add(size)
    lane.enqueue(data, of: stream, on: id)
    return true
  }

  /// Messages with their prefixes.
  private func framed(_ messages: [[UInt8]], size: Int) -> ByteBuffer {
    var data = context?.channel.allocator.buffer(capacity: size) ?? ByteBuffer()
    for message in messages { data.writeMessage(message) }
    return data
  }

  /// Writes a frame other than DATA; it leaves with the next flush.
  func write(_ frame: HTTP2Frame) {
    guard let context else { return }
    isDirty = true
    hasWrittenFrames = true
    context.write(wrapOutboundOut(frame), promise: nil)
  }

  /// Notes that something may leave with the next flush.
  func makeDirty() { isDirty = true }

  /// Flushes what was written, unless the end of the current read will do it.
  func flushUnlessReading() {
    guard isDirty, !isReading, let context else { return }
    lane.writeWaiting()
    isDirty = false
    if hasWrittenFrames {
      hasWrittenFrames = false
      context.flush()
    }
    lane.flushIfDue()
  }

  // MARK: Ends

  private func close(_ id: HTTP2StreamID) {
    guard let stream = streams.removeValue(forKey: id) else { return }
    heldRequestBytes -= stream.heldRequestBytes
    unwrittenBytes -= stream.unwrittenBytes
    account.release(stream.unwrittenBytes, for: .response)
    stream.unwrittenBytes = 0
    lane.forget(stream, on: id)
    pausedCalls[id] = nil
    stream.abandon()
    startDelayedCalls()
    resumePausedCalls()
    noteIdleness()
    closeIfDrained()
  }

  /// A frame that ends a stream with an error left; a client that brings too many about is sent away.
  func countReset() {
    guard case .none = shutdown, !ownResets.admit(1), let context else { return }
    // Nothing may be written during the writing.
    lane.stopReading()
    context.eventLoop.assumeIsolated().execute { self.refuseFlood() }
  }

  /// Gives up all that the connection was doing.
  func end() {
    isEnded = true
    noteCredit()
    wake?.task.cancel()
    wake = nil
    lane.end()
    let open = streams.values
    streams = [:]
    delayedCalls = []
    pausedCalls = [:]
    for stream in open { stream.abandon() }
    account.release(unwrittenBytes, for: .response)
    unwrittenBytes = 0
    account.release(stalledBytes, for: .response)
    stalledBytes = 0
    account.forfeitAllowance()
  }
}
