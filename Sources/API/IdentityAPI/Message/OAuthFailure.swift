import BaseJSON
import ServiceModule

/// An error of an OAuth token endpoint (RFC 6749, 5.2), which has a form of its own.
struct OAuthFailure: Error {
  let code: String
  let description: String

  /// The official body.
  var response: ServiceResponse {
    .json(
      JSONValue.object([
        "error": .string(code), "error_description": .string(description),
      ]).compactBytes,
      status: .badRequest
    )
  }
}
