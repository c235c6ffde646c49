import Access
import BaseRuntime
import BaseStatus
import FirestoreWire
import NIOCore
import NIOHTTP2
import Synchronization

/// A gRPC call in which both sides send many messages: Listen and Write.
///
/// The service's messages, from any thread, go into the outbox and are sent on the connection's
/// event loop, in order. All messages in one drain of the loop's mailbox become one run of DATA and
/// one flush of the connection. Everything else here happens on that loop.
///
/// The client gets window for the bytes that the service took; while the service does not read,
/// whole messages wait here and the window closes. The service is asked to wait when too much is in
/// flight to the client, on this stream or on its connection, and is notified when half of it has
/// left.
///
///     opening -> open -> ended
///
/// The service receives `cancel` exactly once if the call ends before it has finished it.
// Sendable: the outbox has a lock; the event loop alone touches the rest.
final class StreamingCall: ConnectionStream, StreamResponses, @unchecked Sendable {
  /// Has the service begin the call.
  typealias OpenCall =
    @Sendable (CallContext, any StreamResponses) throws(ServiceError) -> any StreamCall

  private enum Phase {
    /// The service is handling the call; its responses in the meantime count.
    case opening
    case open(any StreamCall)
    /// The trailers were written, or no caller waits for them.
    case ended
  }

  /// The messages of the service that the event loop has not carried out.
  private struct Outbox {
    var messages: [[UInt8]] = []
    var end: End?
    /// True if the event loop has been asked to look.
    var isPosted = false
    /// Bytes sent by the service that have not left for the socket.
    var bytesUnderWay = 0
    /// The service was asked to wait.
    var isSenderWaiting = false
    /// True if the service takes the client's messages.
    var isReading = true
    /// Nothing is taken any more.
    var isClosed = false
  }

  private enum End {
    case success
    case failure(ServiceError)
  }

  private static let stopping = ServiceError(.unavailable, "The server is stopping.")

  let connection: HTTP2Connection
  private let id: HTTP2StreamID
  private let method: ServedMethod
  private let open: OpenCall
  private let context: CallContext
  /// Ends with the object, which the service holds on to for as long as it works on the call.
  private let lease: RequestLease
  /// The bytes of the request on the lease: those that wait for the service, and those that it
  /// received last.
  private var leasedBytes = 0
  private let outbox = Mutex(Outbox())
  private(set) var deadline: NIODeadline?
  var flow = AnswerFlow()
  private var phase = Phase.opening
  private var deframer: GRPCMessageDeframer
  private(set) var heldRequestBytes = 0
  private var unacknowledgedBytes = 0
  private var hasWrittenHead = false
  /// The trailers have left, behind all DATA.
  private var hasEndLeft = false
  private var isRequestComplete = false
  private var isRequestEndTold = false
  private var isDelivering = false
  /// The server stops and the service ends the call with the messages received so far.
  private var isDraining = false

  var unwrittenBytes = 0 {
    didSet { if unwrittenBytes < oldValue { left(oldValue - unwrittenBytes) } }
  }

  init(
    _ call: AdmittedCall,
    _ open: @escaping OpenCall,
    _ lease: RequestLease,
    on id: HTTP2StreamID,
    of connection: HTTP2Connection
  ) {
    self.connection = connection
    self.id = id
    self.open = open
    self.lease = lease
    method = call.method
    context = call.context
    deadline = call.deadline
    deframer = GRPCMessageDeframer(maximumSize: connection.environment.limits.messageBytes)
  }

  /// Asks the service; the stream is in the connection's table already.
  func start() {
    method.streamOpened()
    do throws(ServiceError) {
      let call = try open(context, self)
      switch phase {
      case .opening, .open: phase = .open(call)
      case .ended: if outbox.withLock({ $0.end == nil }) { call.cancel() }
      }
    } catch {
      writeEnd(error)
    }
  }

  // MARK: Requests

  func receive(_ data: ByteBuffer, isLast: Bool) {
    // The connection has subtracted the bytes held before from its count, and adds the bytes held
    // now.
    heldRequestBytes = 0
    if case .ended = phase { return }
    guard connection.extend(lease, by: data.readableBytes, for: context) else {
      return fail(ByteLedger.exhausted)
    }
    leasedBytes += data.readableBytes
    data.withUnsafeReadableBytes { deframer.append($0) }
    unacknowledgedBytes += data.readableBytes
    isRequestComplete = isLast
    deliver()
    if case .ended = phase { return }
    heldRequestBytes = deframer.bufferedBytes
  }

