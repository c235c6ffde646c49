import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/2 connection that keeps a number of calls in flight, on raw frames.
///
/// There is no channel a stream: frames arrive here and are matched to calls by stream id, so that
/// the tool costs little beside the server on the same machine. Everything happens on the
/// connection's event loop. A slot is one call in flight; it runs operations one after the other
/// until the run's time is over or its operation has nothing more to do.
final class LoadConnection: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private struct Stream {
    let slot: Int
    let isGRPC: Bool
    var body: ByteBuffer?
    var status: Int?
    var statusMessage = ""
  }

  private struct Slot {
    var operation: any Operation
    var started: NIODeadline
    var isDone = false
  }

  private static let connectionWindow = 1 << 30
  private static let streamWindow = 16 << 20

  private let plan: RunPlan
  private let headers: [HPACKHeaders]
  private let done: EventLoopPromise<Measurement>
  private var random: RandomSource
  private var slots: [Slot]
  private var streams: [HTTP2StreamID: Stream] = [:]
  private var nextStream = 1
  private var openSlots: Int
  private var unacknowledgedBytes = 0
  private var hasBegun = false
  private var mustFlush = false
  private var measurement: Measurement

  /// Prepares a connection that runs each operation in a slot of its own.
  init(
    plan: RunPlan,
    operations: [any Operation],
    random: RandomSource,
    done: EventLoopPromise<Measurement>
  ) {
    self.plan = plan
    self.random = random
    self.done = done
    headers = OutgoingCall.Method.allCases.map { Self.headers(of: $0, for: plan.target) }
    slots = operations.map { Slot(operation: $0, started: .now()) }
    openSlots = operations.count
    measurement = Measurement(slots: operations.count)
  }

  /// What the HTTP/2 layer announces first.
  static let settings: HTTP2Settings = [
    HTTP2Setting(parameter: .enablePush, value: 0),
    HTTP2Setting(parameter: .initialWindowSize, value: streamWindow),
    HTTP2Setting(parameter: .maxHeaderListSize, value: 16 << 10),
  ]

  private static func headers(
    of method: OutgoingCall.Method,
    for target: LoadTarget
  ) -> HPACKHeaders {
    var headers = HPACKHeaders([
      (":method", method == .metrics ? "GET" : "POST"), (":scheme", "http"),
      (":path", method.path), (":authority", "\(target.host):\(target.port)"),
    ])
    if method != .metrics {
      headers.add(name: "te", value: "trailers")
      headers.add(name: "content-type", value: "application/grpc")
    }
    if let token = target.token { headers.add(name: "authorization", value: "Bearer \(token)") }
    return headers
  }

  // MARK: Frames

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .settings(.settings) where !hasBegun:
      begin(context)
    case .headers(let part):
      receive(part, on: frame.streamID, context)
    case .data(let part):
      receive(part, on: frame.streamID, context)
    case .rstStream(let reason):
      end(
        frame.streamID,
        Answer(status: Answer.unavailable, statusMessage: "\(reason)", messages: []),
        context
      )
    case .goAway:
      context.close(promise: nil)
    default:
      break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if unacknowledgedBytes > Self.connectionWindow / 4 {
      let update = HTTP2Frame.FramePayload.windowUpdate(windowSizeIncrement: unacknowledgedBytes)
      unacknowledgedBytes = 0
      write(HTTP2Frame(streamID: .rootStream, payload: update), context)
    }
    flushIfNeeded(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    let answer = Answer(
      status: Answer.unavailable,
      statusMessage: "connection closed",
      messages: []
    )
    for id in Array(streams.keys) { end(id, answer, context) }
    done.succeed(measurement)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    measurement.add(error: "connection: \(error)")
    context.close(promise: nil)
  }

  private func begin(_ context: ChannelHandlerContext) {
    hasBegun = true
    let extra = Self.connectionWindow - 65_535
    write(
      HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: extra)),
      context
    )
    for slot in slots.indices { startOperation(slot, context) }
    flushIfNeeded(context)
  }

  private func receive(
    _ part: HTTP2Frame.FramePayload.Headers,
    on id: HTTP2StreamID,
    _ context: ChannelHandlerContext
  ) {
    guard var stream = streams[id] else { return }
    if let status = part.headers.first(name: "grpc-status") {
      stream.status = Int(status)
      stream.statusMessage = part.headers.first(name: "grpc-message") ?? ""
    } else if !stream.isGRPC, let status = part.headers.first(name: ":status") {
      stream.status = status == "200" ? 0 : Int(status)
    }
    streams[id] = stream
    if part.endStream { finish(stream, id, context) }
  }

  private func receive(
    _ part: HTTP2Frame.FramePayload.Data,
    on id: HTTP2StreamID,
    _ context: ChannelHandlerContext
  ) {
    guard case .byteBuffer(var bytes) = part.data else { return }
    unacknowledgedBytes += bytes.readableBytes + (part.paddingBytes ?? 0)
    guard var stream = streams[id] else { return }
    if stream.body == nil {
      stream.body = bytes
    } else {
      stream.body?.writeBuffer(&bytes)
    }
    streams[id] = stream
    if part.endStream { finish(stream, id, context) }
  }

  private func finish(_ stream: Stream, _ id: HTTP2StreamID, _ context: ChannelHandlerContext) {
    let body = stream.body ?? ByteBuffer()
    let messages = stream.isGRPC ? Answer.messages(in: body) : [Array(body.readableBytesView)]
    let answer = Answer(
      status: stream.status ?? Answer.unavailable,
      statusMessage: stream.statusMessage,
      messages: messages
    )
    end(id, answer, context)
  }

  // MARK: Operations

  private func startOperation(_ index: Int, _ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    guard now < plan.end, context.channel.isActive,
      let call = slots[index].operation.begin(&random)
    else {
      return close(index, context)
    }
    slots[index].started = now
    send(call, slot: index, context)
  }

  private func end(_ id: HTTP2StreamID, _ answer: Answer, _ context: ChannelHandlerContext) {
    guard let stream = streams.removeValue(forKey: id) else { return }
    let index = stream.slot
    switch slots[index].operation.receive(answer, &random) {
    case .call(let call) where context.channel.isActive:
      measurement.retries += answer.status == Answer.aborted ? 1 : 0
      return send(call, slot: index, context)
    case .call:
      break
    case .finished(let documents):
      let now = NIODeadline.now()
      if slots[index].started >= plan.measureFrom {
        measurement.add(now - slots[index].started, documents: documents, slot: index)
      }
      measurement.acknowledgedDocuments += documents
    case .failed(let name):
      measurement.add(error: name)
    }
    startOperation(index, context)
  }

  private func close(_ index: Int, _ context: ChannelHandlerContext) {
    guard !slots[index].isDone else { return }
    slots[index].isDone = true
    openSlots -= 1
    if openSlots == 0 { context.close(promise: nil) }
  }

  private func send(_ call: OutgoingCall, slot: Int, _ context: ChannelHandlerContext) {
    let id = HTTP2StreamID(nextStream)
    nextStream += 2
    let isGRPC = call.method != .metrics
    streams[id] = Stream(slot: slot, isGRPC: isGRPC)
    let head = HTTP2Frame.FramePayload.Headers(
      headers: headers[call.method.rawValue],
      endStream: !isGRPC
    )
    write(HTTP2Frame(streamID: id, payload: .headers(head)), context)
    guard isGRPC else { return }
    var body = context.channel.allocator.buffer(capacity: call.message.count + 5)
    body.writeInteger(UInt8(0))
    body.writeInteger(UInt32(call.message.count))
    body.writeBytes(call.message)
    let part = HTTP2Frame.FramePayload.Data(data: .byteBuffer(body), endStream: true)
    write(HTTP2Frame(streamID: id, payload: .data(part)), context)
  }

  private func write(_ frame: HTTP2Frame, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(frame), promise: nil)
    mustFlush = true
  }

  private func flushIfNeeded(_ context: ChannelHandlerContext) {
    guard mustFlush else { return }
    mustFlush = false
    context.flush()
  }
}
