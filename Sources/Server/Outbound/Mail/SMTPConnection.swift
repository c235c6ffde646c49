import NIOCore
import NIOSSL
import NIOTLS

/// Carries one conversation over a channel; on its event loop.
///
/// TLS is put in front when the conversation asks for it. Bytes received in cleartext after the
/// server's consent are invalid and end the connection.
final class SMTPConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let longestLine = 2_048

  private var conversation: SMTPConversation
  private let message: [UInt8]
  private let tls: NIOSSLContext?
  private let host: String
  private let result: EventLoopPromise<Void>
  private var received = ByteBuffer()
  private var isOver = false

  /// A connection that fulfils `result` when the message was accepted.
  init(
    conversation: SMTPConversation,
    message: [UInt8],
    tls: NIOSSLContext?,
    host: String,
    result: EventLoopPromise<Void>
  ) {
    self.conversation = conversation
    self.message = message
    self.tls = tls
    self.host = host
    self.result = result
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    received.writeBuffer(&bytes)
    while !isOver, let line = nextLine() { perform(conversation.receive(line), context) }
    if !isOver, received.readableBytes > Self.longestLine {
      perform(.fail("the mail server sent a line that is too long"), context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      if hasSwitched { perform(conversation.didEncrypt(), context) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(context, .failure(OutboundError(.unreachable, "the mail server closed the connection")))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(
      context,
      .failure(
        OutboundError(.unreachable, "the connection to the mail server failed", cause: error)
      )
    )
  }

  /// True if the connection was switched to TLS; its bytes are not read here after that.
  private var hasSwitched = false

  private func nextLine() -> String? {
    let view = received.readableBytesView
    guard let end = view.firstIndex(of: 0x0A) else { return nil }
    let length = end - view.startIndex
    guard length <= Self.longestLine, let line = received.readSlice(length: length) else {
      return nil
    }
    received.moveReaderIndex(forwardBy: 1)
    received.discardReadBytes()
    let text = String(decoding: line.readableBytesView, as: UTF8.self)
    return text.last == "\r" ? String(text.dropLast()) : text
  }

  private func perform(_ action: SMTPConversation.Action, _ context: ChannelHandlerContext) {
    switch action {
    case .wait: break
    case .send(let line): write(Array("\(line)\r\n".utf8), context)
    case .encrypt: encrypt(context)
    case .sendMessage: write(Self.stuffed(message) + Array(".\r\n".utf8), context)
    case .finish:
      write(Array("QUIT\r\n".utf8), context)
      end(context, .success(()))
    case .fail(let problem): end(context, .failure(OutboundError(.rejected, problem)))
    }
  }

  private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
  }

  private func encrypt(_ context: ChannelHandlerContext) {
    guard received.readableBytes == 0, let tls else {
      return perform(.fail("the mail server sent data before TLS was established"), context)
    }
    do {
      hasSwitched = true
      let handler = try NIOSSLClientHandler(context: tls, serverHostname: serverName)
      try context.pipeline.syncOperations.addHandler(handler, position: .first)
    } catch {
      end(
        context,
        .failure(OutboundError(.unreachable, "TLS could not be established", cause: error))
      )
    }
  }

  /// The name to send and to check; certificates for numbers are checked without one.
  private var serverName: String? { NetworkAddress(host) == nil ? host : nil }

  private func end(_ context: ChannelHandlerContext, _ outcome: Result<Void, any Error>) {
    guard !isOver else { return }
    isOver = true
    result.completeWith(outcome)
    context.close(promise: nil)
  }

  /// Doubles a dot at the beginning of a line.
  static func stuffed(_ message: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(message.count + 16)
    var isAtStart = true
    for byte in message {
      if isAtStart, byte == UInt8(ascii: ".") { result.append(byte) }
      result.append(byte)
      isAtStart = byte == 0x0A
    }
    return result
  }
}
