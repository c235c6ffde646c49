import Access
import BaseStatus
import FirestoreWire
import NIOCore
import NIOHTTP2

/// The checked head of a gRPC call: the method, the circumstances, the deadline.
struct AdmittedCall {
  let method: ServedMethod
  let context: CallContext
  /// The cost of its headers in the connection's credit.
  let headerCost: Int
  let started: ContinuousClock.Instant
  /// `context.deadline` in the event loop's time.
  let deadline: NIODeadline?

  /// Checks a call's head; throws the client's immediate error.
  init(
    _ head: RequestHead,
    on id: HTTP2StreamID,
    of connection: HTTP2Connection
  ) throws(ServiceError) {
    method = try Self.admit(head, by: connection.environment)
    headerCost = head.cost
    started = ContinuousClock.now
    let timeout = try head.timeout.map(Self.duration)
    deadline = timeout.map { .now() + TimeAmount($0) }
    context = CallContext(
      requestID: connection.requestID(id),
      authorization: connection.shared(authorization: head.authorization),
      isSecure: connection.peer.isSecure,
      isLocal: connection.peer.isLocal,
      network: connection.peer.networkName,
      deadline: timeout.map { [started] in started + $0 },
      memory: connection.peer.memory,
      account: connection.account
    )
  }

  private static func admit(
    _ head: RequestHead,
    by environment: ConnectionEnvironment
  ) throws(ServiceError) -> ServedMethod {
    let limits = environment.limits
    guard head.bytes <= limits.metadataBytes else {
      throw ServiceError(
        .resourceExhausted,
        "Request metadata exceeds the limit of \(limits.metadataBytes) bytes."
      )
    }
    guard head.encoding == nil || head.encoding == "identity" else {
      throw ServiceError(
        .unimplemented,
        "Message encodings other than identity are not accepted."
      )
    }
    guard let method = environment.methods[head.path] else {
      throw ServiceError(.unimplemented, "The server has no method \(head.path.prefix(200)).")
    }
    return method
  }

  private static func duration(_ timeout: String) throws(ServiceError) -> Duration {
    guard let duration = GRPCTimeout.parse(timeout) else {
      throw .invalidArgument("Malformed grpc-timeout: \(timeout.prefix(20))")
    }
    return duration
  }
}
