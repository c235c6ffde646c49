import HTTPTypes
import ServiceModule

/// Whom a passkey is shown to: the host that the browser has reached the server by, and the origin of its pages.
///
/// A browser names both in what is signed, so a page of another host gets nothing that this one would take.
struct RelyingParty: Sendable {
  let host: String
  let origin: String

  /// The host of a request; nil for one without.
  init?(_ request: ServiceRequest, isSecure: Bool) {
    guard let authority = request.head.authority, !authority.isEmpty else { return nil }
    origin = (isSecure ? "https://" : "http://") + authority
    let port = authority.lastIndex(of: ":") ?? authority.endIndex
    host = String(authority[..<port])
  }
}
