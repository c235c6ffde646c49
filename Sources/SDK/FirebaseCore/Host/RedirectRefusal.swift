import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Keeps a session from following redirects: an answer that points elsewhere is the answer.
///
/// The next request would carry headers with credentials to any host that the answer names. It is the session's
/// delegate because on Linux only that one is asked.
package final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
  /// A session without a cache or cookies on disk that follows no redirect.
  package static func session() -> URLSession {
    URLSession(configuration: .ephemeral, delegate: RedirectRefusal(), delegateQueue: nil)
  }

  /// Refuses.
  package func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Ends a request whose connection broke under it, as `HTTPClient` does.
  package func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    // Not from here: the session's queue is in this call, and cancelling waits for it.
    DispatchQueue.global().async { task.cancel() }
    completionHandler(nil)
  }
}
