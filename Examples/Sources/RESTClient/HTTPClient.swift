import Foundation

/// Sends endpoints to one service.
///
/// A call passes the interceptors in their order, the first outermost, then the transport.
/// Whatever goes wrong on the way arrives as a `RequestError`.
package struct HTTPClient: Sendable {
  package let baseURL: URL
  private let transport: any Transport
  private let interceptors: [any Interceptor]
  private let timeout: Duration

  package init(
    baseURL: URL,
    transport: any Transport = URLSessionTransport.shared,
    interceptors: [any Interceptor] = [],
    timeout: Duration = .seconds(10)
  ) {
    self.baseURL = baseURL
    self.transport = transport
    self.interceptors = interceptors
    self.timeout = timeout
  }

  /// Sends a call and decodes its reply.
  package func send<Response>(
    _ endpoint: Endpoint<Response>
  ) async throws(RequestError) -> Response {
    let reply = try await reply(to: endpoint)
    guard reply.isSuccess else { throw RequestError(reply) }
    do {
      return try endpoint.decode(reply)
    } catch {
      throw RequestError(.decode, status: reply.status, detail: String(describing: error))
    }
  }

  private func reply<Response>(
    to endpoint: Endpoint<Response>
  ) async throws(RequestError) -> HTTPReply {
    do {
      let request = try HTTPRequest(endpoint, baseURL: baseURL, timeout: timeout)
      return try await pass(request, through: interceptors[...])
    } catch let error as RequestError {
      throw error
    } catch is CancellationError {
      throw RequestError(.cancelled)
    } catch {
      throw RequestError(.transport, detail: String(describing: error))
    }
  }

  private func pass(
    _ request: HTTPRequest,
    through rest: ArraySlice<any Interceptor>
  ) async throws -> HTTPReply {
    guard let first = rest.first else { return try await transport.send(request) }
    return try await first.intercept(request) { request in
      try await pass(request, through: rest.dropFirst())
    }
  }
}
