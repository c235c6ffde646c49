import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP answer; names of headers are in lower case.
struct HTTPAnswer: Sendable {
  var status = 0
  var headers: [String: String] = [:]
  var body = Data()

  var isSuccess: Bool { (200...299).contains(status) }
}

/// What went over the network so far, of one request.
enum Traffic: Sendable {
  case sent(Int64)
  case received(Int64)
}

/// HTTP over `URLSession`: one request, one answer that is collected up to a limit.
final class StorageHTTP: NSObject, URLSessionDataDelegate, Sendable {
  /// The answer is longer than the caller takes.
  struct AnswerTooLarge: Error {}

  /// The connections of all apps.
  static let shared = StorageHTTP()

  private let exchanges = Mutex<[Int: Exchange]>([:])
  private let session = Mutex<URLSession?>(nil)

  private override init() {
    super.init()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    session.withLock { $0 = made }
  }

  /// Sends a request, with a body or without; throws what the network says, or `CancellationError`.
  func answer(
    to request: URLRequest,
    body: Data? = nil,
    limit: Int = 16 << 20,
    traffic: @escaping @Sendable (Traffic) -> Void = { _ in }
  ) async throws -> HTTPAnswer {
    let exchange = Exchange(limit: limit, traffic: traffic)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchange.begin(continuation, makeTask(request, body, exchange))
      }
    } onCancel: {
      exchange.cancel()
    }
  }

  private func makeTask(
    _ request: URLRequest,
    _ body: Data?,
    _ exchange: Exchange
  ) -> URLSessionTask? {
    let task = session.withLock { session -> URLSessionTask? in
      guard let body else { return session?.dataTask(with: request) }
      return session?.uploadTask(with: request, from: body)
    }
    if let task { exchanges.withLock { $0[task.taskIdentifier] = exchange } }
    return task
  }

  private func exchange(of task: URLSessionTask) -> Exchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  // MARK: The session's delegate

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.traffic(.sent(totalBytesSent))
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.receive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
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
    exchange(of: task)?.end(URLError(.networkConnectionLost))
    // Not from here: the session's queue is in this call, and cancelling waits for it.
    DispatchQueue.global().async { task.cancel() }
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.end(error)
  }
}

/// One request and what has come of its answer.
private final class Exchange: Sendable {
  private struct State {
    var continuation: CheckedContinuation<HTTPAnswer, any Error>?
    var task: URLSessionTask?
    var isCancelled = false
    var answer = HTTPAnswer()
  }

  let traffic: @Sendable (Traffic) -> Void
  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int, traffic: @escaping @Sendable (Traffic) -> Void) {
    self.limit = limit
    self.traffic = traffic
  }

  /// Starts the task, unless it was cancelled before.
  func begin(
    _ continuation: CheckedContinuation<HTTPAnswer, any Error>,
    _ task: URLSessionTask?
  ) {
    let isCancelled = state.withLock { state in
      state.continuation = continuation
      state.task = task
      return state.isCancelled
    }
    task?.resume()
    if isCancelled || task == nil { cancel() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
    // The caller does not wait for the connection.
    end(CancellationError())
  }

  func receive(_ response: URLResponse) {
    guard let response = response as? HTTPURLResponse else { return }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String {
        headers[name.lowercased()] = value
      }
    }
    state.withLock { [headers] state in
      state.answer.status = response.statusCode
      state.answer.headers = headers
    }
  }

  func receive(_ data: Data) {
    let received = state.withLock { state -> Int64? in
      guard state.answer.body.count + data.count <= limit else { return nil }
      state.answer.body.append(data)
      return Int64(state.answer.body.count)
    }
    if let received { return traffic(.received(received)) }
    end(StorageHTTP.AnswerTooLarge())
    cancel()
  }

  func end(_ error: (any Error)?) {
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
