/// The network that a client comes from, by which shares are counted: an IPv4 address, or the first 64
/// bits of an IPv6 address, since one host may have all addresses of such a network.
package enum ClientAddress: Hashable, Sendable {
  case ipv4(UInt32)
  case ipv6(UInt64)
  /// A client on this machine without an IP address, or one that is gone already.
  case none
  /// No client: the server itself, on behalf of many.
  case server

  /// The network in one word, for layers that only tell networks apart.
  package var name: String {
    switch self {
    case .ipv4(let number): "4:\(String(number, radix: 16))"
    case .ipv6(let number): "6:\(String(number, radix: 16))"
    case .none, .server: ""
    }
  }

  /// The network of that name; nil for a text that is none.
  package init?(name: some StringProtocol) {
    let digits = name.dropFirst(2)
    switch name.prefix(2) {
    case "": self = .none
    case "4:":
      guard let number = UInt32(digits, radix: 16) else { return nil }
      self = .ipv4(number)
    case "6:":
      guard let number = UInt64(digits, radix: 16) else { return nil }
      self = .ipv6(number)
    default: return nil
    }
  }
}
