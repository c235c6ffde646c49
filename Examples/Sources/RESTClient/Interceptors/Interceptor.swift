/// A step between a client and its transport: it may change the request, the reply, or ask again.
package protocol Interceptor: Sendable {
  /// Handles one request; `next` is the rest of the way and may be called any number of times.
  func intercept(
    _ request: HTTPRequest,
    next: @escaping @Sendable (HTTPRequest) async throws -> HTTPReply
  ) async throws -> HTTPReply
}
