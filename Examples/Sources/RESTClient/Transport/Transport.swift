/// Carries a request to a server and its reply back.
///
/// A conformer throws a `RequestError` with the code `transport`, `timedOut` or `cancelled` when
/// there is no reply, and returns every reply that arrives, whatever its status.
package protocol Transport: Sendable {
  func send(_ request: HTTPRequest) async throws -> HTTPReply
}
