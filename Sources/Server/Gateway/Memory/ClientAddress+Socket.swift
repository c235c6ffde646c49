import BaseRuntime
import NIOCore

extension ClientAddress {
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
