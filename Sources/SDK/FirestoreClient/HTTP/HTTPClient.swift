import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What comes of an HTTP request, in this order; `end` comes once.
enum HTTPEvent: Sendable {
  case response(status: Int, headers: [String: String])
  case data(Data)
  case end((any Error)?)
}

/// HTTP over `URLSession`.
///
/// All events come on one serial queue, which holds back the network while it is busy.
final class HTTPClient: NSObject, URLSessionDataDelegate, Sendable {
  typealias Receiver = @Sendable (HTTPEvent) -> Void

  /// An answer that was collected is at most this long.
  private static let greatestAnswer = 128 << 20

  /// The answer is longer than what is collected.
  struct AnswerTooLarge: Error {}

  /// Where events come.
  let queue: DispatchQueue
  private let receivers = Mutex<[Int: Receiver]>([:])
  private let session = Mutex<URLSession?>(nil)

  init(label: String) {
    queue = DispatchQueue(label: label)
    super.init()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 32
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    let delegateQueue = OperationQueue()
    delegateQueue.underlyingQueue = queue
    delegateQueue.maxConcurrentOperationCount = 1
    let made = URLSession(
      configuration: configuration,
      delegate: self,
      delegateQueue: delegateQueue
    )
    session.withLock { $0 = made }
  }

  /// Sends a request; its events end with an error if the task is cancelled.
  @discardableResult
  func send(_ request: URLRequest, _ receiver: @escaping Receiver) -> URLSessionTask? {
    guard let task = session.withLock({ $0?.dataTask(with: request) }) else {
      queue.async { receiver(.end(URLError(.cancelled))) }
      return nil
    }
    receivers.withLock { $0[task.taskIdentifier] = receiver }
    task.resume()
    return task
  }

  /// Sends a request and collects its answer.
  func answer(to request: URLRequest) async throws -> (status: Int, body: Data) {
    let collector = AnswerCollector(limit: Self.greatestAnswer)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        collector.begin(continuation)
        let task = send(request) { collector.receive($0) }
        collector.follow(task)
      }
    } onCancel: {
      collector.cancel()
    }
  }

  /// Cancels everything; the client sends nothing any more.
  func shutDown() {
    session.withLock { session in
      session?.invalidateAndCancel()
      session = nil
    }
  }

  // MARK: The session's delegate

  private func tell(_ task: URLSessionTask, _ event: HTTPEvent) {
    let receiver = receivers.withLock { $0[task.taskIdentifier] }
    receiver?(event)
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    var headers: [String: String] = [:]
    let answer = response as? HTTPURLResponse
    for (name, value) in answer?.allHeaderFields ?? [:] {
      if let name = name as? String, let value = value as? String {
        headers[name.lowercased()] = value
      }
    }
    tell(dataTask, .response(status: answer?.statusCode ?? 0, headers: headers))
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    tell(dataTask, .data(data))
  }

  /// Follows no redirect: its request would carry the credentials to wherever the answer points.
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A connection that was used before broke under a request, which is about to be sent again on another.
  ///
  /// On Linux `URLSession` cannot begin a body anew and would send the head alone, so that both sides waited. The
  /// request ends with an error instead. Never called where bodies can be sent again.
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    // Not from here: the session's queue is in this call, and cancelling waits for it.
    queue.async { task.cancel() }
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    let receiver = receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    receiver?(.end(error))
  }
}

/// Puts the pieces of one answer together.
private final class AnswerCollector: Sendable {
  private struct State {
    var continuation: CheckedContinuation<(status: Int, body: Data), any Error>?
    var task: URLSessionTask?
    var isCancelled = false
    var status = 0
    var body = Data()
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  func begin(_ continuation: CheckedContinuation<(status: Int, body: Data), any Error>) {
    state.withLock { $0.continuation = continuation }
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
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  func receive(_ event: HTTPEvent) {
    switch event {
    case .response(let status, _): state.withLock { $0.status = status }
    case .data(let data):
      let isTooLarge = state.withLock { state in
        state.body.append(data)
        return state.body.count > limit
      }
      if isTooLarge {
        finish(HTTPClient.AnswerTooLarge())
        cancel()
      }
    case .end(let error): finish(error)
    }
  }

  private func finish(_ error: (any Error)?) {
    let (continuation, result) = state.withLock { state in
      defer { state.continuation = nil }
      return (state.continuation, (status: state.status, body: state.body))
    }
    if let error {
      continuation?.resume(throwing: error)
    } else {
      continuation?.resume(returning: result)
    }
  }
}
