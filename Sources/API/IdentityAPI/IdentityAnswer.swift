import BaseJSON
import HTTPTypes
import ServiceModule

/// The response of an operation.
enum IdentityAnswer: Sendable {
  case json(JSONValue)
  /// JSON as text, which may be kept for that many seconds.
  case document(String, lifetime: Int64)
  case page(IdentityPage)

  /// The HTTP response.
  var response: ServiceResponse {
    switch self {
    case .json(let json):
      var response = ServiceResponse.json(json.compactBytes)
      // Answers carry tokens: nothing on the way may keep them.
      response.headers[.cacheControl] = "no-cache, no-store, max-age=0, must-revalidate"
      return response
    case .document(let text, let lifetime):
      var response = ServiceResponse.json(Array(text.utf8))
      response.headers[.cacheControl] = "public, max-age=\(lifetime), must-revalidate, no-transform"
      return response
    case .page(let page): return page.response
    }
  }
}
