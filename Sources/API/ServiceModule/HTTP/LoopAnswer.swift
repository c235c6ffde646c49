import BaseStatus
import HTTPTypes

/// The response of a route's `LoopHandler`, once it is known.
package enum LoopAnswer: Sendable {
  /// A response whose body is bytes.
  case response(ServiceResponse)
  /// Google's JSON error.
  case failure(ServiceError)
  /// A response whose body goes on; only for routes that take the connection.
  case stream(HTTPFields, any LoopStream)
}

/// The body of a response that continues for as long as the client reads, and needs neither task
/// nor buffer while it is idle.
///
/// The connection's event loop asks for parts, after `begin`, after each `LoopNews.arrived()` and when the client has
/// taken what was written. Nothing here blocks.
package protocol LoopStream: AnyObject, Sendable {
  /// The head was written; called once, on the event loop.
  func begin(_ news: any LoopNews)
  /// The next part; on the event loop, while the client reads.
  func next() -> LoopPart
  /// The connection is over, or the last part was taken; on the event loop, once.
  func end()
}

/// The next output of a stream.
package enum LoopPart: Sendable {
  case bytes([UInt8])
  /// Nothing until there is news.
  case nothing
  /// Nothing any more.
  case end
}

/// The receiver of a stream's notice that it has something to write.
package protocol LoopNews: AnyObject, Sendable {
  /// Has the event loop ask the stream soon; any thread may call, any number of times.
  func arrived()
}
