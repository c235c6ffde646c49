import CZlib
import Locking

/// Packs content in the form of gzip (RFC 1952) as it arrives.
///
/// The output of `pack` and then `finish` is one member. No I/O, but work enough for a thread that
/// may block. One call at a time.
package final class GzipWriter: Sendable {
  /// The work that is put into small output: 1 is quick, 9 makes the smallest.
  package enum Effort: Int32, Sendable {
    case quick = 1
    case usual = 6
    case most = 9
  }

  private struct Stream {
    let pointer: UnsafeMutablePointer<z_stream>
  }

  private let stream: Lock<Stream>

  /// Packs content that is whole.
  package static func packed(_ bytes: [UInt8], effort: Effort = .usual) -> [UInt8] {
    let writer = GzipWriter(effort: effort)
    let begin = writer.pack(bytes)
    return begin + writer.finish()
  }

  /// A writer that has been given nothing yet.
  package init(effort: Effort = .usual) {
    let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    pointer.initialize(to: z_stream())
    // 15 bits of window, and 16 for a gzip header.
    let isReady = deflateInit2_(
      pointer,
      effort.rawValue,
      Z_DEFLATED,
      15 + 16,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    precondition(isReady == Z_OK, "zlib takes the parameters")
    stream = Lock(Stream(pointer: pointer))
  }

  deinit {
    stream.withLock { stream in
      deflateEnd(stream.pointer)
      stream.pointer.deallocate()
    }
  }

  /// Takes the next bytes and returns the compressed bytes so far, possibly none.
  package func pack(_ bytes: [UInt8]) -> [UInt8] { run(bytes, Z_NO_FLUSH) }

  /// Ends the content and answers the rest of it.
  package func finish() -> [UInt8] { run([], Z_FINISH) }

  private func run(_ bytes: [UInt8], _ flush: Int32) -> [UInt8] {
    stream.withLock { stream in
      var input = bytes
      var output: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 64 << 10)
      input.withUnsafeMutableBufferPointer { input in
        stream.pointer.pointee.next_in = input.baseAddress
        stream.pointer.pointee.avail_in = UInt32(input.count)
        var hasMore = true
        while hasMore {
          part.withUnsafeMutableBufferPointer { part in
            stream.pointer.pointee.next_out = part.baseAddress
            stream.pointer.pointee.avail_out = UInt32(part.count)
            _ = deflate(stream.pointer, flush)
            let filled = part.count - Int(stream.pointer.pointee.avail_out)
            output += part[..<filled]
            hasMore = filled == part.count
          }
        }
      }
      return output
    }
  }
}
