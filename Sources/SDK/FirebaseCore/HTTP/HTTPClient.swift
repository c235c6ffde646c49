import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What comes of an HTTP request, in this order; `end` comes once.
package enum HTTPEvent: Sendable {
  /// So many bytes of the body have been sent.
  case sent(Int64)
  case response(status: Int, headers: [String: String])
  case data(Data)
  case end((any Error)?)
}

/// HTTP over `URLSession`, without a cache or cookies: the way of all services to their servers.
///
/// It follows no redirects: the next request would carry headers with credentials to any host that an answer names. All
/// events come on one serial queue, which holds back the network while it is busy.
package final class HTTPClient: NSObject, URLSessionDataDelegate, Sendable {
  package typealias Receiver = @Sendable (HTTPEvent) -> Void

  /// The answer is longer than what the caller takes.
  package struct AnswerTooLarge: Error {}

  /// The connections of all services that have none of their own.
  package static let shared = HTTPClient(label: "Firebase.network")

  /// Where events come.
  package let queue: DispatchQueue
  private let receivers = Mutex<[Int: Receiver]>([:])
  private let session = Mutex<URLSession?>(nil)

  /// A client whose queue has that label.
  package init(label: String) {
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

  /// Sends a request, its body in it or beside it; its events end with an error if the task is cancelled.
  @discardableResult
  package func send(
    _ request: URLRequest,
    body: Data? = nil,
    _ receiver: @escaping Receiver
  ) -> URLSessionTask? {
    guard let task = makeTask(request, body) else {
      queue.async { receiver(.end(URLError(.cancelled))) }
      return nil
    }
    receivers.withLock { $0[task.taskIdentifier] = receiver }
    task.resume()
    return task
  }

  /// The request's task; nil after the end.
  private func makeTask(_ request: URLRequest, _ body: Data?) -> URLSessionTask? {
    session.withLock { session in
      guard let body else { return session?.dataTask(with: request) }
      return session?.uploadTask(with: request, from: body)
    }
  }

  /// Cancels everything; the client sends nothing any more.
  package func shutDown() {
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

  private func end(_ task: URLSessionTask, _ error: (any Error)?) {
    let receiver = receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    receiver?(.end(error))
  }

  package func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    tell(task, .sent(totalBytesSent))
  }

  package func urlSession(
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

  package func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive data: Data
  ) {
    tell(dataTask, .data(data))
  }

  package func urlSession(
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
  /// request ends as one whose connection was lost. Never called where bodies can be sent again.
  package func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    // Not from here: the session's queue is in this call, and both cancelling and sending again wait for it.
    queue.async { [self] in
      end(task, URLError(.networkConnectionLost))
      task.cancel()
    }
    completionHandler(nil)
  }

  package func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    end(task, error)
  }
}
