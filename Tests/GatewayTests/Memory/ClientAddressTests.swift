import BaseRuntime
import NIOCore
import Testing

@testable import Gateway

@Suite struct ClientAddressTests {
  @Test func `addresses of one IPv6 network share, IPv4 clients count alike on either socket`()
    throws
  {
    let address = { ClientAddress(try SocketAddress(ipAddress: $0, port: 1)) }
    #expect(try address("2001:db8:1:2::1") == address("2001:db8:1:2:ffff::9"))
    #expect(try address("2001:db8:1:2::1") != address("2001:db8:1:3::1"))
    #expect(try address("192.0.2.7") == address("::ffff:192.0.2.7"))
    #expect(try address("192.0.2.7") != address("192.0.2.8"))
  }
}
