import Foundation
import Locking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP response; names of headers are in lower case.
package struct HTTPAnswer: Sendable {
  /// The HTTP status; 0 before the head has arrived.
  package var status: Int
  /// The header fields by their names in lower case.
  package var headers: [String: String]
  /// The bytes of the body.
  package var body: Data

  /// A response.
  package init(status: Int = 0, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// True if the status means success.
  package var isSuccess: Bool { (200...299).contains(status) }
}

/// The progress of one request on the network so far.
package enum HTTPTraffic: Sendable {
  case sent(Int64)
  case received(Int64)
}

extension HTTPClient {
  /// Sends a request and collects its response up to a limit.
  ///
  /// Throws the network's error, or `CancellationError` if the caller's task is cancelled: at once,
  /// without waiting for the connection.
  package func answer(
    to request: URLRequest,
    body: Data? = nil,
    limit: Int = 16 << 20,
    traffic: @escaping @Sendable (HTTPTraffic) -> Void = { _ in }
  ) async throws -> HTTPAnswer {
    let collector = AnswerCollector(limit: limit, traffic: traffic)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard collector.begin(continuation) else { return }
        collector.follow(send(request, body: body) { collector.receive($0) })
      }
    } onCancel: {
      collector.cancel()
    }
  }
}

extension HTTPClient {
  /// Returns true if a request's connection broke before all of its response was there.
  ///
  /// A request ends this way if its connection was reused as the server closed it: servers drop
  /// connections that were quiet for a while. Nothing shows how much of the request reached the
  /// server.
  package static func isConnectionLost(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSURLErrorDomain && error.code == NSURLErrorNetworkConnectionLost
  }
}

extension HTTPClient {
  /// Sends a request with a body over a connection that nothing was sent on before, and collects its response.
  ///
  /// For bodies of which the server keeps what came before a connection broke. On Linux, if a
  /// reused connection breaks, the request is sent once more with the rest of its body, until it is
  /// stopped: the server would take that for the body's beginning. On a new connection it does not.
  package static func answerOnNewConnection(
    to request: URLRequest,
    body: Data,
    limit: Int,
    traffic: @escaping @Sendable (HTTPTraffic) -> Void
  ) async throws -> HTTPAnswer {
    #if canImport(FoundationNetworking)
    let client = HTTPClient(label: "Firebase.network.once")
    defer { client.shutDown() }
    #else
    let client = HTTPClient.shared
    #endif
    return try await client.answer(to: request, body: body, limit: limit, traffic: traffic)
  }
}

/// Puts the pieces of one response together.
private final class AnswerCollector: Sendable {
  private struct State {
    var continuation: CheckedContinuation<HTTPAnswer, any Error>?
    var call: HTTPCall?
    var isCancelled = false
    var answer = HTTPAnswer()
  }

  private let limit: Int
  private let traffic: @Sendable (HTTPTraffic) -> Void
  private let state = Lock(State())

  init(limit: Int, traffic: @escaping @Sendable (HTTPTraffic) -> Void) {
    self.limit = limit
    self.traffic = traffic
  }

  /// Takes who waits; false where that was cancelled before.
  func begin(_ continuation: CheckedContinuation<HTTPAnswer, any Error>) -> Bool {
    let isCancelled = state.withLock { state in
      state.continuation = continuation
      return state.isCancelled
    }
    if isCancelled { finish(nil) }
    return !isCancelled
  }

  /// Takes the call, so that it can be cancelled.
  func follow(_ call: HTTPCall?) {
    let isCancelled = state.withLock { state in
      state.call = call
      return state.isCancelled
    }
    if isCancelled { call?.cancel() }
  }

  func cancel() {
    stop()
    finish(nil)
  }

  /// Ends the request; its later results are reported as cancelled.
  private func stop() {
    let call = state.withLock { state in
      state.isCancelled = true
      return state.call
    }
    call?.cancel()
  }

  func receive(_ event: HTTPEvent) {
    switch event {
    case .sent(let count): traffic(.sent(count))
    case .response(let status, let headers):
      state.withLock { state in
        state.answer.status = status
        state.answer.headers = headers
      }
    case .data(let data): receive(data)
    case .end(let error): finish(error)
    }
  }

  private func receive(_ data: Data) {
    let received = state.withLock { state -> Int64? in
      guard state.answer.body.count + data.count <= limit else { return nil }
      state.answer.body.append(data)
      return Int64(state.answer.body.count)
    }
    if let received { return traffic(.received(received)) }
    finish(HTTPClient.AnswerTooLarge())
    stop()
  }

  private func finish(_ error: (any Error)?) {
    let (continuation, answer, isCancelled) = state.withLock { state in
      defer { state.continuation = nil }
      return (state.continuation, state.answer, state.isCancelled)
    }
    if let error = isCancelled ? CancellationError() : error {
      continuation?.resume(throwing: error)
    } else {
      continuation?.resume(returning: answer)
    }
  }
}
