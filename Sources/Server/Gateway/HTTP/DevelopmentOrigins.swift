import HTTPTypes
import ServiceModule

/// The names to which a development server responds, and the web pages that have an administrator's
/// rights there.
///
/// Development checks no credential, so a page of any origin could drive the server of a person who
/// opens it. Two rules keep such pages away; programs that are no browsers send neither `Origin`
/// nor `Sec-Fetch-Site`.
///
/// - The `Host` of a request is a loopback name, a numeric address, a name of Google's APIs, or one
///   that the operator named. Other names are refused: a page's name may resolve to this server.
/// - A page of another origin is a client: it reaches what clients reach, and neither the helper routes nor the
///   administration APIs, nor does `Bearer owner` count from it. Pages on loopback, on the server's own name and
///   of origins that the operator named reach everything.
package struct DevelopmentOrigins: Sendable, Equatable {
  /// Names of hosts that lead here, in lower case.
  package var hosts: Set<String>
  /// Origins whose pages reach everything, such as `https://app.test:3000`, in lower case.
  package var pages: Set<String>

  /// Loopback alone, and what the operator names.
  package init(hosts: Set<String> = [], pages: Set<String> = []) {
    self.hosts = Set(hosts.map { $0.lowercased() })
    self.pages = Set(pages.map { $0.lowercased() })
  }

  /// The hosts of all pages that reach everything, in order; loopback is not among them.
  package var pageHosts: [String] {
    hosts.union(pages.compactMap { HostName(ofOrigin: $0)?.text }).sorted()
  }

  /// The decision on a request.
  enum Verdict: Equatable {
    case admitted
    /// As a client's: no route and no credential of an administrator.
    case admittedAsClient
    case unknownHost(String)
    /// The page's origin, or what its browser says of it.
    case foreignPage(String)
  }

  /// Judges a request by its head.
  func verdict(on request: HTTPRequest, to routes: RouteTable) -> Verdict {
    let host = request.authority.flatMap { HostName(ofAuthority: $0) }
    if let authority = request.authority, !isOurs(host) { return .unknownHost(authority) }
    // Looks at all methods' routes: asked for pages alone.
    func isForClients() -> Bool {
      routes.isForClients(String((request.path ?? "/").prefix { $0 != "?" }))
    }
    if let origin = request.headerFields[.origin] {
      if admits(page: origin, to: host) { return .admitted }
      return isForClients() ? .admittedAsClient : .foreignPage(origin)
    }
    // Without an origin, a browser sends only requests that change nothing, or that no page may
    // read.
    let isReading = request.method == .get || request.method == .head
    guard !isReading, let site = request.headerFields[.secFetchSite],
      !["same-origin", "none"].contains(site), !isForClients()
    else { return .admitted }
    return .foreignPage(site)
  }

  private func isOurs(_ host: HostName?) -> Bool {
    guard let host else { return false }
    return host.isLoopback || host.isNumeric || hosts.contains(host.text)
      || host.text.hasSuffix(".googleapis.com") || host.text == "securetoken.google.com"
  }

  private func admits(page origin: String, to host: HostName?) -> Bool {
    let origin = origin.lowercased()
    if pages.contains(origin) { return true }
    guard let page = HostName(ofOrigin: origin) else { return false }
    return page.isLoopback || hosts.contains(page.text) || page == host
  }
}

extension HTTPField.Name {
  /// The field `sec-fetch-site`.
  static let secFetchSite = known("sec-fetch-site")
}
