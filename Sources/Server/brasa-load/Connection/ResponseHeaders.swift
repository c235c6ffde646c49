import NIOCore
import NIOHPACK

/// Reads the header blocks of one server, which refer to each other.
///
/// Nearly all repeat the one before, in the same bytes: such are known without decoding them.
struct ResponseHeaders {
  private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
  /// A block that only names remembered fields, and the end of its call.
  private var known: (block: [UInt8], status: Int)?

  /// The end of a call.
  struct Ending {
    let status: Int
    let text: String
  }

  /// Reads a block; nil is one that is malformed.
  mutating func ending(_ block: UnsafeRawBufferPointer) -> Ending? {
    if let known, known.block.withUnsafeBytes({ $0.elementsEqual(block) }) {
      return Ending(status: known.status, text: "")
    }
    var buffer = ByteBuffer(bytes: block)
    guard let fields = try? decoder.decodeHeaders(from: &buffer) else { return nil }
    let status = fields.first(name: "grpc-status").flatMap { Int($0) } ?? 2
    known = Self.isStable(block) && status == 0 ? (Array(block), status) : nil
    return Ending(status: status, text: fields.first(name: "grpc-message") ?? "")
  }

  /// Reads a block of a server that remembers nothing.
  static func ending(alone block: UnsafeRawBufferPointer) -> Ending? {
    var headers = ResponseHeaders()
    return headers.ending(block)
  }

  /// Reads a block that begins a response.
  mutating func skip(_ block: UnsafeRawBufferPointer) {
    if Self.isStable(block) { return }
    known = nil
    var buffer = ByteBuffer(bytes: block)
    _ = try? decoder.decodeHeaders(from: &buffer)
  }

  /// Returns true if a block leaves the remembered fields as they are: fields named by one byte
  /// each.
  private static func isStable(_ block: UnsafeRawBufferPointer) -> Bool {
    block.allSatisfy { $0 >= 0x80 && $0 != 0xFF }
  }
}
