#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A numeric IP address, judged by whose network it is in.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
  /// 4 or 16 bytes; an IPv4 address in IPv6's clothing is the IPv4 address.
  let bytes: [UInt8]

  /// Reads a numeric address without brackets; nil for a name.
  package init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(bytes: withUnsafeBytes(of: &four) { Array($0) })
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self.init(bytes: withUnsafeBytes(of: &six) { Array($0) })
    } else {
      return nil
    }
  }

  private init(bytes: [UInt8]) {
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    self.bytes = bytes.starts(with: mapped) && bytes.count == 16 ? Array(bytes[12...]) : bytes
  }

  /// True if it is this machine.
  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// True if any machine on the Internet may have it: not this machine, nor a private, shared,
  /// local, reserved, documentation or group address, nor one that wraps such an IPv4 address.
  package var isPublic: Bool {
    bytes.count == 4 ? Self.isPublic(four: bytes) : Self.isPublic(six: bytes)
  }

  private static func isPublic(four: [UInt8]) -> Bool {
    switch (four[0], four[1]) {
    case (0, _), (10, _), (127, _), (100, 64...127), (169, 254), (172, 16...31), (192, 168),
      (198, 18...19), (224..., _):
      false
    case (192, 0): four[2] != 0 && four[2] != 2
    case (192, 88): four[2] != 99
    case (198, 51): four[2] != 100
    case (203, 0): four[2] != 113
    default: true
    }
  }

  /// Global unicast is 2000::/3 so far; special ranges in there are left out.
  private static func isPublic(six: [UInt8]) -> Bool {
    guard six[0] & 0xE0 == 0x20 else { return false }
    switch (six[0], six[1], six[2], six[3]) {
    case (0x20, 0x01, 0x0D, 0xB8), (0x20, 0x01, 0, 0): return false
    case (0x20, 0x02, _, _): return isPublic(four: Array(six[2..<6]))
    case (0x3F, 0xFF, 0..<0x10, _): return false
    default: return true
    }
  }

  /// The address in numbers, such as `192.0.2.1` or `2001:db8::1`.
  package var description: String {
    var text = [CChar](repeating: 0, count: 64)
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    let done = bytes.withUnsafeBytes {
      inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count))
    }
    guard done != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The addresses of a name, as the system resolves it; blocks.
  static func resolve(_ host: String) throws -> [NetworkAddress] {
    if let literal = NetworkAddress(host) { return [literal] }
    var hints = addrinfo()
    #if canImport(Glibc)
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
    hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else {
      throw OutboundError(.unreachable, "the name \(host) has no address")
    }
    defer { freeaddrinfo(list) }
    var addresses: [NetworkAddress] = []
    var entry = list
    while let current = entry?.pointee {
      if let address = address(of: current) { addresses.append(address) }
      entry = current.ai_next
    }
    return addresses
  }

  private static func address(of entry: addrinfo) -> NetworkAddress? {
    guard let pointer = entry.ai_addr else { return nil }
    switch entry.ai_family {
    case AF_INET:
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        NetworkAddress(bytes: withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) })
      }
    case AF_INET6:
      return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        NetworkAddress(bytes: withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) })
      }
    default: return nil
    }
  }
}
