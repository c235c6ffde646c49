import Access
import BaseRuntime
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHPACK
import NIOHTTP2

/// An HTTP/2 request that is not gRPC, bridged to the responder that HTTP/1.1 has too.
///
/// The body streams in with back-pressure: the client gets window for what the handler took. The
/// answer streams out at the pace of the client's reading.
// Sendable: only the connection's event loop touches the state; other threads hop onto it.
final class BridgedRequest: ConnectionStream, @unchecked Sendable {
  typealias Body = NIOThrowingAsyncSequenceProducer<
    ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark,
    BodyDelegate
  >

  /// The client went away before the response was complete.
  struct Abandoned: Error {}

  private let connection: HTTP2Connection
  private let eventLoop: any EventLoop
  private let id: HTTP2StreamID
  private let head: HTTPRequest
  /// The cost of its headers in the connection's credit.
  private let headerCost: Int
  /// Ends with the object, which the handler's task holds on to.
  private let lease: RequestLease
  private let cancellation = Cancellation()
  private var body: Body.NewSequence?
  private var source: Body.Source?
  /// Body bytes that the handler has not taken yet; the client gets window for them when it does.
  private var withheldBytes = 0
  private var isHandlerBehind = false
  /// Body bytes that came since the deadline was set.
  private var recentBytes = 0
  /// The number of bytes still to come of the length that the client announced; nil if it announced
  /// none.
  private var announcedBytes: Int?
  private var isRequestComplete = false
  private var isGone = false
  private var writersWaiting: [EventLoopPromise<Void>] = []
  private(set) var deadline: NIODeadline?
  var unwrittenBytes = 0
  var flow = AnswerFlow()
  var heldRequestBytes: Int { withheldBytes }

  /// Opens the request; nil if its pseudo-headers are no HTTP request's.
  init?(
    _ headers: HPACKHeaders,
    cost: Int,
    _ lease: RequestLease,
    on id: HTTP2StreamID,
    of connection: HTTP2Connection
  ) {
    guard let head = HTTPRequest(headers), let eventLoop = connection.context?.eventLoop else {
      return nil
    }
    if let length = headers.first(name: "content-length") {
      guard let bytes = Int(length), bytes >= 0 else { return nil }
      announcedBytes = bytes
    }
    self.lease = lease
    self.connection = connection
    self.eventLoop = eventLoop
    self.id = id
    self.head = head
    headerCost = cost
    deadline = .now() + TimeAmount(connection.environment.limits.bodyTimeout)
    let body = Body.makeSequence(
      backPressureStrategy: .init(lowWatermark: 4, highWatermark: 16),
      finishOnDeinit: true,
      delegate: BodyDelegate(self)
    )
    self.body = body
    source = body.source
  }

  /// Has the handler run.
  func start() {
    guard let sequence = body?.sequence else { return }
    body = nil
    let request = Request(head: head, body: RequestBody(asyncSequence: sequence))
    connection.environment.tasks.submit { await self.answer(request) }
  }

  private func answer(_ request: Request) async {
    let response = await connection.environment.responder.respond(
      to: request,
      requestID: connection.requestID(id),
      peer: connection.peer,
      lease: lease,
      cancellation: cancellation
    )
    .framed(for: head.method)
    do {
      try await send(head: response)
      try await response.body.write(BridgedResponseWriter(request: self))
    } catch {
      eventLoop.execute { self.reset() }
    }
  }

  // MARK: Request

  func receive(_ data: ByteBuffer, isLast: Bool) {
    isRequestComplete = isLast
    guard connection.extend(lease, by: data.readableBytes, for: nil) else { return refuseBody() }
    announcedBytes = announcedBytes.map { $0 - data.readableBytes }
    withheldBytes += data.readableBytes
    recentBytes += data.readableBytes
    if let source, case .stopProducing = source.yield(data.compacted()) { isHandlerBehind = true }
    if !isHandlerBehind { acknowledgeWithheld() }
  }

  /// The handler receives the lack of room for the body, and reports it to the client.
  private func refuseBody() {
    source?.finish(ByteLedger.exhausted)
    source = nil
    announcedBytes = nil
  }

  func receiveEnd() {
    isRequestComplete = true
    deadline = nil
    let isWhole = announcedBytes ?? 0 == 0
    if isWhole { source?.finish() } else { source?.finish(Abandoned()) }
    source = nil
    if !isWhole { reset(.rstStream(.protocolError)) }
  }

  fileprivate func handlerCaughtUp() {
    isHandlerBehind = false
    releaseWithheld()
  }

  fileprivate func handlerStoppedReading() {
    source = nil
    isHandlerBehind = false
    releaseWithheld()
  }

