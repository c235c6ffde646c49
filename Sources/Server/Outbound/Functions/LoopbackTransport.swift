import FunctionHost

/// Sends calls to instances of functions on this machine, each over a connection of its own.
///
/// Connections are not kept: an instance closes idle ones at a moment of its own, at which a call could be lost.
package struct LoopbackTransport: InstanceTransport {
  private let client: NodeClient

  /// A transport with up to so many connections to an instance, which has to be shut down.
  package init(connections: Int = 1_024) {
    client = NodeClient(connections: connections, silence: nil)
  }

  /// Sends a request to a port of 127.0.0.1.
  package func send(
    _ request: InvocationRequest,
    port: Int,
    within time: Duration
  ) async throws -> InvocationResponse {
    let message = NodeClient.Message(
      request.method,
      request.target,
      headers: request.headers + [("connection", "close")],
      body: request.body.isEmpty && !Self.takesBody(request.method) ? nil : request.body
    )
    let answer = try await client.send(message, to: "http://127.0.0.1:\(port)", within: time)
    return InvocationResponse(
      status: answer.status,
      headers: answer.headers,
      body: answer.body,
      cancel: answer.body.cancel
    )
  }

  private static func takesBody(_ method: String) -> Bool {
    method == "POST" || method == "PUT" || method == "PATCH"
  }

  /// Ends the connections.
  package func shutdown() async throws { try await client.shutdown() }
}
