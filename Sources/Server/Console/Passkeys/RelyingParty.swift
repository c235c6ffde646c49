import HTTPTypes
import ServiceModule

/// The party that a passkey is shown to: the host by which the browser has reached the server, and
/// the origin of its pages.
///
/// A browser names both in the signed data, so a page of another host gets nothing that this one
/// would accept.
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
