import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads the stream of one request and yields the numbers that it tells.
///
/// A session of its own takes the request, since only a session's delegate hears of parts as they come.
final class InvalidationReader: NSObject, URLSessionDataDelegate, Sendable {
  /// What the server said on the stream.
  enum Event: Sendable {
    /// The answer has begun.
    case opened
    case number(Int64)
    case unavailable
  }

  /// The server refused the stream.
  struct Refused: Error {
    let status: Int
  }

  private let continuation: AsyncThrowingStream<Event, any Error>.Continuation

  private init(_ continuation: AsyncThrowingStream<Event, any Error>.Continuation) {
    self.continuation = continuation
  }

  /// The events of a request; ends when the server ends its answer, throws where the network or it fails.
  static func events(of request: URLRequest) -> AsyncThrowingStream<Event, any Error> {
    // Numbers only grow: of those that nobody took yet the newest will do.
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Event.self,
      bufferingPolicy: .bufferingNewest(4)
    )
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(
      configuration: .ephemeral,
      delegate: InvalidationReader(continuation),
      delegateQueue: queue
    )
    let task = session.dataTask(with: request)
    continuation.onTermination = { _ in
      task.cancel()
      session.invalidateAndCancel()
    }
    task.resume()
    return stream
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

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if status == 200 {
      continuation.yield(.opened)
    } else {
      continuation.finish(throwing: Refused(status: status))
    }
    completionHandler(status == 200 ? .allow : .cancel)
  }

  /// A part has whole messages: the server sends one a part.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    for text in String(decoding: data, as: UTF8.self).split(separator: "}") {
      guard let start = text.firstIndex(of: "{"),
        let message = try? JSONSerialization.jsonObject(with: Data("\(text[start...])}".utf8)),
        let members = message as? [String: Any]
      else { continue }
      if members["featureDisabled"] as? Bool == true { continuation.yield(.unavailable) }
      let number = members["latestTemplateVersionNumber"]
      if let number = (number as? String).flatMap(Int64.init) ?? (number as? NSNumber)?.int64Value {
        continuation.yield(.number(number))
      }
    }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    continuation.finish(throwing: error)
  }
}
