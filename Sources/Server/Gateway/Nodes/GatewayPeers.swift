import KeyValueStore

/// The other nodes of a cluster, as a gateway needs them: the data in one node's memory is reached
/// through all.
package struct GatewayPeers: Sendable {
  /// Passes a request on to a node; nil where that is gone.
  package typealias Forward =
    @Sendable (ForwardedRequest, NodeNumber) async -> ForwardedResponse?

  /// This node's number, with which the ids of its sessions begin.
  let own: NodeNumber
  let forward: Forward
  /// Reads the field `ForwardedCaller.fieldName` of a request (`GET /path?query`); nil where no node has written it for
  /// that request and this node.
  let caller: @Sendable (_ field: String, _ request: String) -> ForwardedCaller?

  /// Collects the facts that a node needs about the others.
  package init(
    own: NodeNumber,
    forward: @escaping Forward,
    caller: @escaping @Sendable (_ field: String, _ request: String) -> ForwardedCaller?
  ) {
    self.own = own
    self.forward = forward
    self.caller = caller
  }
}
