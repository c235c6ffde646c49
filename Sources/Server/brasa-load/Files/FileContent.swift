/// The bytes of objects that loads write: one block of random bytes, which each object begins to repeat at an
/// offset of its own.
struct FileContent: Sendable {
  /// The block twice, so that a repetition is one stretch.
  private let bytes: [UInt8]
  private let length: Int

  /// Content that is the same for the same seed.
  init(seed: UInt64, length: Int = 1 << 20) {
    var random = RandomSource(seed: seed)
    var block = [UInt8](repeating: 0, count: length)
    for index in block.indices { block[index] = UInt8(truncatingIfNeeded: random.next()) }
    bytes = block + block
    self.length = length
  }

  /// Lends the bytes of an object from an offset on, at most so many and at most a block.
  func withBytes<R>(
    of object: Int,
    from offset: Int64,
    upTo count: Int64,
    _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    // A prime, so that neighbours share no beginning.
    let start = Int((Int64(object) &* 40_961 &+ offset) % Int64(length))
    let end = start + Int(min(count, Int64(length)))
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
  }
}
