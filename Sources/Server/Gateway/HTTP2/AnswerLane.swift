import BaseRuntime
import NIOCore
import NIOHTTP2

/// An HTTP/2 connection's last handler before the socket: the DATA of its responses, and the batching
/// of all that is written.
///
/// `NIOHTTP2Handler`, the next handler away from the socket, makes and checks every other frame. It
/// never sees DATA of ours and so knows nothing of the client's windows: those are kept here, and
/// WINDOW_UPDATEs of open streams end here. A small message whose windows are open is written into
/// the batch at once. All else waits for the next flush, in turns of one frame a stream, and the
/// frame that ends a stream waits behind its DATA. Floods of small frames end here too, and a client
/// that sends more than a turn's worth of work is read by turns with the others (`ReadTurns`).
final class AnswerLane: ChannelDuplexHandler, ReadTurns.Taker {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let largestWindow = 0x7FFF_FFFF
  private static let allocator = ByteBufferAllocator()
  /// The approximate time that the responses of a turn take after it.
  private static let followUp = TimeAmount.microseconds(60)
  /// The shortest and the longest time until a client that makes much work in vain is looked at again.
  private static let pause = (least: TimeAmount.milliseconds(10), most: TimeAmount.seconds(1))

  private var context: ChannelHandlerContext?
  /// Until the connection ends.
  private var connection: HTTP2Connection?
  private var scanner = FrameScanner()
  private var resets: RateLimit
  private var controls: RateLimit
  private var isRefusing = false
  private var batch = WriteBatch()
  private var isFlushDue = false
  private var isWritable = true
  private var connectionWindow = 65_535
  /// The bytes of DATA that were sent and that the client has not acknowledged by a WINDOW_UPDATE yet:
  /// of the connection, and of all streams together.
  private var untaken = (connection: 0, streams: 0)
  /// The window with which each stream begins.
  private var initialWindow = 65_535
  /// The largest payload that the client takes.
  private var frameBytes = 1 << 14
  /// Streams with something to send and room in their own window, by turns.
  private var turns = CircularBuffer<(HTTP2StreamID, any ConnectionStream)>(initialCapacity: 1)
  private let readTurns: ReadTurns
  /// True if received data waits for the connection's next turn.
  private var isWaitingForTurn = false
  /// True if that turn comes only when the client has credit again.
  private var isPaused = false
  /// True if the channel was asked to read during this time.
  private var isReadDue = false

  init(_ limits: GatewayConfiguration.Limits, readTurns: ReadTurns) {
    self.readTurns = readTurns
    resets = RateLimit(limits.resetsPerTenSeconds)
    controls = RateLimit(limits.controlFramesPerTenSeconds)
  }

  /// The bytes of an unfinished frame or header block that the HTTP/2 layer holds, as the ledger
  /// knows them.
  private var unfinishedBytes = 0

  /// True if bytes of the client were received that nobody has looked at yet.
  var hasUnread: Bool { scanner.hasUnread }

  /// Begins to serve a connection.
  func start(_ connection: HTTP2Connection) { self.connection = connection }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    isWritable = context.channel.isWritable
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// The connection ends: nothing waits any more.
  func end() {
    connection?.account.release(unfinishedBytes, for: .request)
    unfinishedBytes = 0
    connection = nil
    turns = CircularBuffer(initialCapacity: 1)
  }

