import Access
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS
import Synchronization

/// Sets up accepted connections: TLS or not, then the protocol that the client chose.
final class ConnectionFactory: Sendable {
  private let environment: ConnectionEnvironment
  private let registry: ConnectionRegistry
  private let certificates: CertificateStore?
  private let mailboxes: [ObjectIdentifier: EventLoopMailbox]
  /// The turns of each event loop; made when its first connection comes.
  private let readTurns = Mutex<[ObjectIdentifier: NIOLoopBound<ReadTurns>]>([:])

  init(
    environment: ConnectionEnvironment,
    registry: ConnectionRegistry,
    certificates: CertificateStore?,
    group: any EventLoopGroup
  ) {
    self.environment = environment
    self.registry = registry
    self.certificates = certificates
    mailboxes = Dictionary(
      uniqueKeysWithValues: group.makeIterator().map {
        (ObjectIdentifier($0), EventLoopMailbox(eventLoop: $0))
      }
    )
  }

  /// Cuts the services' threads off from the event loops, which may end after this.
  func close() {
    for mailbox in mailboxes.values { mailbox.close() }
  }

  /// Adds what keeps a listener from taking more than the process can hold; runs on its event loop.
  func configure(listener channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHandler(
      AcceptLimit(
        most: environment.limits.connections + AcceptLimit.refusals,
        logger: environment.logger
      )
    )
  }

  /// Adds the first handlers of an accepted connection; runs on its event loop.
  ///
  /// - Parameter function: The function that has the connection, which is never encrypted.
  func configure(_ channel: any Channel, function: FunctionOrigin? = nil) throws {
    let activity = ConnectionActivity()
    guard registry.admit(channel, activity) else {
      environment.logger.debug("connection refused: too many are open")
      throw ChannelError.inappropriateOperationForState
    }
    let timeout = TimeAmount(environment.limits.headTimeout)
    guard let certificates, function == nil else {
      let detector = ProtocolDetector(timeout: timeout) { isHTTP2 in
        try self.start(
          channel,
          activity,
          isHTTP2: isHTTP2,
          isSecure: false,
          function: function
        )
      }
      try channel.pipeline.syncOperations.addHandler(detector)
      return
    }
    try channel.pipeline.syncOperations.addHandlers([
      NIOSSLServerHandler(context: certificates.context),
      HandshakeTimeout(limit: timeout) { applicationProtocol in
        try self.start(channel, activity, isHTTP2: applicationProtocol == "h2", isSecure: true)
      },
    ])
  }

  private func start(
    _ channel: any Channel,
    _ activity: ConnectionActivity,
    isHTTP2: Bool,
    isSecure: Bool,
    function: FunctionOrigin? = nil
  ) throws {
    let peer = Peer(
      channel,
      activity,
      isSecure: isSecure,
      isHTTP2: isHTTP2,
      function: function
    )
    if isHTTP2 {
      try startHTTP2(channel, activity, peer: peer)
    } else {
      let connection = HTTP1Connection(
        environment: environment,
        mailbox: mailbox(of: channel.eventLoop),
        peer: peer,
        activity: activity
      )
      try connection.start(on: channel, readTurns: readTurns(of: channel.eventLoop))
      registry.setEnding(
        of: channel,
        ConnectionRegistry.Ending(
          finish: { connection.finish(channel) },
          makeWay: { channel.close(promise: nil) }
        )
      )
    }
  }

  private func startHTTP2(
    _ channel: any Channel,
    _ activity: ConnectionActivity,
    peer: Peer
  ) throws {
    let connection = HTTP2Connection(
      environment: environment,
      mailbox: mailbox(of: channel.eventLoop),
      readTurns: readTurns(of: channel.eventLoop),
      peer: peer,
      activity: activity
    )
    let (connectionConfiguration, streamConfiguration) = http2Configuration()
    try channel.pipeline.syncOperations.addHandlers([
      connection.lane,
      NIOHTTP2Handler(
        mode: .server,
        frameDelegate: connection,
        connectionConfiguration: connectionConfiguration,
        streamConfiguration: streamConfiguration
      ),
      connection,
    ])
    let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
    registry.setEnding(
      of: channel,
      ConnectionRegistry.Ending(
        finish: { bound.value.finishGracefully() },
        makeWay: { bound.value.makeWay() }
      )
    )
  }

  private func mailbox(of eventLoop: any EventLoop) -> EventLoopMailbox {
    guard let mailbox = mailboxes[ObjectIdentifier(eventLoop)] else {
      preconditionFailure("a connection on an event loop of another group")
    }
    return mailbox
  }

  private func readTurns(of eventLoop: any EventLoop) -> ReadTurns {
    readTurns.withLock { known in
      let turns =
        known[ObjectIdentifier(eventLoop)]
        ?? NIOLoopBound(ReadTurns(eventLoop: eventLoop), eventLoop: eventLoop)
      known[ObjectIdentifier(eventLoop)] = turns
      return turns
    }
    .value
  }

  private func http2Configuration() -> (
    NIOHTTP2Handler.ConnectionConfiguration, NIOHTTP2Handler.StreamConfiguration
  ) {
    let limits = environment.limits
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamsPerConnection),
      HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headerListBytes),
      HTTP2Setting(parameter: .initialWindowSize, value: HTTP2Connection.streamWindow),
    ]
    // RequestHead checks what matters of a request's headers; our own need no check.
    connection.headerBlockValidation = .disabled
    // It would miss the DATA that passes by it; BridgedRequest checks what clients announce.
    connection.contentLengthValidation = .disabled
    connection.maximumSequentialEmptyDataFrames = 16
    // DATA frames of this many streams may be in flight when they are reset.
    connection.maximumRecentlyResetStreams = 255
    connection.maximumBufferedControlFrames = 4_096
    // HTTP2Connection counts the streams that a client has the server reset.
    connection.maximumConnectionGlitches = .max
    // The lane counts these; here, they would add the cost of a flood to every idle connection.
    connection.controlFrameRateLimit.maximumCount = 64
    connection.controlFrameRateLimit.windowLength = .nanoseconds(0)
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.streamResetFrameRateLimit.maximumCount = 64
    stream.streamResetFrameRateLimit.windowLength = .nanoseconds(0)
    stream.streamErrorRateLimit.maximumCount = 64
    stream.streamErrorRateLimit.windowLength = .nanoseconds(0)
    return (connection, stream)
  }
}

/// Waits for the TLS handshake and passes on the protocol that it agreed on.
final class HandshakeTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let limit: TimeAmount
  private let configure: (String?) throws -> Void
  private var timer: Scheduled<Void>?

  init(limit: TimeAmount, configure: @escaping (String?) throws -> Void) {
    self.limit = limit
    self.configure = configure
  }

  func handlerAdded(context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
      context.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted(let agreed) = event as? TLSUserEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    timer?.cancel()
    do {
      try configure(agreed)
      context.pipeline.syncOperations.removeHandler(self, promise: nil)
    } catch {
      context.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
