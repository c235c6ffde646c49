import Access
import BaseStatus
import DocumentStore
import FirestoreWire
import KeyValueStore

/// Makes calls on the other nodes of a cluster.
package protocol CallForwarder: Sendable {
  /// Makes a call of one message on another node, for its caller; answers exactly once.
  ///
  /// The node's response is a stream, also for a unary method. Nil where the node is gone and has
  /// not had the call; UNAVAILABLE where its outcome is unknown.
  func forward(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    to node: NodeNumber,
    respond: @escaping @Sendable (Result<(any ResponseStream)?, ServiceError>) -> Void
  )
}

/// The API on one of several nodes: a call in a transaction is made by the node that has the transaction.
///
/// The caller is identified there. If that node is gone the call is made here, and its response is
/// that the transaction is over, so that the client retries.
package final class ForwardingService: RPCService {
  private let local: any RPCService
  private let own: NodeNumber
  private let nodes: any CallForwarder

  /// An API whose other calls are made by `local`, on the node of that number.
  package init(_ local: any RPCService, on own: NodeNumber, nodes: any CallForwarder) {
    self.local = local
    self.own = own
    self.nodes = nodes
  }

  /// Performs a unary method on the node that has the request's transaction, else on this one.
  package func unary(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8], ServiceError>) -> Void
  ) {
    guard let node = home(of: request, method, context) else {
      return local.unary(method, request: request, context: context, respond: respond)
    }
    nodes.forward(method, request: request, context: context, to: node) { [local] answer in
      switch answer {
      case .success(nil):
        local.unary(method, request: request, context: context, respond: respond)
      case .success(let stream?): Self.read(stream, [], respond)
      case .failure(let error): respond(.failure(error))
      }
    }
  }

  /// Opens a server-streaming method on the node that has the request's transaction, else on this one.
  package func stream(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<any ResponseStream, ServiceError>) -> Void
  ) {
    guard let node = home(of: request, method, context) else {
      return local.stream(method, request: request, context: context, respond: respond)
    }
    nodes.forward(method, request: request, context: context, to: node) { [local] answer in
      switch answer {
      case .success(nil):
        local.stream(method, request: request, context: context, respond: respond)
      case .success(let stream?): respond(.success(stream))
      case .failure(let error): respond(.failure(error))
      }
    }
  }

  /// Opens a bidirectional method on this node.
  package func open(
    _ method: RPCMethod,
    context: CallContext,
    responses: any StreamResponses
  ) throws(ServiceError) -> any StreamCall {
    try local.open(method, context: context, responses: responses)
  }

  /// Returns true where this node recognizes the call's credentials.
  package func recognizes(_ context: CallContext) -> Bool { local.recognizes(context) }

  /// Performs a request of the administration API on this node.
  package func administer(
    _ request: AdminRequest,
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8]?, ServiceError>) -> Void
  ) {
    local.administer(request, context: context, respond: respond)
  }

  /// The other node that has the transaction of a request; nil for what this one makes itself.
  private func home(
    of request: [UInt8],
    _ method: RPCMethod,
    _ context: CallContext
  ) -> NodeNumber? {
    guard !context.isForwarded, let transaction = method.transaction(in: request),
      let node = TransactionID(transaction).node, node != own
    else { return nil }
    return node
  }

  /// Reads a stream to its end, which says whether the call went well, and answers with its one message.
  private static func read(
    _ stream: any ResponseStream,
    _ message: [UInt8],
    _ respond: @escaping @Sendable (Result<[UInt8], ServiceError>) -> Void
  ) {
    stream.next(maxBytes: .max) { part in
      switch part {
      case .success(let messages) where messages.isEmpty: respond(.success(message))
      case .success(let messages): read(stream, message + messages.joined(), respond)
      case .failure(let error): respond(.failure(error))
      }
    }
  }
}
