import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
  /// Sends a request and returns its whole answer.
  ///
  /// The end of the calling task does not cut the exchange short: it goes on until its answer or its timeout. In Swift
  /// 6.3.1 on Linux, `data(for:)` holds the task's lock while it cancels and waits for the session's queue, on which the
  /// answer that comes just then waits for the same lock; both wait for ever.
  package func exchange(_ request: URLRequest) async throws -> (Data, URLResponse?) {
    try await withCheckedThrowingContinuation { continuation in
      let task = dataTask(with: request) { data, response, error in
        if let error {
          continuation.resume(throwing: error)
        } else {
          continuation.resume(returning: (data ?? Data(), response))
        }
      }
      task.resume()
    }
  }
}
