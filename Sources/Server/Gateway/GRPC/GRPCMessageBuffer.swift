import BaseStatus
import FirestoreModel
import NIOCore

/// Collects a call's one request message from its DATA frames.
///
/// On the wire a message is one byte, 0 or 1 for compressed, four bytes of length, big-endian, and
/// that many bytes. The length is checked before anything of that size is held.
struct GRPCMessageBuffer: Sendable {
  static let prefixBytes = 5

  private let limit: Int
  private var bytes: ByteBuffer?

  init(limit: Int) {
    self.limit = limit
  }

  var heldBytes: Int { bytes?.readableBytes ?? 0 }

  /// Takes the next bytes; throws at the first that cannot belong to one acceptable message.
  mutating func append(_ data: ByteBuffer) throws(ServiceError) {
    if bytes == nil { bytes = data } else { bytes?.writeImmutableBuffer(data) }
    guard let bytes, let length = try Self.length(bytes, limit: limit) else { return }
    guard bytes.readableBytes <= Self.prefixBytes + length else {
      throw ServiceError(.unimplemented, "The method takes one request message, not several.")
    }
  }

  /// The complete message.
  consuming func message() throws(ServiceError) -> [UInt8] {
    guard var bytes, let length = try Self.length(bytes, limit: limit) else {
      throw ServiceError(.unimplemented, "The call ended without a request message.")
    }
    bytes.moveReaderIndex(forwardBy: Self.prefixBytes)
    guard bytes.readableBytes == length, let message = bytes.readBytes(length: length) else {
      throw .invalidArgument("The request message is cut short.")
    }
    return message
  }

  private static func length(_ bytes: ByteBuffer, limit: Int) throws(ServiceError) -> Int? {
    let start = bytes.readerIndex
    guard let flag: UInt8 = bytes.getInteger(at: start) else { return nil }
    guard flag == 0 else {
      throw ServiceError(.unimplemented, "Compressed messages are not accepted.")
    }
    guard let length: UInt32 = bytes.getInteger(at: start + 1) else { return nil }
    guard length <= limit else { throw WriteLimits.tooLarge(limit: limit) }
    return Int(length)
  }
}
