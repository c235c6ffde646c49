import NIOCore
import NIOHTTP2

/// The credit of a stream's client for its response, and the parts that wait for more credit.
struct AnswerFlow {
  /// The bytes that the client granted beyond its initial window, less those that were sent.
  var credit = 0
  /// Nil where nothing waits, which is nearly always.
  var waiting: WaitingAnswer?
}

/// The parts of a stream's response that could not leave at once, in order.
final class WaitingAnswer {
  /// DATA, not yet cut into frames.
  var parts = CircularBuffer<ByteBuffer>(initialCapacity: 2)
  /// The frame that ends the stream once all parts have left.
  var end: HTTP2Frame?
  /// True if the stream has its turn among those that may send.
  var isQueued = false
}
