import BaseStatus

/// The responses of a server-streaming method, pulled as fast as the client reads.
package protocol ResponseStream: AnyObject, Sendable {
  /// The next messages, at least one and about `maxBytes` in all; none at the end.
  ///
  /// One call at a time; answers exactly once, on any thread.
  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  )
}
