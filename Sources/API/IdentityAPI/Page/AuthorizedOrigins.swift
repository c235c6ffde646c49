/// The origins whose pages may begin a project's sign-ins and receive their events.
///
/// They are the hosts of the project's authorized domains and of the server, at every port: by https, and by http in
/// development and for the loopback names.
struct AuthorizedOrigins: Sendable {
  /// The origins as a content security policy names them, such as `https://shop.example.org:*`.
  let sources: [String]

  private static let loopback: Set<String> = ["localhost", "127.0.0.1"]

  /// The origins of those domains and of the server's own origin.
  init(domains: [String], server: String, allowsHTTP: Bool) {
    let own = WebAddress(server)
    var sources: [String] = []
    for host in domains.map({ $0.lowercased() }) + [own?.host ?? ""] where Self.isName(host) {
      let isPlain = allowsHTTP || Self.loopback.contains(host)
      let schemes =
        isPlain || (own?.host == host && own?.isSecure == false) ? ["https", "http"] : ["https"]
      for source in schemes.map({ "\($0)://\(host):*" }) where !sources.contains(source) {
        sources.append(source)
      }
    }
    self.sources = sources
  }

  /// True if a page of that address belongs to the project.
  func contains(_ address: WebAddress) -> Bool {
    sources.contains("\(address.isSecure ? "https" : "http")://\(address.host):*")
  }

  /// A name or an IPv4 address; anything else could end the policy's directive, and is no source.
  private static func isName(_ host: String) -> Bool {
    !host.isEmpty
      && host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