  // MARK: What the client sends

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefusing else { return }
    connection?.mailbox.company.noteRead(of: connection)
    scanner.append(unwrapInboundIn(data))
    if !isWaitingForTurn { handOnTogether(context) }
    countUnfinished()
  }

  /// Reads no more while something waits for its turn.
  func read(context: ChannelHandlerContext) {
    if isWaitingForTurn { isReadDue = true } else { context.read() }
  }

  /// The client may have credit again: what waits takes a turn.
  func endPause() {
    guard isPaused else { return }
    isPaused = false
    readTurns.append(self)
  }

  /// The pause is over: the connection takes a turn, or pauses again if the round has no time left.
  private func finishPause() {
    guard isPaused else { return }
    isPaused = false
    takeTurn()
  }

  /// Continues with the queued parts.
  func takeTurn() {
    isWaitingForTurn = false
    guard let context else { return }
    if !isRefusing { handOnTogether(context) }
    countUnfinished()
    context.fireChannelReadComplete()
    if isReadDue, !isWaitingForTurn {
      isReadDue = false
      context.read()
    }
  }

  /// A turn, whose calls go over to engine threads together.
  private func handOnTogether(_ context: ChannelHandlerContext) {
    Handover.during { _ in handOn(context) }
  }

  /// Hands on what came, for as long as a turn lasts.
  private func handOn(_ context: ChannelHandlerContext) {
    let isCounted = connection?.isLowOnCredit == true
    if isCounted, !readTurns.hasTime { return pauseReading(context) }
    let (begin, length) = (NIODeadline.now(), readTurns.turn(isCounted: isCounted))
    var now = begin
    defer { if isCounted { readTurns.count(now - begin + Self.followUp) } }
    var counted = scanner.cost
    // A part may cost many times what has grown since.
    if scanner.hasUnread, isOutOfCredit(after: 0, at: begin) { return pauseReading(context) }
    while !isRefusing, let piece = nextPiece() {
      switch piece {
      case .other(let bytes): context.fireChannelRead(wrapInboundOut(bytes))
      case .settings(let settings, let frame):
        take(settings)
        context.fireChannelRead(wrapInboundOut(frame))
      case .windowUpdate(let id, let increment, let frame):
        if let rest = widen(id, by: increment, frame) {
          context.fireChannelRead(wrapInboundOut(rest))
        }
      }
      now = .now()
      let isOutOfCredit = isOutOfCredit(after: scanner.cost - counted, at: now)
      counted = scanner.cost
      guard scanner.hasUnread else { continue }
      if isOutOfCredit { return pauseReading(context) }
      guard now - begin >= length else { continue }
      if isCounted { return pauseReading(context) }
      isWaitingForTurn = true
      return readTurns.append(self)
    }
  }

  private func isOutOfCredit(after frames: Int, at now: NIODeadline) -> Bool {
    connection?.isOutOfCredit(after: frames, at: now) == true
  }

  /// Reads nothing for a while, or until some credit has grown; ends the connection of a client that has had none
  /// for too long.
  private func pauseReading(_ context: ChannelHandlerContext) {
    if connection?.isNuisance(at: .now()) == true { return refuse() }
    isWaitingForTurn = true
    isPaused = true
    let pause = min(max(Self.pause.least, connection?.timeToCredit ?? .zero), Self.pause.most)
    context.eventLoop.assumeIsolated().scheduleTask(in: pause) { self.finishPause() }
  }

  /// Counts the HTTP/2 layer's memory until the rest of a frame or of a header block has arrived.
  private func countUnfinished() {
    let bytes = scanner.unfinishedBytes
    guard bytes != unfinishedBytes, let connection else { return }
    if bytes < unfinishedBytes {
      connection.account.release(unfinishedBytes - bytes, for: .request)
    } else if !connection.account.reserve(bytes - unfinishedBytes, for: .request) {
      return refuse()
    }
    unfinishedBytes = bytes
  }

  /// Ignores the client's further input, and ends the connection.
  func refuse() {
    guard !isRefusing else { return }
    isRefusing = true
    connection?.refuseFlood()
  }

  /// Takes nothing more of what the client sends.
  func stopReading() { isRefusing = true }

  /// The next part of the input, unless there is too much of the wrong kind in it.
  private func nextPiece() -> FrameScanner.Piece? {
    let (knownResets, knownControls) = (scanner.resets, scanner.controls)
    guard let piece = scanner.next() else { return nil }
    if resets.admit(scanner.resets - knownResets),
      controls.admit(scanner.controls - knownControls)
    {
      return piece
    }
    refuse()
    return nil
  }

  private func take(_ settings: FrameScanner.AnnouncedSettings) {
    frameBytes = settings.frameBytes ?? frameBytes
    guard let window = settings.initialWindow else { return }
    initialWindow = window
    guard let connection else { return }
    for (id, stream) in connection.streams { giveTurn(stream, on: id) }
  }

  /// Takes a WINDOW_UPDATE; gives back what the HTTP/2 layer shall see of it.
  private func widen(_ id: HTTP2StreamID, by increment: Int, _ frame: ByteBuffer) -> ByteBuffer? {
    guard increment > 0, let connection else { return frame }
    if id == .rootStream {
      guard connectionWindow + increment <= Self.largestWindow else {
        // Too much for the layer's own window too, which refuses it as it should be.
        var refused = frame
        refused.setInteger(UInt32(Self.largestWindow), at: refused.writerIndex - 4)
        return refused
      }
      connectionWindow += increment
      noteTaken(increment, of: &untaken.connection)
      connection.makeDirty()
      return nil
    }
    guard let stream = connection.streams[id] else { return frame }
    guard initialWindow + stream.flow.credit + increment <= Self.largestWindow else {
      connection.write(HTTP2Frame(streamID: id, payload: .rstStream(.flowControlError)))
      return nil
    }
    stream.flow.credit += increment
    noteTaken(increment, of: &untaken.streams)
    giveTurn(stream, on: id)
    return nil
  }

  /// The client has acknowledged so many bytes; the frames of a download are no nuisance.
  private func noteTaken(_ increment: Int, of untaken: inout Int) {
    let taken = min(increment, untaken)
    untaken -= taken
    if taken >= UnservedRequestCredit.usefulBytes { connection?.noteUsefulFrame() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    // The HTTP/2 layer lets go of the frames that it held back, which come before any DATA.
    context.fireChannelWritabilityChanged()
    isWritable = context.channel.isWritable
    guard let connection else { return }
    connection.socketChanged(isWritable: isWritable)
    guard isWritable else { return }
    connection.makeDirty()
    connection.flushUnlessReading()
  }

  // MARK: Answers

  /// Writes messages, with their prefixes, as one frame; false where they would have to wait.
  func write(
    _ messages: [[UInt8]],
    size: Int,
    of stream: any ConnectionStream,
    on id: HTTP2StreamID
  ) -> Bool {
    guard isWritable, context != nil, stream.flow.waiting == nil,
      size <= min(frameBytes, connectionWindow, initialWindow + stream.flow.credit)
    else { return false }
    spend(size, of: stream)
    batch.append(FrameScanner.headBytes + size, with: Self.allocator) { bytes in
      Self.writeHead(of: size, on: id, to: &bytes)
      for message in messages { bytes.writeMessage(message) }
    }
    isFlushDue = true
    if batch.isFull { context.map(writeBatch) }
    return true
  }

  /// Has DATA wait for the next flush and for the windows.
  func enqueue(_ data: ByteBuffer, of stream: any ConnectionStream, on id: HTTP2StreamID) {
    guard data.readableBytes > 0 else { return }
    let waiting = stream.flow.waiting ?? WaitingAnswer()
    waiting.parts.append(data)
    stream.flow.waiting = waiting
    giveTurn(stream, on: id)
  }

  /// Writes what waits, as far as the windows and the socket allow; to be followed by a flush.
  func writeWaiting() {
    guard !turns.isEmpty, let context, let connection else { return }
    while isWritable, connectionWindow > 0, let (id, stream) = turns.popFirst() {
      guard let waiting = stream.flow.waiting else { continue }
      waiting.isQueued = false
      let room = min(frameBytes, connectionWindow, initialWindow + stream.flow.credit)
      // Without room of its own its turn comes with the client's next word about it.
      guard room > 0, var part = waiting.parts.popFirst() else { continue }
      guard let data = part.readSlice(length: min(room, part.readableBytes)) else { continue }
      if part.readableBytes > 0 { waiting.parts.prepend(part) }
      write(data, of: stream, on: id, context)
      connection.wroteData(data.readableBytes, of: stream)
      if waiting.parts.isEmpty {
        stream.flow.waiting = nil
        if let end = waiting.end { connection.write(end) }
      } else {
        giveTurn(stream, on: id)
      }
    }
  }

  /// A stream is gone: what waits of its response goes too.
  func forget(_ stream: any ConnectionStream, on id: HTTP2StreamID) {
    guard let waiting = stream.flow.waiting else { return }
    stream.flow.waiting = nil
    if waiting.isQueued { turns.removeAll { $0.0 == id } }
  }

  private func giveTurn(_ stream: any ConnectionStream, on id: HTTP2StreamID) {
    guard let waiting = stream.flow.waiting, !waiting.isQueued,
      initialWindow + stream.flow.credit > 0
    else { return }
    waiting.isQueued = true
    turns.append((id, stream))
    connection?.makeDirty()
  }

  private func write(
    _ data: ByteBuffer,
    of stream: any ConnectionStream,
    on id: HTTP2StreamID,
    _ context: ChannelHandlerContext
  ) {
    spend(data.readableBytes, of: stream)
    batch.append(FrameScanner.headBytes, with: Self.allocator) { bytes in
      Self.writeHead(of: data.readableBytes, on: id, to: &bytes)
    }
    add(data, context)
  }

  private func spend(_ size: Int, of stream: any ConnectionStream) {
    connectionWindow -= size
    stream.flow.credit -= size
    untaken.connection += size
    untaken.streams += size
  }

  /// The head of a DATA frame that does not end its stream.
  private static func writeHead(of size: Int, on id: HTTP2StreamID, to bytes: inout ByteBuffer) {
    bytes.writeInteger(UInt32(size) << 8)
    bytes.writeInteger(UInt8(0))
    bytes.writeInteger(UInt32(Int(id)))
  }

  // MARK: The way to the socket

  /// Writes a GOAWAY.
  ///
  /// Past the HTTP/2 layer, which takes every stream that a client opens before it has read ours for
  /// an error and would say so in a GOAWAY of its own, with PROTOCOL_ERROR.
  func writeGoAway(lastStreamID: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    guard let context else { return }
    let last = lastStreamID == .maxID ? UInt32(Self.largestWindow) : UInt32(Int(lastStreamID))
    batch.append(FrameScanner.headBytes + 8, with: Self.allocator) { bytes in
      bytes.writeInteger(UInt32(8) << 8 | 7)
      bytes.writeInteger(UInt8(0))
      bytes.writeInteger(UInt32(0))
      bytes.writeInteger(last)
      bytes.writeInteger(UInt32(truncatingIfNeeded: code.networkCode))
    }
    isFlushDue = true
    if batch.isFull { writeBatch(context) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if let promise {
      writeBatch(context)
      isFlushDue = true
      context.write(data, promise: promise)
    } else {
      add(unwrapOutboundIn(data), context)
    }
  }

  private func add(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
    isFlushDue = true
    if data.readableBytes >= WriteBatch.largeBytes {
      writeBatch(context)
      context.write(wrapOutboundOut(data), promise: nil)
      return
    }
    batch.append(data.readableBytes, with: Self.allocator) { bytes in
      bytes.writeImmutableBuffer(data)
    }
    if batch.isFull { writeBatch(context) }
  }

  private func writeBatch(_ context: ChannelHandlerContext) {
    guard !batch.isEmpty else { return }
    context.write(wrapOutboundOut(batch.take()), promise: nil)
  }

  func flush(context: ChannelHandlerContext) {
    writeBatch(context)
    isFlushDue = false
    context.flush()
  }

  /// Hands what was written since the last flush to the socket.
  func flushIfDue() {
    if isFlushDue, let context { flush(context: context) }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode != .input, isFlushDue { flush(context: context) }
    context.close(mode: mode, promise: promise)
  }
}

extension ByteBuffer {
  /// Writes a gRPC message with its prefix.
  mutating func writeMessage(_ message: [UInt8]) {
    writeInteger(UInt8(0))
    writeInteger(UInt32(message.count))
    writeBytes(message)
  }
}
