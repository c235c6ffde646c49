import NIOCore
import NIOHPACK

/// The few frames of HTTP/2 that loads send and read, as bytes.
///
/// A frame is nine bytes of head (three of length, one of type, one of flags, four of stream) and
/// its payload. If our side announces a header table of size 0, each block of headers that the
/// server sends can be read on its own, or not at all.
enum FrameCodec {
  /// Types of frames by number.
  enum Kind {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
  }

  /// A frame's head.
  struct Head {
    static let size = 9
    let length: Int
    let kind: UInt8
    let flags: UInt8
    let stream: Int

    /// Reads the head at the start of at least nine bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
      length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
      kind = bytes[3]
      flags = bytes[4]
      stream = FrameCodec.integer(bytes, at: 5) & 0x7FFF_FFFF
    }

    /// END_STREAM of DATA and HEADERS, ACK of SETTINGS and PING.
    var hasFirstFlag: Bool { flags & 1 != 0 }
    var isPadded: Bool { flags & 8 != 0 }
    var hasPriority: Bool { flags & 0x20 != 0 }
  }

  static let largestWindow = 0x7FFF_FFFF
  static let usualWindow = 65_535
  static let largestPayload = 16_384

  /// Returns the bytes that a client sends first: the preface, its settings, the connection's
  /// window.
  static func opening(remembersHeaders: Bool) -> [UInt8] {
    var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    var settings: [UInt8] = []
    let tableSize = remembersHeaders ? 4_096 : 0
    for (name, value) in [(1, tableSize), (2, 0), (4, largestWindow)] {
      settings += [0, UInt8(name)] + bigEndian(value)
    }
    append(Kind.settings, settings, on: 0, to: &bytes)
    appendWindowUpdate(largestWindow - usualWindow, on: 0, to: &bytes)
    return bytes
  }

  /// Appends a frame whose payload is small.
  static func append(
    _ kind: UInt8,
    flags: UInt8 = 0,
    _ payload: some Collection<UInt8>,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    appendHead(kind, flags: flags, length: payload.count, on: stream, to: &bytes)
    bytes += payload
  }

  /// Appends the head of a frame whose payload of that length follows.
  static func appendHead(
    _ kind: UInt8,
    flags: UInt8,
    length: Int,
    on stream: Int,
    to bytes: inout [UInt8]
  ) {
    bytes.append(UInt8(truncatingIfNeeded: length >> 16))
    bytes.append(UInt8(truncatingIfNeeded: length >> 8))
    bytes.append(UInt8(truncatingIfNeeded: length))
    bytes.append(kind)
    bytes.append(flags)
    appendInteger(stream, to: &bytes)
  }

  /// Appends a number in four bytes.
  static func appendInteger(_ number: Int, to bytes: inout [UInt8]) {
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Appends more window for a stream, or for the connection as stream 0.
  static func appendWindowUpdate(_ count: Int, on stream: Int, to bytes: inout [UInt8]) {
    append(Kind.windowUpdate, bigEndian(count), on: stream, to: &bytes)
  }

  /// The header block of a gRPC call, every field written out and none remembered.
  static func callHeaders(path: String, target: LoadTarget) -> [UInt8] {
    var fields = [
      (":method", "POST"), (":scheme", "http"), (":path", path),
      (":authority", "\(target.host):\(target.port)"), ("te", "trailers"),
      ("content-type", "application/grpc"), ("google-cloud-resource-prefix", target.database),
    ]
    if let token = target.token { fields.append(("authorization", "Bearer \(token)")) }
    var block: [UInt8] = []
    for (name, value) in fields {
      block.append(0x10)
      appendText(name, to: &block)
      appendText(value, to: &block)
    }
    return block
  }

  /// The fields of a block that the server sent; nil when it is malformed.
  static func fields(ofBlock bytes: UnsafeRawBufferPointer) -> HPACKHeaders? {
    var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    var buffer = ByteBuffer(bytes: bytes)
    return try? decoder.decodeHeaders(from: &buffer)
  }

  /// Four bytes as a number.
  static func integer(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
  }

  /// A string without Huffman's code: its length in seven bits and more, then its bytes.
  static func appendText(_ text: String, to block: inout [UInt8]) {
    let count = text.utf8.count
    if count < 127 {
      block.append(UInt8(count))
    } else {
      block.append(127)
      var rest = count - 127
      while rest >= 128 {
        block.append(UInt8(rest & 127 | 128))
        rest >>= 7
      }
      block.append(UInt8(rest))
    }
    block += text.utf8
  }
}
