import Access
import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// The listeners on loopback by which instances of functions reach the server, one an instance.
///
/// A connection has the rights of the instance's project, whatever headers it sends. So it is taken
/// only once the operating system has said that its other end is the instance's process; nothing is
/// read before.
package final class FunctionListeners: Sendable {
  /// Returns true if the process that has a connection from the one port of this machine to the
  /// other is the instance; may block.
  package typealias Admission = @Sendable (_ client: Int, _ server: Int) -> Bool

  /// The port is closed: instances can't be served any more, or not yet.
  package struct Closed: Error {}

  private struct State {
    var factory: ConnectionFactory?
    var group: MultiThreadedEventLoopGroup?
    var listeners: [ObjectIdentifier: any Channel] = [:]
  }

  private let state = Mutex(State())
  private let checks = DispatchQueue(label: "function-peers", attributes: .concurrent)

  init() {}

  func open(_ factory: ConnectionFactory, _ group: MultiThreadedEventLoopGroup) {
    state.withLock { ($0.factory, $0.group) = (factory, group) }
  }

  func close() {
    let open = state.withLock { state in
      defer { state = State() }
      return state.listeners
    }
    for listener in open.values { listener.close(promise: nil) }
  }

  /// Opens a listener for an instance of a function; returns its port, and what closes it.
  package func listen(
    as function: FunctionOrigin,
    admits: @escaping Admission
  ) async throws -> (port: Int, close: @Sendable () -> Void) {
    let (factory, group) = state.withLock { ($0.factory, $0.group) }
    guard let factory, let group else { throw Closed() }
    let listener = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(
        .writeBufferWaterMark,
        value: ChannelOptions.Types.WriteBufferWaterMark(
          low: GatewayConfiguration.unwrittenBytesPerConnection / 4,
          high: GatewayConfiguration.unwrittenBytesPerConnection
        )
      )
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { [checks] channel in
        // A connection reads once this has succeeded, and is closed where it fails.
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let ports = (channel.remoteAddress?.port, channel.localAddress?.port)
        checks.async {
          if let client = ports.0, let server = ports.1, admits(client, server) {
            promise.succeed()
          } else {
            promise.fail(ChannelError.inappropriateOperationForState)
          }
        }
        return promise.futureResult.flatMapThrowing {
          try factory.configure(channel, function: function)
        }
      }
      .bind(host: "127.0.0.1", port: 0)
      .get()
    let id = ObjectIdentifier(listener)
    let isOpen = state.withLock { state in
      guard state.factory != nil else { return false }
      state.listeners[id] = listener
      return true
    }
    guard isOpen, let port = listener.localAddress?.port else {
      listener.close(promise: nil)
      throw Closed()
    }
    return (
      port,
      { [self] in
        // One that is not there any more was closed with the port.
        guard state.withLock({ $0.listeners.removeValue(forKey: id) }) != nil else { return }
        listener.close(promise: nil)
      }
    )
  }
}
