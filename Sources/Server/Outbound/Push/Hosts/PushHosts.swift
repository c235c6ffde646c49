/// The hosts to which Web Push messages may go.
///
/// An endpoint is a client's text: without this list anybody could have the server call any address. It has the push
/// services of the browsers, and what the operator adds: servers of UnifiedPush, his own included.
package struct PushHosts: Sendable, Hashable {
  /// A name, or all names below one, at one port.
  struct Pattern: Sendable, Hashable {
    let name: String
    let port: Int
    let isSuffix: Bool

    /// Reads `host`, `host:port` or `*.domain`, an IPv6 address in brackets; nil for anything else.
    init?(_ text: String) {
      let isSuffix = text.hasPrefix("*.")
      guard let url = FetchURL("https://\(isSuffix ? String(text.dropFirst(2)) : text)"),
        !text.contains("/"), !text.contains("?"), !text.contains("#")
      else { return nil }
      name = url.host
      port = url.port
      self.isSuffix = isSuffix
    }

    func matches(_ url: FetchURL) -> Bool {
      guard url.port == port else { return false }
      return isSuffix ? url.host.hasSuffix("." + name) : url.host == name
    }
  }

  /// The origin of a host in the list.
  enum Origin: Sendable, Hashable {
    case browsers
    case theOperator
  }

  /// The push services of Chromium, Firefox, Safari and Edge.
  private static let browsers = [
    "fcm.googleapis.com", "jmt17.google.com", "*.push.services.mozilla.com", "*.push.apple.com",
    "*.notify.windows.com",
  ].compactMap(Pattern.init)

  private let added: [Pattern]
  /// True if hosts that the operator added may be inside the operator's network.
  let allowsPrivateAddresses: Bool

  /// The browsers' services and the hosts added: `host`, `host:port` or `*.domain` each.
  package init(adding texts: [String], allowsPrivateAddresses: Bool) throws(OutboundError) {
    var added: [Pattern] = []
    for text in texts {
      guard let pattern = Pattern(text) else {
        throw OutboundError(.refused, "\"\(text)\" is not a host, host:port or *.domain")
      }
      added.append(pattern)
    }
    self.added = added
    self.allowsPrivateAddresses = allowsPrivateAddresses
  }

  /// Returns the list that allows the URL; nil if none does.
  func origin(of url: FetchURL) -> Origin? {
    if added.contains(where: { $0.matches(url) }) { return .theOperator }
    guard !url.isCleartext, Self.browsers.contains(where: { $0.matches(url) }) else { return nil }
    return .browsers
  }

  /// Returns the policy for fetching the URL.
  func policy(for origin: Origin) -> FetchPolicy {
    let isPrivate = origin == .theOperator && allowsPrivateAddresses
    return FetchPolicy(allowsPrivateAddresses: isPrivate, allowsCleartextToLoopback: isPrivate)
  }
}
