import CFileRange
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes large files past the system's memory, as far as the system does that.
///
/// Bytes of gigabytes that go through the system's memory are copied to pages that have to be found first, and push out
/// what others read; the sync of a document's commit waits for them. Offsets, lengths and memory of a direct write are
/// multiples of `alignment`, so it has buffers of its own, of which as many exist as threads write at once.
final class DirectWrite: Sendable {
  /// The block size of all usual disks and file systems.
  static let alignment = 4_096

  /// The size of a buffer.
  static let bufferBytes = PartMemory.largestPart

  /// Memory of `bufferBytes`, which one thread at a time has.
  private struct Buffer: @unchecked Sendable {
    // The caller that took it out of `free` is its only owner.
    let memory: UnsafeMutableRawPointer
  }

  private let free = Mutex<[Buffer]>([])

  deinit { free.withLock { for buffer in $0 { buffer.memory.deallocate() } } }

  /// Writes as much of the bytes as can be written so, from their beginning; blocks.
  ///
  /// - Returns: The number of bytes written: none where the offset is not aligned or the file's
  ///   system takes no direct writes. The rest is written otherwise.
  func write(
    _ descriptor: Int32,
    _ bytes: [UInt8],
    at offset: Int64,
    _ path: String
  ) throws -> Int {
    #if os(Linux)
    guard offset % Int64(Self.alignment) == 0, bytes.count >= Self.alignment else { return 0 }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | Int32(open_direct)) == 0 else { return 0 }
    // Other writes of the file are not aligned.
    defer { _ = fcntl(descriptor, F_SETFL, flags) }
    let buffer = free.withLock { $0.popLast() } ?? Self.makeBuffer()
    defer { free.withLock { $0.append(buffer) } }
    let whole = bytes.count / Self.alignment * Self.alignment
    var done = 0
    while done < whole {
      let part = bytes[done..<min(done + Self.bufferBytes, whole)]
      let room = UnsafeMutableRawBufferPointer(start: buffer.memory, count: part.count)
      part.withUnsafeBytes { room.copyMemory(from: $0) }
      let count = pwrite(descriptor, buffer.memory, part.count, off_t(offset) + off_t(done))
      if count < 0, errno == EINTR { continue }
      // Said by file systems without direct writes, and of disks with larger blocks.
      if count < 0, errno == EINVAL || errno == EOPNOTSUPP { return done }
      guard count >= 0 else { throw FileCall.failure("write", path) }
      done += count
      // A full disk accepts a part; writing the rest returns the reason.
      guard count == part.count else { return done }
    }
    return done
    #else
    return 0
    #endif
  }

  private static func makeBuffer() -> Buffer {
    Buffer(memory: .allocate(byteCount: bufferBytes, alignment: alignment))
  }
}
