import Synchronization

/// A transport for tests: a closure plays the server, and every request is kept.
package final class ScriptedTransport: Transport {
  private let requests = Mutex<[HTTPRequest]>([])
  private let answer: @Sendable (HTTPRequest) async throws -> HTTPReply

  package init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPReply) {
    self.answer = answer
  }

  /// The requests sent so far, in order.
  package var sent: [HTTPRequest] { requests.withLock(\.self) }

  package func send(_ request: HTTPRequest) async throws -> HTTPReply {
    requests.withLock { $0.append(request) }
    return try await answer(request)
  }
}
