/// Bytes of a stream's own that it lends until its next move, as a cursor lends a key.
final class LentBytes {
  private var storage: UnsafeMutableRawBufferPointer
  private var count = 0

  /// Empty, with room for a usual position.
  init() { storage = .allocate(byteCount: 256, alignment: 8) }

  deinit { storage.deallocate() }

  /// The bytes that were last put in.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

  /// Replaces the content.
  func set(_ parts: [UInt8]...) {
    let needed = parts.reduce(0) { $0 + $1.count }
    if needed > storage.count {
      storage.deallocate()
      storage = .allocate(byteCount: 2 * needed, alignment: 8)
    }
    count = 0
    for part in parts {
      part.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: $0)
      }
      count += part.count
    }
  }
}
