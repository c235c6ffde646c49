import CBrotli

/// Compresses content as Brotli (RFC 7932).
package enum BrotliWriter {
  /// A quality that takes about as long as gzip does, and gives less.
  package static let quality: Int32 = 5

  /// The compressed bytes of a content; nil where the library has no memory for it.
  package static func packed(_ content: [UInt8]) -> [UInt8]? {
    let room = BrotliEncoderMaxCompressedSize(content.count)
    var size = room
    let packed = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      let isDone = BrotliEncoderCompress(
        quality,
        Int32(BROTLI_DEFAULT_WINDOW),
        BROTLI_MODE_TEXT,
        content.count,
        content,
        &size,
        buffer.baseAddress
      )
      count = isDone == BROTLI_TRUE ? size : 0
    }
    return packed.isEmpty ? nil : packed
  }
}
