import NIOCore

/// Joins the small buffers of one flush into few large ones, so that a batch of answers costs one
/// write to the socket and, with TLS, one record instead of one for each frame.
///
/// Between flushes it holds no buffer: most connections are idle, and thousands of them would each
/// keep one as large as what they sent last.
struct WriteBatch {
  /// Buffers from here on are better written by themselves.
  static let largeBytes = 16 << 10
  private static let batchBytes = 64 << 10

  private var bytes = ByteBuffer()
  /// The size of the last batch, and the expected size of the next.
  private var expectedBytes = 0

  var isEmpty: Bool { bytes.readableBytes == 0 }
  var isFull: Bool { bytes.readableBytes >= Self.batchBytes }

  /// Has a body append to the batch about that many bytes.
  mutating func append(
    _ size: Int,
    with allocator: ByteBufferAllocator,
    _ body: (inout ByteBuffer) -> Void
  ) {
    if bytes.capacity == 0 { bytes = allocator.buffer(capacity: max(size, expectedBytes)) }
    body(&bytes)
  }

  /// Returns the bytes collected since the last time.
  mutating func take() -> ByteBuffer {
    let taken = bytes
    expectedBytes = min(taken.readableBytes, Self.batchBytes)
    bytes = ByteBuffer()
    return taken
  }
}
