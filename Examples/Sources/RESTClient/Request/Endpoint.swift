import Foundation

/// One call of a REST service: where it goes, what it carries and what it answers.
///
/// An endpoint is a value. A service's endpoints are static members of an extension, so that a
/// call reads as prose: `try await client.send(.specialists)`.
package struct Endpoint<Response: Sendable>: Sendable {
  package var method: HTTPMethod
  /// The path below the client's base URL; each segment is percent-encoded when sent.
  package var path: [String]
  package var query: [URLQueryItem] = []
  package var headers: [String: String] = [:]
  package var body: RequestBody?
  /// True if the interceptors may add the session's token.
  package var isAuthorized = true
  /// True if sending it twice equals sending it once, which is what permits a retry.
  package var isIdempotent: Bool

  let decode: @Sendable (HTTPReply) throws -> Response

  private init(
    _ method: HTTPMethod,
    _ path: [String],
    body: RequestBody?,
    decode: @escaping @Sendable (HTTPReply) throws -> Response
  ) {
    self.method = method
    self.path = path
    self.body = body
    self.isIdempotent = method.isIdempotent
    self.decode = decode
  }
}

extension Endpoint where Response: Decodable {
  /// A call whose reply is JSON of the type `Response`.
  package init(_ method: HTTPMethod, _ path: String..., body: RequestBody? = nil) {
    self.init(method, path, body: body) { reply in
      try JSONDecoder().decode(Response.self, from: reply.body)
    }
  }
}

extension Endpoint where Response == Void {
  /// A call of whose reply only the status matters.
  package init(_ method: HTTPMethod, _ path: String..., body: RequestBody? = nil) {
    self.init(method, path, body: body) { _ in }
  }
}

extension Endpoint {
  /// The same call, sent without the session's token.
  package func anonymous() -> Endpoint {
    var copy = self
    copy.isAuthorized = false
    return copy
  }

  /// The same call, declared safe to repeat: the service treats it as an upsert.
  package func repeatable() -> Endpoint {
    var copy = self
    copy.isIdempotent = true
    return copy
  }
}