  func receiveEnd() {
    isRequestComplete = true
    deliver()
  }

  /// Hands whole messages to the service for as long as it reads, then the end of them.
  private func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    do throws(ServiceError) {
      while case .open(let call) = phase, isServiceReading {
        guard let message = try deframer.next() else { break }
        connection.environment.metrics.receivedMessages.add(1)
        call.receive(message)
      }
      releaseDelivered()
      try deliverEnd()
      acknowledge()
    } catch {
      fail(error)
    }
  }

  /// A service that reads is done with what it was handed.
  private func releaseDelivered() {
    let delivered = leasedBytes - deframer.bufferedBytes
    guard delivered > 0, isServiceReading else { return }
    lease.reduce(by: delivered)
    leasedBytes -= delivered
  }

  private func deliverEnd() throws(ServiceError) {
    guard isRequestComplete, !isRequestEndTold, case .open(let call) = phase,
      isServiceReading
    else { return }
    try deframer.finish()
    isRequestEndTold = true
    call.finishRequests()
  }

  private var isServiceReading: Bool { !isDraining && outbox.withLock { $0.isReading } }

  /// Gives the client window for what it sent, unless whole messages wait for the service.
  private func acknowledge() {
    guard case .open = phase, !isRequestComplete,
      unacknowledgedBytes >= HTTP2Connection.streamWindow / 2,
      isServiceReading
    else { return }
    connection.acknowledge(unacknowledgedBytes, on: id)
    unacknowledgedBytes = 0
  }

  // MARK: What the service says, on any thread

  func send(_ messages: [[UInt8]]) -> Bool {
    let bytes = messages.reduce(0) { $0 + $1.count + GRPCMessageBuffer.prefixBytes }
    let limits = connection.environment.limits
    let (isNews, hasRoom) = outbox.withLock { outbox -> (Bool, Bool) in
      guard !outbox.isClosed, outbox.end == nil else { return (false, true) }
      if outbox.messages.isEmpty { outbox.messages = messages } else { outbox.messages += messages }
      outbox.bytesUnderWay += bytes
      let total = connection.streamedBytes.wrappingAdd(bytes, ordering: .relaxed).newValue
      outbox.isSenderWaiting =
        outbox.bytesUnderWay >= limits.streamedResultBytes
        || total >= limits.bufferedResponseBytes
      defer { outbox.isPosted = true }
      return (!outbox.isPosted, !outbox.isSenderWaiting)
    }
    if isNews { connection.mailbox.post(self) }
    return hasRoom
  }

  func setReading(_ isReading: Bool) {
    let isNews = outbox.withLock { outbox in
      let isNews = isReading && !outbox.isReading && !outbox.isPosted && !outbox.isClosed
      outbox.isReading = isReading
      if isNews { outbox.isPosted = true }
      return isNews
    }
    if isNews { connection.mailbox.post(self) }
  }

  func finish(_ error: ServiceError?) {
    let isNews = outbox.withLock { outbox in
      guard !outbox.isClosed, outbox.end == nil else { return false }
      outbox.end = error.map(End.failure) ?? .success
      defer { outbox.isPosted = true }
      return !outbox.isPosted
    }
    if isNews { connection.mailbox.post(self) }
  }

  // MARK: Answers

  /// Carries out the service's messages since the last time.
  func carryOut() {
    let (messages, end, isWaiting) = outbox.withLock { outbox in
      defer {
        outbox.messages = []
        outbox.isPosted = false
      }
      return (outbox.messages, outbox.end, outbox.isSenderWaiting)
    }
    if case .ended = phase { return }
    // First, because what leaves at once may end the wait.
    if isWaiting { connection.pause(self, on: id) }
    if !messages.isEmpty { write(messages) }
    switch end {
    case .success: writeEnd(nil)
    case .failure(let error): writeEnd(error)
    case nil: deliverOutsideReceive()
    }
  }

  /// As `deliver`, outside the connection's own counting around `receive`.
  private func deliverOutsideReceive() {
    guard !isDelivering else { return }
    guard deframer.bufferedBytes > 0 || isRequestComplete else { return releaseDelivered() }
    deliver()
    if case .ended = phase { return }
    let released = heldRequestBytes - deframer.bufferedBytes
    heldRequestBytes -= released
    connection.releaseRequestBytes(released)
  }

  /// Writes messages as one run of DATA, after the head if it has not been sent.
  private func write(_ messages: [[UInt8]]) {
    if !hasWrittenHead {
      hasWrittenHead = true
      connection.writeHeaders(GRPCHeaders.head, on: id, isLast: false)
    }
    connection.environment.metrics.sentMessages.add(messages.count)
    guard let bytes = connection.write(messages, of: self, on: id) else {
      return fail(ByteLedger.exhausted)
    }
    guard bytes > 0 else { return }
    left(bytes)
    connection.resumePausedCalls()
  }

  /// True if the service waits and may continue.
  var wantsToContinue: Bool {
    guard case .open = phase else { return hasEndLeft && !isRequestComplete }
    return outbox.withLock { $0.isSenderWaiting && hasRoomAgain($0) }
  }

  func continueWriting() {
    switch phase {
    case .opening: return
    case .open(let call):
      let mayGoOn = outbox.withLock { outbox in
        guard outbox.isSenderWaiting, hasRoomAgain(outbox) else { return false }
        outbox.isSenderWaiting = false
        return true
      }
      if mayGoOn { call.resumeSending() }
    case .ended:
      guard hasEndLeft, !isRequestComplete else { return }
      isRequestComplete = true
      connection.write(HTTP2Frame(streamID: id, payload: .rstStream(.noError)))
    }
  }

  private func hasRoomAgain(_ outbox: Outbox) -> Bool {
    let limits = connection.environment.limits
    return outbox.bytesUnderWay < limits.streamedResultBytes / 2
      && connection.streamedBytes.load(ordering: .relaxed) < limits.bufferedResponseBytes / 2
  }

  private func left(_ bytes: Int) {
    outbox.withLock { $0.bytesUnderWay -= bytes }
    connection.streamedBytes.wrappingSubtract(bytes, ordering: .relaxed)
  }

  func endLeft() {
    hasEndLeft = true
  }

  // MARK: Ends

  /// Writes the status; the client is asked to stop sending once that has left.
  private func writeEnd(_ error: ServiceError?) {
    close()
    let trailers =
      switch error {
      case nil: hasWrittenHead ? GRPCHeaders.success : GRPCHeaders.successOnly
      case let error?:
        hasWrittenHead
          ? GRPCHeaders.trailers(error, requestID: context.requestID)
          : GRPCHeaders.trailersOnly(error, requestID: context.requestID)
      }
    connection.writeHeaders(trailers, on: id, isLast: true)
    observe(error?.code ?? .ok)
    if let error {
      connection.environment.log(error, requestID: context.requestID, of: method)
    }
  }

  /// Ends the call for a reason that the service does not know.
  func fail(_ error: ServiceError) {
    cancelService { writeEnd(error) }
  }

  func abandon() {
    cancelService {
      close()
      observe(.cancelled)
    }
  }

  private func observe(_ code: StatusCode) {
    method.observe(code, since: nil)
    connection.note(method.path, code, nil, context)
  }

  private func cancelService(after end: () -> Void) {
    let call: (any StreamCall)?
    switch phase {
    case .opening: call = nil
    case .open(let open): call = open
    case .ended: return
    }
    end()
    context.cancellation.cancel()
    call?.cancel()
  }

  private func close() {
    phase = .ended
    deadline = nil
    deframer = GRPCMessageDeframer(maximumSize: 0)
    method.streamClosed()
    let pending = outbox.withLock { outbox in
      outbox.isClosed = true
      outbox.messages = []
      return outbox.bytesUnderWay - unwrittenBytes
    }
    left(pending)
  }

  func expire() {
    fail(ServiceError(.deadlineExceeded, "Deadline exceeded."))
  }

  func overflow() {
    fail(GRPCCall.tooMuchHeld)
  }

  func drain() {
    guard case .open(let call) = phase else { return }
    isDraining = true
    if !call.drain() {
      carryOut()
      fail(Self.stopping)
    }
  }
}
