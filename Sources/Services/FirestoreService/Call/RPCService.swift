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

  /// Returns true if the credentials of a call are valid, without regard to their rights; also
  /// recorded in the context's memory. False for a call without credentials.
  func recognizes(_ context: CallContext) -> Bool

  /// Answers a request of the administration API in its own protocol; nil is answered where the API has no such path.
  /// Answers exactly once.
  func administer(
    _ request: AdminRequest,
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8]?, ServiceError>) -> Void
  )
}
