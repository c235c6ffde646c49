import NIOCore
import NIOHTTP2

/// How much of a stream's answer the client takes, and what waits for it to take more.
struct AnswerFlow {
  /// What the client granted beyond its initial window, less what was sent.
  var credit = 0
  /// Nil where nothing waits, which is nearly always.
  var waiting: WaitingAnswer?
}

/// The parts of a stream's answer that could not leave at once, in order.
final class WaitingAnswer {
  /// DATA, not yet cut into frames.
  var parts = CircularBuffer<ByteBuffer>(initialCapacity: 2)
  /// The frame that ends the stream once all parts have left.
  var end: HTTP2Frame?
  /// Whether the stream has its turn among those that may send.
  var isQueued = false
}
