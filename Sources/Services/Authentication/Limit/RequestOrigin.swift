import BaseText

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The source of a request, as far as limits care.
package enum RequestOrigin: Sendable, Hashable {
  /// A client at that IP address.
  case client(address: String)
  /// The holder of an administrator's credential: nothing is counted.
  case administrator

  /// The addresses that are counted as one source: an IPv4 address, or the 64-bit network of an
  /// IPv6 one, since the owner of one address of it has them all.
  var bucket: Text { prefix(v4: 4, v6: 8) }

  /// The range that one customer commonly has: 256 IPv4 addresses, or a 48-bit network of IPv6.
  var network: Text { prefix(v4: 3, v6: 6) }

  /// The first bytes of the address as text; the address itself where it is none.
  private func prefix(v4: Int, v6: Int) -> Text {
    guard case .client(let address) = self else { return "" }
    guard let bytes = Self.bytes(of: address) else { return Text(address) }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    if isMapped { return Text(bytes[12..<12 + v4].map(String.init).joined(separator: ".")) }
    return Text(bytes.prefix(v6).map { String($0, radix: 16) }.joined(separator: ":"))
  }

  /// The 16 bytes of an IPv6 address, or of an IPv4 one in IPv6's form.
  private static func bytes(of address: String) -> [UInt8]? {
    var bytes = in6_addr()
    let text = address.contains(":") ? address : "::ffff:\(address)"
    guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
    return withUnsafeBytes(of: &bytes) { Array($0) }
  }
}
