#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The name or number of the host that a request is for.
///
/// A page can have its own name lead to this machine after it was loaded, and then its browser sends it here with that name
/// as the `Host`. Loopback names and numbers cannot be made to lead elsewhere.
package struct HostName: Sendable, Hashable {
  /// In lower case, without the port.
  package let text: String

  /// The host of `host:port`, of `[number]:port`, or alone; nil for any other text.
  package init?(ofAuthority authority: some StringProtocol) {
    var host = authority.lowercased()
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      text = String(host[host.index(after: host.startIndex)..<end])
      return
    }
    if let colon = host.lastIndex(of: ":") {
      guard host[host.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      host = String(host[..<colon])
    }
    if host.hasSuffix(".") { host.removeLast() }
    let isPlain = host.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-._".utf8.contains($0)
    }
    guard !host.isEmpty, isPlain else { return nil }
    text = host
  }

  /// The host of an origin such as `https://app.test:3000`; nil for any other text.
  package init?(ofOrigin origin: String) {
    guard let start = origin.firstRange(of: "://") else { return nil }
    self.init(ofAuthority: origin[start.upperBound...])
  }

  /// True for a name or number of the machine itself.
  package var isLoopback: Bool {
    if text == "localhost" || text.hasSuffix(".localhost") || text == "::1" { return true }
    return text.hasPrefix("127.") && isNumeric
  }

  /// True for a numeric address: no name server can make it lead elsewhere.
  package var isNumeric: Bool {
    var room = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
  }
}
