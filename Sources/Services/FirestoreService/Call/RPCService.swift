import Access
import BaseStatus
import FirestoreWire

/// The API as the transports see it: protobuf bytes in, protobuf bytes out.
///
/// gRPC passes messages through; REST transcodes JSON to and from the same bytes. Any thread may
/// call; answers come on any thread, and may come before the call returns.
package protocol RPCService: AnyObject, Sendable {
  /// Answers a unary method exactly once.
  func unary(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8], ServiceError>) -> Void
  )

  /// Opens a server-streaming method; answers exactly once.
  func stream(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<any ResponseStream, ServiceError>) -> Void
  )

  /// Opens a bidirectional method; throws what the call ends with at once.
  ///
  /// - Parameter responses: Kept by the service until it has finished them or was cancelled.
  func open(
    _ method: RPCMethod,
    context: CallContext,
    responses: any StreamResponses
  ) throws(ServiceError) -> any StreamCall

  /// Whether the credentials of a call are valid, whatever they allow; also noted in the context's
  /// memory. Of a call without credentials it is not.
  func recognizes(_ context: CallContext) -> Bool

  /// Answers a request of the administration API, which is REST only; nil is answered where it has
  /// no such path. Answers exactly once.
  func administer(
    _ request: AdminRequest,
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8]?, ServiceError>) -> Void
  )
}

/// A request of the administration API as HTTP has it.
package struct AdminRequest: Sendable {
  /// In capitals.
  package let method: String
  /// As it came, not decoded, without the query.
  package let path: String
  /// The query without its question mark, not decoded; nil without one.
  package let query: String?
  /// The body as it came; empty without one.
  package let body: [UInt8]

  /// A request's parts.
  package init(method: String, path: String, query: String?, body: [UInt8]) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }
}