  /// As `acknowledgeWithheld`, outside the connection's own counting around `receive`.
  private func releaseWithheld() {
    guard !isGone else { return }
    connection.releaseRequestBytes(withheldBytes)
    acknowledgeWithheld()
    connection.flushUnlessReading()
  }

  private func acknowledgeWithheld() {
    if withheldBytes > 0, !isRequestComplete { connection.acknowledge(withheldBytes, on: id) }
    withheldBytes = 0
  }

  // MARK: Answer

  private func send(head response: Response) async throws {
    var headers = HPACKHeaders([(":status", String(response.status.code))])
    for field in response.headers {
      headers.add(name: field.name.canonicalName, value: field.value)
    }
    let block = headers
    let isServed = response.status.code < 400 || response.status == .notFound
    try await onEventLoop {
      if isServed { self.connection.noteServed(headerCost: self.headerCost) }
      self.connection.writeHeaders(block, on: self.id, isLast: false)
    }
  }

  /// Writes a part of the response's body; returns when more may follow.
  fileprivate func send(_ data: ByteBuffer) async throws {
    try await onEventLoop {
      guard self.connection.writeData(data, of: self, on: self.id) else {
        throw ByteLedger.exhausted
      }
    }
    try await eventLoop.flatSubmit { self.roomToWrite() }.get()
  }

  /// Ends the response.
  fileprivate func finish() async throws {
    let end = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
    try await onEventLoop { self.connection.writeEnd(.data(end), on: self.id) }
  }

  private func onEventLoop(_ write: @escaping @Sendable () throws -> Void) async throws {
    try await eventLoop.submit {
      if self.isGone { throw Abandoned() }
      try write()
      self.connection.flushUnlessReading()
    }
    .get()
  }

  private func roomToWrite() -> EventLoopFuture<Void> {
    if isGone { return eventLoop.makeFailedFuture(Abandoned()) }
    if unwrittenBytes < connection.environment.limits.streamedResultBytes {
      return eventLoop.makeSucceededVoidFuture()
    }
    let promise = eventLoop.makePromise(of: Void.self)
    writersWaiting.append(promise)
    return promise.futureResult
  }

  var wantsToContinue: Bool { !writersWaiting.isEmpty }

  func continueWriting() {
    let writers = writersWaiting
    writersWaiting = []
    for writer in writers { writer.succeed() }
  }

  // MARK: Ends

  func abandon() {
    isGone = true
    cancellation.cancel()
    source?.finish(Abandoned())
    source = nil
    let writers = writersWaiting
    writersWaiting = []
    for writer in writers { writer.fail(Abandoned()) }
  }

  /// The body took too long; one of any length may continue if enough of it has arrived since.
  func expire() {
    let limits = connection.environment.limits
    if lease.isStream, isHandlerBehind || recentBytes >= limits.streamedBodyBytes {
      recentBytes = 0
      let next = NIODeadline.now() + TimeAmount(limits.bodyTimeout)
      deadline = next
      connection.wake(at: next)
      return
    }
    deadline = nil
    reset()
  }

  /// The window that its handler is behind with is its bound.
  func overflow() {}

  func endLeft() {}

  func drain() {}

  private func reset(_ payload: HTTP2Frame.FramePayload = .rstStream(.cancel)) {
    guard !isGone else { return }
    connection.write(HTTP2Frame(streamID: id, payload: payload))
    connection.flushUnlessReading()
  }

  /// Notifies the request when its handler wants more of the body.
  struct BodyDelegate: NIOAsyncSequenceProducerDelegate {
    private let request: WeakRequest

    fileprivate init(_ request: BridgedRequest) {
      self.request = WeakRequest(request)
    }

    func produceMore() {
      guard let request = request.value else { return }
      request.eventLoop.execute { request.handlerCaughtUp() }
    }

    func didTerminate() {
      guard let request = request.value else { return }
      request.eventLoop.execute { request.handlerStoppedReading() }
    }
  }
}

/// A reference that does not keep the request; its body's delegate would make a cycle.
// Sendable: written once, before it is shared; weak loads are atomic.
private final class WeakRequest: @unchecked Sendable {
  private(set) weak var value: BridgedRequest?

  init(_ value: BridgedRequest) {
    self.value = value
  }
}

/// Writes a response's body to its stream.
private struct BridgedResponseWriter: ResponseBodyWriter {
  let request: BridgedRequest

  func write(_ buffer: ByteBuffer) async throws {
    guard buffer.readableBytes > 0 else { return }
    try await request.send(buffer)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    try await request.finish()
  }
}
