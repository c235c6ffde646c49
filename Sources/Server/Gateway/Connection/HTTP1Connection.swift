import Access
import BaseRuntime
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import ServiceModule
import Synchronization

/// An HTTP/1.1 connection: Hummingbird's channel, with time limits and the client's going away.
final class HTTP1Connection: Sendable {
  private struct State {
    var requests = 0
    var current: Cancellation?
    /// The lease of the request in progress.
    weak var lease: RequestLease?
    /// True if the event loop serves a request, or has given the connection to a stream.
    var isInCall = false
    var isStopping = false
  }

  private let environment: ConnectionEnvironment
  private let mailbox: EventLoopMailbox
  private let peer: Peer
  private let activity: ConnectionActivity
  private let account: LedgerAccount
  /// The prefix of the ids of the connection's requests.
  private let requestPrefix: String
  /// Sends parts of files; nil over TLS, and before a request came that may take them.
  private let files = Mutex<HTTP1FileWriter?>(nil)
  private let state = Mutex(State())

  init(
    environment: ConnectionEnvironment,
    mailbox: EventLoopMailbox,
    peer: Peer,
    activity: ConnectionActivity
  ) {
    self.environment = environment
    self.mailbox = mailbox
    self.peer = peer
    self.activity = activity
    account = environment.ledger.account(of: peer.network)
    requestPrefix = String(environment.nextConnectionNumber(), radix: 36) + "-"
  }

