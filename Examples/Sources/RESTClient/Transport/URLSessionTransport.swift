import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport of the apps: Foundation's `URLSession`, on Apple's systems and on Linux alike.
///
/// It keeps neither cookies nor a cache. Cancelling the task cancels the request.
package struct URLSessionTransport: Transport {
  /// One session for the process, so that connections are shared.
  package static let shared = URLSessionTransport()

  private let session: URLSession
  /// The queue on which responses arrive.
  private let queue = DispatchQueue(label: "URLSessionTransport")

  package init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    let answers = OperationQueue()
    answers.underlyingQueue = queue
    session = URLSession(configuration: configuration, delegate: nil, delegateQueue: answers)
  }

  package func send(_ request: HTTPRequest) async throws -> HTTPReply {
    do {
      let (body, response) = try await data(for: URLRequest(request))
      guard let response = response as? HTTPURLResponse else {
        throw RequestError(.transport, detail: "not an HTTP reply")
      }
      return HTTPReply(status: response.statusCode, headers: response.lowercased, body: body)
    } catch let error as URLError {
      throw RequestError(error)
    }
  }

  /// As `URLSession.data(for:)`, which on Linux waits for ever where the task is cancelled as the answer comes: who cancels
  /// a Swift task holds its lock, for which the answer may be waiting.
  private func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    let running = RunningRequest(queue)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = session.dataTask(with: request) { data, response, error in
          if let data, let response {
            continuation.resume(returning: (data, response))
          } else {
            continuation.resume(throwing: error ?? URLError(.unknown))
          }
        }
        running.start(task)
      }
    } onCancel: {
      running.cancel()
    }
  }
}

/// A request that may be cancelled at any time, by any thread: it is soon, on the queue of the answers.
private final class RunningRequest: Sendable {
  private struct State {
    var task: URLSessionDataTask?
    var isCancelled = false
  }

  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(_ queue: DispatchQueue) { self.queue = queue }

  func start(_ task: URLSessionDataTask) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    task.resume()
    if isCancelled { cancel(task) }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    if let task { cancel(task) }
  }

  private func cancel(_ task: URLSessionDataTask) { queue.async { task.cancel() } }
}

extension RequestError {
  fileprivate init(_ error: URLError) {
    let code: Code =
      switch error.code {
      case .timedOut: .timedOut
      case .cancelled: .cancelled
      default: .transport
      }
    self.init(code, detail: error.localizedDescription)
  }
}

extension URLRequest {
  fileprivate init(_ request: HTTPRequest) {
    self.init(url: request.url)
    httpMethod = request.method.rawValue
    httpBody = request.body
    timeoutInterval = request.timeout / .seconds(1)
    for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
  }
}

extension HTTPURLResponse {
  fileprivate var lowercased: [String: String] {
    var headers: [String: String] = [:]
    for case let (name as String, value as String) in allHeaderFields {
      headers[name.lowercased()] = value
    }
    return headers
  }
}
