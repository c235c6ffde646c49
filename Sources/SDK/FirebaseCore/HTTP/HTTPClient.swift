import Foundation
import Locking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The events of an HTTP request, in this order; `end` comes once.
package enum HTTPEvent: Sendable {
  /// So many bytes of the body have been sent.
  case sent(Int64)
  case response(status: Int, headers: [String: String])
  case data(Data)
  case end((any Error)?)
}

/// A request that was sent.
package struct HTTPCall: Sendable {
  fileprivate let task: URLSessionTask
  fileprivate let queue: DispatchQueue

  /// Ends the request, soon.
  ///
  /// On the queue of the events, for two reasons of Linux. A request that is cancelled on one
  /// thread as it ends on another ends the process. The thread that cancels a Swift task holds its
  /// lock, and the response may be waiting for that lock.
  package func cancel() { queue.async { [task] in task.cancel() } }
}

/// HTTP over `URLSession`, without a cache or cookies: the way of all services to their servers.
///
/// It follows no redirects: the next request would carry headers with credentials to any host that a response names. All
/// events come on one serial queue, which holds back the network while it is busy.
package final class HTTPClient: NSObject, URLSessionDataDelegate, Sendable {
  /// Receives a request's events on the client's queue; must not block for long.
  package typealias Receiver = @Sendable (HTTPEvent) -> Void

  /// The answer is longer than what the caller takes.
  package struct AnswerTooLarge: Error {}

  /// The connections of all services that have none of their own.
  package static let shared = HTTPClient(label: "Firebase.network")

  /// The queue on which events arrive.
  package let queue: DispatchQueue
  private let calls = Lock<[Int: (call: HTTPCall, receiver: Receiver)]>([:])
  private let session = Lock<URLSession?>(nil)

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

  /// Sends a request, its body in it or beside it; its events end with an error if it is cancelled.
  @discardableResult
  package func send(
    _ request: URLRequest,
    body: Data? = nil,
    _ receiver: @escaping Receiver
  ) -> HTTPCall? {
    guard let call = makeCall(request, body, receiver) else {
      queue.async { receiver(.end(URLError(.cancelled))) }
      return nil
    }
    call.task.resume()
    return call
  }

  /// The request as one of the calls; nil after the end.
  private func makeCall(
    _ request: URLRequest,
    _ body: Data?,
    _ receiver: @escaping Receiver
  ) -> HTTPCall? {
    session.withLock { session in
      let task =
        if let body {
          session?.uploadTask(with: request, from: body)
        } else {
          session?.dataTask(with: request) as URLSessionTask?
        }
      guard let task else { return nil }
      let call = HTTPCall(task: task, queue: queue)
      calls.withLock { $0[task.taskIdentifier] = (call, receiver) }
      return call
    }
  }

  /// Cancels everything; the client sends nothing any more.
  package func shutDown() {
    let ended = session.withLock { session in
      defer { session = nil }
      return session
    }
    // `invalidateAndCancel` would cancel beside the queue.
    for (call, _) in calls.withLock({ Array($0.values) }) { call.cancel() }
    ended?.finishTasksAndInvalidate()
  }

  // MARK: The session's delegate

  private func tell(_ task: URLSessionTask, _ event: HTTPEvent) {
    let receiver = calls.withLock { $0[task.taskIdentifier]?.receiver }
    receiver?(event)
  }

  private func end(_ task: URLSessionTask, _ error: (any Error)?) {
    let receiver = calls.withLock { $0.removeValue(forKey: task.taskIdentifier)?.receiver }
    receiver?(.end(error))
  }

  /// Reports the bytes of the body that were sent so far.
  package func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    tell(task, .sent(totalBytesSent))
  }

  /// Reports the head with names in lower case, and lets the body come.
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

  /// Reports a part of the body.
  package func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive data: Data
  ) {
    tell(dataTask, .data(data))
  }

  /// Refuses the redirect: its response becomes that of the request.
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
  /// On Linux `URLSession` cannot restart a body: it sends the head and the rest of the body, until
  /// the request is cancelled. The request ends as one whose connection was lost; where a server
  /// keeps part of a body see `answerOnNewConnection`. Never called where bodies can be sent again.
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

  /// Ends the request, with an error where its response is not complete.
  package func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    end(task, error)
  }
}
