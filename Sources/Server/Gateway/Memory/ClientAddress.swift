import NIOCore

/// The network that a client comes from, by which shares are counted: an IPv4 address, or the first 64
/// bits of an IPv6 address, since one host may have all addresses of such a network.
package enum ClientAddress: Hashable, Sendable {
  case ipv4(UInt32)
  case ipv6(UInt64)
  /// A client on this machine without an IP address, or one that is gone already.
  case none

  /// The network in one word, for layers that only tell networks apart.
  var name: String {
    switch self {
    case .ipv4(let number): "4:\(String(number, radix: 16))"
    case .ipv6(let number): "6:\(String(number, radix: 16))"
    case .none: ""
    }
  }

  /// The network of a connection's other end.
  package init(_ address: SocketAddress?) {
    switch address {
    case .v4(let address):
      self = .ipv4(
        withUnsafeBytes(of: address.address.sin_addr) { $0.loadUnaligned(as: UInt32.self) }
      )
    case .v6(let address):
      self = withUnsafeBytes(of: address.address.sin6_addr) { bytes in
        // An IPv4 client of a socket that takes both: ::ffff:a.b.c.d.
        let isMapped =
          bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
        return isMapped
          ? .ipv4(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
          : .ipv6(bytes.loadUnaligned(as: UInt64.self))
      }
    case .unixDomainSocket, nil: self = .none
    }
  }
}
