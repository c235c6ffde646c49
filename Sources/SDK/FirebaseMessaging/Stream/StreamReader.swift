import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads the stream of one request and yields its lines.
///
/// A session of its own takes the request, since only a session's delegate hears of parts as they come.
final class StreamReader: NSObject, URLSessionDataDelegate, Sendable {
  /// The server refused the stream.
  struct Refused: Error {
    let status: Int
  }

  /// More lines came than a device's mailbox has.
  struct Overflow: Error {}

  private static let lineLimit = 1_000

  private let continuation: AsyncThrowingStream<StreamLine, any Error>.Continuation
  private let splitter = Mutex(LineSplitter())

  private init(_ continuation: AsyncThrowingStream<StreamLine, any Error>.Continuation) {
    self.continuation = continuation
  }

  /// The lines of a request; ends when the server ends its answer, throws where the network or it fails.
  static func lines(of request: URLRequest) -> AsyncThrowingStream<StreamLine, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: StreamLine.self,
      bufferingPolicy: .bufferingOldest(lineLimit)
    )
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(
      configuration: .ephemeral,
      delegate: StreamReader(continuation),
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
    if status != 200 { continuation.finish(throwing: Refused(status: status)) }
    completionHandler(status == 200 ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    do {
      for line in try splitter.withLock({ try $0.take(data) }) {
        guard let line = StreamLine(line) else { continue }
        if case .dropped = continuation.yield(line) { throw Overflow() }
      }
    } catch {
      continuation.finish(throwing: error)
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
