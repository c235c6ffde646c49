/// The place of the bearer token, and the way to a new one.
package protocol TokenSource: Sendable {
  /// The token to send, or nil while nobody is signed in.
  func currentToken() async -> String?

  /// Obtains a token to replace `rejected`, stores it and returns it; nil when that needs a person.
  func renewToken(replacing rejected: String) async throws -> String?
}

/// Adds `Authorization: Bearer` and answers a 401 with one renewal and one repeat.
///
/// All requests that a stale token fails wait for the same renewal. A request that was sent with
/// a token which another request has replaced meanwhile repeats at once with the new one. At most
/// one repeat happens per request, so a service that always answers 401 is not asked forever.
package actor BearerAuthorization: Interceptor {
  private let source: any TokenSource
  private var renewal: Task<String?, any Error>?

  package init(source: any TokenSource) {
    self.source = source
  }

  package func intercept(
    _ request: HTTPRequest,
    next: @escaping @Sendable (HTTPRequest) async throws -> HTTPReply
  ) async throws -> HTTPReply {
    guard request.isAuthorized, let token = await source.currentToken() else {
      return try await next(request)
    }
    let reply = try await next(request.bearing(token))
    guard reply.status == 401, let renewed = try await renewed(token) else { return reply }
    return try await next(request.bearing(renewed))
  }

  private func renewed(_ rejected: String) async throws -> String? {
    if let renewal { return try await renewal.value }
    let current = await source.currentToken()
    if let renewal { return try await renewal.value }
    if let current, current != rejected { return current }
    let task = Task { [source] in try await source.renewToken(replacing: rejected) }
    renewal = task
    defer { renewal = nil }
    return try await task.value
  }
}

extension HTTPRequest {
  fileprivate func bearing(_ token: String) -> HTTPRequest {
    var copy = self
    copy.headers["Authorization"] = "Bearer \(token)"
    return copy
  }
}
