/// The addresses and protocols that a fetch may use.
package struct FetchPolicy: Sendable, Hashable {
  /// Host names beyond which nothing is asked; nil allows every host that the address rule allows.
  package var hosts: Set<String>?
  /// True if addresses inside the operator's network, this machine's included, may be used.
  package var allowsPrivateAddresses: Bool
  /// True if cleartext may be used; only ever towards this machine.
  package var allowsCleartextToLoopback: Bool
  /// True if cleartext may be used towards every machine.
  package var allowsCleartext = false
  /// The largest answer.
  package var largestBody = 256 << 10
  /// From the question to the response's last byte.
  package var timeout = Duration.seconds(10)
  /// A PEM file of authorities to trust instead of the system's.
  package var authorities: String?

  /// A policy; the default is the strict one.
  package init(
    hosts: Set<String>? = nil,
    allowsPrivateAddresses: Bool = false,
    allowsCleartextToLoopback: Bool = false
  ) {
    self.hosts = hosts
    self.allowsPrivateAddresses = allowsPrivateAddresses
    self.allowsCleartextToLoopback = allowsCleartextToLoopback
  }

  /// Refuses URLs that are not allowed for any address of their host.
  func check(_ url: FetchURL) throws {
    if let hosts, !hosts.contains(url.host) {
      throw OutboundError(.refused, "requests to the host \(url.host) are not allowed")
    }
    if url.isCleartext, !allowsCleartextToLoopback, !allowsCleartext {
      throw OutboundError(.refused, "only https is allowed, not cleartext to \(url.host)")
    }
  }

  /// Refuses addresses that may not be asked.
  func check(_ address: NetworkAddress, of url: FetchURL) throws {
    if url.isCleartext, !address.isLoopback, !allowsCleartext {
      throw OutboundError(.refused, "\(url.host) is not this machine: https only")
    }
    guard address.isPublic || allowsPrivateAddresses else {
      throw OutboundError(
        .refused,
        "\(url.host) is at \(address), inside this network or reserved"
      )
    }
  }
}

/// The parts of a URL that decide whether it may be asked.
struct FetchURL: Hashable {
  /// Behind the scheme and authority as it came; those are in the one form that others read as `host`.
  private let path: Substring
  let host: String
  let port: Int
  let isCleartext: Bool

  /// Nil for text that is not a plain http or https URL; user names in it and escapes in the host
  /// are refused.
  init?(_ text: String) {
    let lowercased = text.prefix(8).lowercased()
    isCleartext = lowercased.hasPrefix("http://")
    guard isCleartext || lowercased.hasPrefix("https://"), text.utf8.count <= 2_048,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return nil }
    let rest = text.dropFirst(isCleartext ? 7 : 8)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let host = Self.host(of: authority) else { return nil }
    self.host = host.lowercased()
    port = Self.port(of: authority) ?? (isCleartext ? 80 : 443)
    path = rest[authority.endIndex...]
  }

  /// The URL with scheme and host in lower case, as a table of addresses by host names needs it.
  var text: String { origin + path }

  /// Scheme, host and port, the port only where it is not the scheme's own (RFC 6454).
  var origin: String {
    let name = host.contains(":") ? "[\(host)]" : host
    let suffix = port == (isCleartext ? 80 : 443) ? "" : ":\(port)"
    return "http\(isCleartext ? "" : "s")://\(name)\(suffix)"
  }

  private static func host(of authority: Substring) -> String? {
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]"),
        isPort(authority[authority.index(after: end)...])
      else { return nil }
      return String(authority[authority.index(after: authority.startIndex)..<end])
    }
    let host = authority.prefix { $0 != ":" }
    let isName = host.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
    }
    guard !host.isEmpty, isName, isPort(authority[host.endIndex...]) else { return nil }
    return String(host)
  }

  /// The number behind the last colon that is not part of an address; nil without one.
  private static func port(of authority: Substring) -> Int? {
    let text = authority.split(separator: "]", omittingEmptySubsequences: false).last ?? ""
    return text.lastIndex(of: ":").flatMap { Int(text[text.index(after: $0)...]) }
  }

  private static func isPort(_ text: Substring) -> Bool {
    if text.isEmpty { return true }
    guard text.first == ":", let port = Int(text.dropFirst()) else { return false }
    return (1...65_535).contains(port)
  }
}
