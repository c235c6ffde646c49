import Authentication
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Hands messages to a mail server, one connection a message.
package struct SMTPTransport: Sendable {
  private let configuration: SMTPConfiguration
  private let group: any EventLoopGroup
  private let tls: NIOSSLContext?
  private let clock: @Sendable () -> Int

  /// A transport; `clock` gives seconds since 1970.
  package init(
    _ configuration: SMTPConfiguration,
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    clock: @escaping @Sendable () -> Int = { time(nil) }
  ) throws {
    self.configuration = configuration
    self.group = group
    self.clock = clock
    tls = configuration.encryption == .none ? nil : try Self.context(configuration)
  }

  /// Delivers the message; returns when the server has accepted it.
  ///
  /// `limit` may shorten how long it may take.
  package func deliver(_ mail: Mail, within limit: Duration? = nil) async throws {
    guard let recipient = MailAddress(mail.recipient) else {
      throw OutboundError(.refused, "the recipient is not a plain email address")
    }
    var generator = SystemRandomNumberGenerator()
    let token = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    let message = try MailText.render(
      mail,
      from: configuration,
      to: recipient,
      date: clock(),
      token: token
    )
    let conversation = SMTPConversation(
      configuration: configuration,
      recipient: recipient,
      name: "brasa.localdomain"
    )
    let time = min(configuration.timeout, limit ?? configuration.timeout)
    try await converse(conversation, message, within: TimeAmount(time))
  }

  private func converse(
    _ conversation: SMTPConversation,
    _ message: [UInt8],
    within time: TimeAmount
  ) async throws {
    let loop = group.next()
    let result = loop.makePromise(of: Void.self)
    let limit = loop.scheduleTask(in: time) {
      result.fail(OutboundError(.unreachable, "the mail server took too long"))
    }
    defer { limit.cancel() }
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: loop)
        .connectTimeout(min(.seconds(10), time))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try configure(channel, conversation, message, result)
          }
        }
        .connect(host: configuration.host, port: configuration.port)
        .get()
    } catch {
      let failure = OutboundError(.unreachable, "the mail server can't be reached", cause: error)
      result.fail(failure)
      throw failure
    }
    defer { channel.close(promise: nil) }
    try await result.futureResult.get()
  }

  private func configure(
    _ channel: any Channel,
    _ conversation: SMTPConversation,
    _ message: [UInt8],
    _ result: EventLoopPromise<Void>
  ) throws {
    let name = NetworkAddress(configuration.host) == nil ? configuration.host : nil
    if configuration.encryption == .immediate, let tls {
      try channel.pipeline.syncOperations.addHandler(
        NIOSSLClientHandler(context: tls, serverHostname: name)
      )
    }
    try channel.pipeline.syncOperations.addHandler(
      SMTPConnection(
        conversation: conversation,
        message: message,
        tls: tls,
        host: configuration.host,
        result: result
      )
    )
  }

  private static func context(_ configuration: SMTPConfiguration) throws -> NIOSSLContext {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if let file = configuration.authorities { tls.trustRoots = .file(file) }
    return try NIOSSLContext(configuration: tls)
  }
}
