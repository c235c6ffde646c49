import Access
import BaseRuntime
import BaseStatus
import NIOCore
import NIOHTTP2

/// A gRPC call whose client sends one message: unary, or with a stream of answers.
///
/// Only the connection's event loop touches the state; answers of other threads arrive through its
/// mailbox.
///
///     receiving -> delayed -> running -> (finished | streaming -> finished)
///
/// `finished` may follow any phase: an error, the deadline, or a client that went away.
// Sendable: references cross threads only to be handed back to the mailbox's event loop.
final class GRPCCall: ConnectionStream, @unchecked Sendable {
  private enum Phase {
    /// The request's message is still coming.
    case receiving(GRPCMessageBuffer)
    /// The request is complete and waits for the client to read earlier responses.
    case delayed([UInt8])
    /// The service works on it.
    case running
    /// The service has answered with a stream; `isPulling` while it computes the next part.
    case streaming(any ResponseStream, isPulling: Bool)
    /// The status was written, or no caller waits for it.
    case finished
  }

  static let tooMuchHeld = ServiceError(
    .resourceExhausted,
    "The connection has too many bytes of unfinished requests."
  )

  let connection: HTTP2Connection
  private let callDeadline: NIODeadline?
  /// The time by which the request must have come.
  private let requestDeadline: NIODeadline
  var unwrittenBytes = 0
  var flow = AnswerFlow()
  private(set) var heldRequestBytes = 0
  private let id: HTTP2StreamID
  private let method: ServedMethod
  private let started: ContinuousClock.Instant
  private let context: CallContext
  private let headerCost: Int
  /// Ends with the object, which the service's response holds on to.
  private let lease: RequestLease
  /// The request's bytes on the lease.
  private var leasedBytes = 0
  private var phase: Phase
  private var unacknowledgedBytes = 0
  private var hasWrittenHead = false
  private var isRequestComplete = false
  /// Guards `pull` against answers that come before `next` returns.
  private var isInPull = false

  init(
    _ call: AdmittedCall,
    _ lease: RequestLease,
    on id: HTTP2StreamID,
    of connection: HTTP2Connection
  ) {
    self.lease = lease
    method = call.method
    context = call.context
    headerCost = call.headerCost
    started = call.started
    callDeadline = call.deadline
    requestDeadline = .now() + TimeAmount(connection.environment.limits.bodyTimeout)
    self.id = id
    self.connection = connection
    phase = .receiving(GRPCMessageBuffer(limit: connection.environment.limits.messageBytes))
  }

  var deadline: NIODeadline? {
    guard case .receiving = phase else { return callDeadline }
    return min(callDeadline ?? .distantFuture, requestDeadline)
  }

  // MARK: Request

  func receive(_ data: ByteBuffer, isLast: Bool) {
    isRequestComplete = isLast
    guard case .receiving(var buffer) = phase else { return }
    guard connection.extend(lease, by: data.readableBytes, for: context) else {
      return fail(ByteLedger.exhausted)
    }
    leasedBytes += data.readableBytes
    phase = .finished
    do throws(ServiceError) {
      // An incomplete message keeps only its own part of the socket's buffer.
      try buffer.append(isLast ? data : data.compacted())
      phase = .receiving(buffer)
    } catch {
      phase = .receiving(buffer)
      return fail(error)
    }
    heldRequestBytes = buffer.heldBytes
    unacknowledgedBytes += data.readableBytes
    if !isLast, unacknowledgedBytes >= HTTP2Connection.streamWindow / 2 {
      connection.acknowledge(unacknowledgedBytes, on: id)
      unacknowledgedBytes = 0
    }
  }

  func receiveEnd() {
    isRequestComplete = true
    guard case .receiving(let buffer) = phase else { return }
    do throws(ServiceError) {
      phase = .delayed(try buffer.message())
    } catch {
      return fail(error)
    }
    connection.startWhenReaderAllows(self)
  }

  /// Hands the complete request to the service.
  func start() {
    guard case .delayed(let request) = phase else { return }
    phase = .running
    connection.releaseRequestBytes(heldRequestBytes)
    heldRequestBytes = 0
    let mailbox = connection.mailbox
    switch method.handler {
    case .unary(let handle):
      guard !method.isReading, connection.isAlone else {
        return handle(request, context) { mailbox.post(.message($0), to: self) }
      }
      BlockingCheck.whileAlone {
        handle(request, context) { mailbox.post(.message($0), to: self) }
      }
    case .serverStreaming(let handle):
      handle(request, context) { mailbox.post(.stream($0), to: self) }
    case .bidirectional:
      preconditionFailure("a bidirectional call in place of one with a single message")
    }
  }

