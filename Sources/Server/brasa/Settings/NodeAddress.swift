import ArgumentParser
import Foundation

/// The address at which other nodes of a cluster reach one: scheme, host and port.
enum NodeAddress {
  /// The address, if it is one.
  static func check(_ text: String) throws -> String {
    guard let url = URL(string: text), url.scheme == "https" || url.scheme == "http",
      url.host() != nil, url.path().isEmpty, url.query() == nil, url.fragment() == nil,
      url.user() == nil, url.password() == nil
    else {
      throw ValidationError(
        "--node-address must be like http://10.0.0.2:8080, without a path, not \(text)."
      )
    }
    return text
  }

  /// Returns true if no third party can read data sent to an address: it is encrypted, or stays on
  /// this machine.
  static func isPrivate(_ address: String) -> Bool {
    guard let url = URL(string: address) else { return false }
    let host = url.host() ?? ""
    return url.scheme == "https" || host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }
}

extension ServeSettings {
  /// Returns the address at which other nodes reach this one, which listens on that port.
  func nodeAddress(listeningOn port: Int) -> String {
    if let nodeAddress { return nodeAddress }
    let listensOnAll = ["0.0.0.0", "::"].contains(host)
    let name = listensOnAll ? ProcessInfo.processInfo.hostName : host
    let literal = name.contains(":") ? "[\(name)]" : name
    return "\(tls == nil ? "http" : "https")://\(literal):\(port)"
  }
}
