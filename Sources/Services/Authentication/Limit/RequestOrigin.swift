import FirestoreModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a request comes from, as far as limits care.
package enum RequestOrigin: Sendable, Hashable {
  /// A client at that IP address.
  case client(address: String)
  /// Whoever holds an administrator's credential: nothing is counted.
  case administrator

  /// What is counted as one source: an IPv4 address, or the 64-bit network of an IPv6 one, since whoever
  /// has one address of it has them all.
  var bucket: Text {
    guard case .client(let address) = self else { return "" }
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return Text(address) }
    return withUnsafeBytes(of: &bytes) { raw in
      let isMapped = raw.prefix(10).allSatisfy { $0 == 0 } && raw[10] == 0xFF && raw[11] == 0xFF
      if isMapped { return Text(raw[12..<16].map(String.init).joined(separator: ".")) }
      return Text(raw.prefix(8).map { String($0, radix: 16) }.joined(separator: ":"))
    }
  }
}
