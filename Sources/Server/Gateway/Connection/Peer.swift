import Access
import BaseRuntime
import NIOCore

/// The other end of a connection, and the protocol to it.
struct Peer: Sendable {
  /// True if the connection is encrypted.
  let isSecure: Bool
  /// True if the other end is this machine.
  let isLocal: Bool
  /// The last caller of the connection's credentials.
  let memory: CallerMemory
  /// The other end's IP address; empty where there is none.
  let address: String

  /// The network by which the client's shares are counted.
  let network: ClientAddress
  /// `network.name`, made once for all calls.
  let networkName: String

  /// True if the connection speaks HTTP/2.
  let isHTTP2: Bool
  /// The activity of the connection; nil for a client whose request another node passed on.
  let activity: ConnectionActivity?

  init(
    _ channel: any Channel,
    _ activity: ConnectionActivity? = nil,
    isSecure: Bool,
    isHTTP2: Bool,
    function: FunctionOrigin? = nil
  ) {
    memory = CallerMemory(function: function)
    self.isHTTP2 = isHTTP2
    self.activity = activity
    self.isSecure = isSecure
    network = ClientAddress(channel.remoteAddress)
    networkName = network.name
    address = channel.remoteAddress?.ipAddress ?? ""
    isLocal = channel.remoteAddress.map(Self.isLoopback) ?? false
  }

  /// The client of a request that another node forwarded; its credentials belong to it alone.
  init(_ caller: ForwardedCaller, isHTTP2: Bool) {
    memory = CallerMemory()
    self.isHTTP2 = isHTTP2
    isSecure = caller.isSecure
    isLocal = caller.isLocal
    network = caller.network
    networkName = network.name
    address = caller.address
    activity = nil
  }

  private static func isLoopback(_ address: SocketAddress) -> Bool {
    switch address {
    case .v4, .v6: address.ipAddress.map(isLoopback) ?? false
    case .unixDomainSocket: true
    }
  }

  /// Returns true if the numeric address is a loopback address of either protocol version.
  static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }
}
