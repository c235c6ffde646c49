import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP answer; names of headers are in lower case.
package struct HTTPAnswer: Sendable {
  package var status: Int
  package var headers: [String: String]
  package var body: Data

  /// An answer.
  package init(status: Int = 0, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether the status says so.
  package var isSuccess: Bool { (200...299).contains(status) }
}

/// What went over the network so far, of one request.
package enum HTTPTraffic: Sendable {
  case sent(Int64)
  case received(Int64)
}

extension HTTPClient {
  /// Sends a request and collects its answer up to a limit.
  ///
  /// Throws what the network says, or `CancellationError` where the caller's task is cancelled: at once, without
  /// waiting for the connection.
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

/// Puts the pieces of one answer together.
private final class AnswerCollector: Sendable {
  private struct State {
    var continuation: CheckedContinuation<HTTPAnswer, any Error>?
    var task: URLSessionTask?
    var isCancelled = false
    var answer = HTTPAnswer()
  }

  private let limit: Int
  private let traffic: @Sendable (HTTPTraffic) -> Void
  private let state = Mutex(State())

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
    if isCancelled { finish(CancellationError()) }
    return !isCancelled
  }

  /// Takes the task, so that it can be cancelled.
  func follow(_ task: URLSessionTask?) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task?.cancel() }
  }

  func cancel() {
    stop()
    finish(CancellationError())
  }

  private func stop() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    // Not from here: the caller's task may be locked while it is cancelled, and the session's queue waited for.
    if let task { DispatchQueue.global().async { task.cancel() } }
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
    let (continuation, answer) = state.withLock { state in
      defer { state.continuation = nil }
      return (state.continuation, state.answer)
    }
    if let error {
      continuation?.resume(throwing: error)
    } else {
      continuation?.resume(returning: answer)
    }
  }
}