  // MARK: Answers

  /// Takes a response of the service; too late ones are dropped.
  func receive(_ answer: EventLoopMailbox.Answer) {
    releaseRequest()
    switch (answer, phase) {
    case (.message(.success(let message)), .running):
      guard write([message]) else { return fail(ByteLedger.exhausted) }
      finish()
    case (.stream(.success(let stream)), .running):
      phase = .streaming(stream, isPulling: false)
      pull()
    case (.chunk(.success(let messages)), .streaming(let stream, isPulling: true)):
      phase = .streaming(stream, isPulling: false)
      guard !messages.isEmpty else { return finish() }
      guard write(messages) else { return fail(ByteLedger.exhausted) }
      if !isInPull { pull() }
    case (.message(.failure(let error)), .running), (.stream(.failure(let error)), .running),
      (.chunk(.failure(let error)), .streaming):
      fail(error)
    default:
      return
    }
  }

  /// The service is done with the request.
  private func releaseRequest() {
    guard leasedBytes > 0 else { return }
    lease.reduce(by: leasedBytes)
    leasedBytes = 0
  }

  /// Asks for more answers for as long as the client keeps up.
  private func pull() {
    isInPull = true
    defer { isInPull = false }
    let limit = connection.environment.limits.streamedResultBytes
    while case .streaming(let stream, isPulling: false) = phase, unwrittenBytes < limit / 2 {
      phase = .streaming(stream, isPulling: true)
      let mailbox = connection.mailbox
      stream.next(maxBytes: limit / 2) { mailbox.post(.chunk($0), to: self) }
    }
  }

  var wantsToContinue: Bool {
    if case .streaming(_, isPulling: false) = phase { true } else { false }
  }

  func continueWriting() {
    pull()
  }

  /// Writes messages as one run of DATA, after the head if it has not been sent; false where there is no
  /// room for them to wait in.
  private func write(_ messages: [[UInt8]]) -> Bool {
    if !hasWrittenHead {
      hasWrittenHead = true
      connection.writeHeaders(GRPCHeaders.head, on: id, isLast: false)
    }
    return connection.write(messages, of: self, on: id) != nil
  }

  private func finish() {
    phase = .finished
    connection.noteServed(headerCost: headerCost)
    connection.writeHeaders(GRPCHeaders.success, on: id, isLast: true)
    observe(.ok)
  }

  /// Ends the call with that error: trailers only, or the trailers of what was already sent.
  func fail(_ error: ServiceError) {
    if case .finished = phase { return }
    end()
    context.cancellation.cancel()
    let trailers =
      hasWrittenHead
      ? GRPCHeaders.trailers(error, requestID: context.requestID)
      : GRPCHeaders.trailersOnly(error, requestID: context.requestID)
    if error.code.isOfService { connection.noteServed(headerCost: headerCost) }
    connection.writeHeaders(trailers, on: id, isLast: true)
    if !isRequestComplete {
      connection.write(HTTP2Frame(streamID: id, payload: .rstStream(.noError)))
    }
    observe(error.code)
    connection.environment.log(error, requestID: context.requestID, of: method)
  }

  func expire() {
    fail(ServiceError(.deadlineExceeded, "Deadline exceeded."))
  }

  func abandon() {
    context.cancellation.cancel()
    if case .finished = phase { return }
    end()
    observe(.cancelled)
  }

  /// Ends the call for its client; the service's work on it counts until it is done.
  private func end() {
    if case .running = phase {} else { releaseRequest() }
    phase = .finished
  }

  func overflow() {
    fail(Self.tooMuchHeld)
  }

  func endLeft() {}

  func drain() {}

  private func observe(_ code: StatusCode) {
    method.observe(code, since: started)
    connection.note(method.path, code, ContinuousClock.now - started, context)
  }
}

extension StatusCode {
  /// True if the call was let in and tried: any client may get this status at times.
  fileprivate var isOfService: Bool {
    switch self {
    case .notFound, .alreadyExists, .failedPrecondition, .aborted, .unavailable, .internalError:
      true
    default: false
    }
  }
}
