import CZlib

/// Compression for browsers, done once a file.
enum Gzip {
  /// The bytes as a gzip stream, as short as zlib makes it.
  static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    // 15 bits of window, and 16 for a gzip header.
    let isReady = deflateInit2_(
      &stream,
      Z_BEST_COMPRESSION,
      Z_DEFLATED,
      15 + 16,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    precondition(isReady == Z_OK, "zlib takes the parameters")
    defer { deflateEnd(&stream) }
    var input = bytes
    let capacity = Int(deflateBound(&stream, uLong(bytes.count)))
    return input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = uInt(source.count)
      return [UInt8](unsafeUninitializedCapacity: capacity) { room, count in
        stream.next_out = room.baseAddress
        stream.avail_out = uInt(capacity)
        let end = deflate(&stream, Z_FINISH)
        precondition(end == Z_STREAM_END, "the bound is enough")
        count = capacity - Int(stream.avail_out)
      }
    }
  }
}
