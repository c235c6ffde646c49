import HTTPTypes
import ServiceModule

/// A page or file that the server shows to people, with what browsers need to be careful with it.
struct IdentityPage: Sendable {
  let type: String
  let content: String
  /// Where to go instead; the content is then empty.
  var location: String?

  /// The HTTP response: no frame may hold the page, it loads nothing but its own two files, sends
  /// nothing elsewhere, and its address, which holds a code, goes to nobody.
  var response: ServiceResponse {
    var headers: HTTPFields = [
      .contentType: "\(type); charset=utf-8",
      .contentSecurityPolicy:
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        + "img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      .xContentTypeOptions: "nosniff",
      .cacheControl: "no-store",
    ]
    if let name = HTTPField.Name("referrer-policy") { headers[name] = "no-referrer" }
    if let location { headers[.location] = location }
    return ServiceResponse(
      status: location == nil ? .ok : .seeOther,
      headers: headers,
      body: .bytes(Array(content.utf8))
    )
  }
}
