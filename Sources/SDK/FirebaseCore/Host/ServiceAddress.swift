import Foundation

/// The address of a service: scheme, host and port.
package struct ServiceAddress: Sendable, Hashable {
  /// True if requests go over TLS.
  package let isSecure: Bool
  /// The host's name or number; a number of version 6 without brackets.
  package let host: String
  /// The port; nil is the scheme's own.
  package let port: Int?

  /// An address from its parts.
  package init(host: String, port: Int?, isSecure: Bool) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }

  /// Reads `host`, `host:port`, `http://…` or `https://…`; nil for everything else.
  ///
  /// Without a scheme a loopback host is plain and every other one secure.
  package init?(_ text: String) {
    let hasScheme = text.contains("://")
    guard let parts = URLComponents(string: hasScheme ? text : "https://\(text)"),
      let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
      let host = parts.host, !host.isEmpty,
      parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
      parts.user == nil, parts.password == nil, parts.port.map({ 1...65_535 ~= $0 }) ?? true
    else { return nil }
    let name = host.trimmingCharacters(in: ["[", "]"])
    let isSecure = hasScheme ? scheme == "https" : !Self.isLoopback(name)
    self.init(host: name, port: parts.port, isSecure: isSecure)
  }

  /// Reads the value of a variable or of a file's key, which cannot turn TLS off but towards loopback.
  init(setting text: String, named name: String) throws(FirebaseAppError) {
    guard let address = ServiceAddress(text) else {
      throw .invalidOptions("\(name) must be host:port or https://host:port, not \"\(text)\".")
    }
    guard !address.isWildcard else {
      throw .invalidOptions(
        "\(name) is the server's address as apps reach it; \(address.host) is one that a server listens on "
          + "(BRASA_LISTEN)."
      )
    }
    guard address.isSecure || address.isLoopback else {
      throw .invalidOptions(
        "\(name) cannot turn TLS off towards another machine: use https://, or set the host in code."
      )
    }
    self = address
  }

  /// True if this is the machine itself.
  package var isLoopback: Bool { Self.isLoopback(host) }

  /// True if this is all addresses of a machine, on which a server can listen but which clients
  /// cannot reach.
  private var isWildcard: Bool { host == "0.0.0.0" || host == "::" }

  /// Returns true if no third party can read data sent to a URL: over TLS, or on this machine.
  package static func isPrivate(_ url: URL) -> Bool {
    guard let host = url.host else { return false }
    return url.scheme?.lowercased() == "https"
      || isLoopback(host.trimmingCharacters(in: ["[", "]"]))
  }

  /// The address as the beginning of URLs, without a slash at the end.
  package var url: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "https" : "http")://\(name)\(port.map { ":\($0)" } ?? "")"
  }

  private static func isLoopback(_ host: String) -> Bool {
    let name = host.lowercased()
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }
}
