import AsyncHTTPClient
import NIOCore

extension HTTPClientResponse.Body {
  /// Reads the whole body; throws `deadlineExceeded` where its last byte has not come by the deadline.
  ///
  /// The client's own deadline ends with the response's head, so a server that sends the body byte by byte, or never, would
  /// hold the caller for as long as it likes.
  func collect(upTo limit: Int, by deadline: NIODeadline) async throws -> ByteBuffer {
    try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
      group.addTask { try await collect(upTo: limit) }
      group.addTask {
        let left = deadline - NIODeadline.now()
        try await Task.sleep(for: .nanoseconds(Swift.max(0, left.nanoseconds)))
        return nil
      }
      defer { group.cancelAll() }
      guard let body = try await group.next() ?? nil else {
        throw HTTPClientError.deadlineExceeded
      }
      return body
    }
  }
}
