import HTTPTypes
import ServiceModule

/// A page or file that the server shows to people, with what browsers need to be careful with it.
struct IdentityPage: Sendable {
  let type: String
  let content: String
  /// The address to go to instead of showing the page.
  var location: String?
  var policy = Policy.page

  /// The part of a content security policy in which pages differ.
  enum Policy: Sendable {
    /// A page of its own, which no frame may hold.
    case page
    /// A frame in pages of those origins.
    ///
    /// In development it may load Google's script of frames, as Google's emulator does.
    case frame(in: AuthorizedOrigins, loadsGoogle: Bool)

    fileprivate var text: String {
      switch self {
      case .page: "script-src 'self'; frame-ancestors 'none'"
      case .frame(let origins, let loadsGoogle):
        "script-src 'self'\(loadsGoogle ? " https://apis.google.com" : ""); "
          + "frame-ancestors \((["'self'"] + origins.sources).joined(separator: " "))"
      }
    }
  }

  /// The HTTP response.
  ///
  /// The page loads only its own files and sends nothing elsewhere, and its address, which contains
  /// a code, is not passed on.
  var response: ServiceResponse {
    var headers: HTTPFields = [
      .contentType: "\(type); charset=utf-8",
      .contentSecurityPolicy:
        "default-src 'none'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        + "base-uri 'none'; form-action 'self'; \(policy.text)",
      .xContentTypeOptions: "nosniff",
      .cacheControl: "no-store",
    ]
    if let name = HTTPField.Name("referrer-policy") { headers[name] = "no-referrer" }
    if let location { headers[.location] = location }
    return ServiceResponse(
      status: location == nil ? .ok : .seeOther,
      headers: headers,
      body: .bytes(location == nil ? Array(content.utf8) : [])
    )
  }
}