  /// Adds the first handler, which has the connection's requests answered.
  func start(on channel: any Channel, readTurns: ReadTurns) throws {
    let limits = environment.limits
    let lane = HTTP1MemoryLane(
      self,
      headLimit: min(limits.metadataBytes, limits.headerListBytes),
      limit: TimeAmount(limits.headTimeout),
      readTurns: readTurns
    )
    try channel.pipeline.syncOperations.addHandler(lane)
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.current }?.cancel()
      self.account.forfeitAllowance()
    }
  }

  /// The event loop reads from the connection.
  func noteRead() { mailbox.company.noteRead(of: nil) }

  /// Adds the decoder of HTTP and its responses; sets the connection's time limit.
  func addDecoder(
    to channel: any Channel,
    behind lane: HTTP1MemoryLane
  ) throws -> HTTP1IdleTimeout {
    if !peer.isSecure {
      let fileLane = HTTP1FileLane(limit: TimeAmount(environment.limits.stalledReaderTimeout))
      try channel.pipeline.syncOperations.addHandler(fileLane, position: .before(lane))
      files.withLock { $0 = HTTP1FileWriter(fileLane, channel.eventLoop) }
    }
    let limits = environment.limits
    let idleTimeout = HTTP1IdleTimeout(limit: TimeAmount(limits.headTimeout))
    let meter = HTTP1HeadMeter(account)
    try channel.pipeline.syncOperations.addHandler(meter)
    let boundTimeout = NIOLoopBound(idleTimeout, eventLoop: channel.eventLoop)
    let boundLane = NIOLoopBound(lane, eventLoop: channel.eventLoop)
    let meterOfHead = NIOLoopBound(meter, eventLoop: channel.eventLoop)
    let account = account
    let http1 = HTTP1Channel(
      responder: { request, writer, _ in
        try await self.respond(request, writer, channel)
        if self.isStopping { channel.closeWhenWritten() }
        // The next request of a pipeline is here already: the tasks of others are served before it.
        await Task.yield()
      },
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          HTTP1Expectation(),
          HTTP1RequestWatch(
            limit: TimeAmount(limits.bodyTimeout),
            streamedBytes: limits.streamedBodyBytes,
            meter: meterOfHead.value,
            isStream: { self.state.withLock { $0.lease?.isStream ?? false } }
          ),
          StalledReaderTimeout(limit: TimeAmount(limits.stalledReaderTimeout), account: account),
          boundTimeout.value,
          HTTP1AnswerWatch(boundLane.value),
        ],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.metadataBytes,
          maxHeaderListSize: limits.headerListBytes,
          maxHeaderFieldCount: 256
        )
      )
    )
    let logger = environment.logger
    let tasks = environment.tasks
    http1.setup(channel: channel, logger: logger).whenSuccess { value in
      tasks.submit { await http1.handle(value: value, logger: logger) }
    }
    let pipeline = channel.pipeline.syncOperations
    let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
    try pipeline.addHandler(HTTP1Framing(), position: .before(codec))
    return idleTimeout
  }

  /// Gives a connection with no pending responses in its lane to a streamed response.
  func hand(
    _ channel: any Channel,
    to stream: any LoopStream,
    behind lane: HTTP1MemoryLane
  ) throws {
    let limit = TimeAmount(environment.limits.stalledReaderTimeout)
    let streamLane = HTTP1StreamLane(stream, mailbox, account, limit: limit) { self.endCall() }
    try channel.pipeline.syncOperations.addHandler(streamLane, position: .after(lane))
    channel.pipeline.syncOperations.removeHandler(lane, promise: nil)
  }

  /// True if the request in progress is the last.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Has the request in progress, if any, be the last.
  func finish(_ channel: any Channel) {
    let isIdle = state.withLock { state in
      defer { state.isStopping = true }
      return (state.current == nil && !state.isInCall) || state.isStopping
    }
    if isIdle { channel.closeWhenWritten() }
  }

  // MARK: Requests

  private func respond(
    _ request: Request,
    _ writer: consuming ResponseWriter,
    _ channel: any Channel
  ) async throws {
    let cancellation = Cancellation()
    let ordinal = state.withLock { state in
      state.requests += 1
      state.current = cancellation
      return state.requests
    }
    // It may have closed just before.
    if !channel.isActive { cancellation.cancel() }
    activity.begin()
    defer {
      state.withLock { $0.current = nil }
      activity.rest()
    }
    var response = await response(
      to: request,
      requestID: requestID(ordinal),
      cancellation,
      channel
    )
    .framed(for: request.method)
    if peer.memory.hasShownCredentials { account.trust() }
    if isStopping { response.headers[.connection] = "close" }
    // The length in the head frames a file's part.
    let mayTakeFiles = response.headers[.contentLength] != nil
    let files = mayTakeFiles ? files.withLock { $0 } : nil
    response.body = response.body.metered(account, files: files)
    try await writer.write(response: response.head, body: response.body)
  }

  /// A request that the event loop can answer when its body has come; nil where the request takes more, or the connection
  /// is about to end.
  func call(
    _ head: HTTPRequest,
    _ found: HTTP1HeadReader.Head,
    isAlone: Bool
  ) -> HTTP1LoopCall? {
    let ordinal = state.withLock { state -> Int? in
      guard !state.isStopping else { return nil }
      state.requests += 1
      return state.requests
    }
    guard let ordinal else { return nil }
    return environment.memoryAnswers.call(
      head,
      found,
      isAlone: isAlone,
      requestID: requestID(ordinal),
      peer: peer,
      account: account,
      mailbox: mailbox
    )
  }

  /// The event loop begins to answer a request.
  func beginCall() {
    state.withLock { $0.isInCall = true }
    activity.begin()
  }

  /// The request is answered, or another has to answer it.
  func endCall() {
    if peer.memory.hasShownCredentials { account.trust() }
    state.withLock { $0.isInCall = false }
    activity.rest()
  }

  /// The answer that memory alone can give; nil where the request takes more, or the connection is about to end.
  func answerFromMemory(
    _ head: HTTPRequest,
    _ allocator: ByteBufferAllocator
  ) -> ByteBuffer? {
    let ordinal = state.withLock { state -> Int? in
      guard !state.isStopping else { return nil }
      state.requests += 1
      return state.requests
    }
    guard let ordinal else { return nil }
    let answer = environment.memoryAnswers.answer(
      head,
      requestID: requestID(ordinal),
      peer: peer,
      account: account,
      allocator: allocator
    )
    if peer.memory.hasShownCredentials { account.trust() }
    activity.rest()
    return answer
  }

  private func requestID(_ ordinal: Int) -> String { requestPrefix + String(ordinal) }

  private func response(
    to request: Request,
    requestID: String,
    _ cancellation: Cancellation,
    _ channel: any Channel
  ) async -> Response {
    let cost = request.head.approximateBytes + HTTP2Connection.requestBytes
    guard let lease = RequestLease(account, bytes: cost) else {
      return ErrorRendering.response(
        ByteLedger.exhausted,
        isStreaming: false,
        logger: environment.logger
      )
    }
    state.withLock { $0.lease = lease }
    var request = request
    var body = MeteredBody(base: request.body, lease: lease)
    if request.head.expectsContinue {
      body.whenWanted = {
        channel.triggerUserOutboundEvent(HTTP1Expectation.BodyIsWanted(), promise: nil)
      }
    }
    request.body = RequestBody(asyncSequence: body)
    return await environment.responder.respond(
      to: request,
      requestID: requestID,
      peer: peer,
      lease: lease,
      cancellation: cancellation
    )
  }
}
