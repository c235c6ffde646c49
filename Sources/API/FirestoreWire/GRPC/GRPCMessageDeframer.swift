import BaseStatus
import FirestoreModel

/// Cuts a call's request body into messages.
///
/// A message is one byte that says whether it is compressed (0 or 1), its length in four bytes, big
/// end first, and the message. Bytes come in pieces of any size. At most one message and its
/// prefix are held: a length above the limit is refused when the prefix is read, before any of the
/// message is kept. After an error the deframer gives nothing more.
package struct GRPCMessageDeframer: Sendable {
  /// The prefix's size.
  package static let prefixLength = 5

  private enum State: Sendable {
    case open
    case failed(ServiceError)
  }

  private let maximumSize: Int
  private var buffer: [UInt8] = []
  /// The offset in the buffer at which the next message's prefix begins.
  private var start = 0
  private var state = State.open

  /// A deframer that refuses messages of more bytes than that.
  package init(maximumSize: Int) { self.maximumSize = maximumSize }

  /// The number of bytes that wait for the rest of their message.
  package var bufferedBytes: Int { buffer.count - start }

  /// Takes the next piece of the body.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if case .failed = state { return }
    buffer.append(contentsOf: bytes)
  }

  /// The next whole message; nil until more has come.
  package mutating func next() throws(ServiceError) -> [UInt8]? {
    if case .failed(let error) = state { throw error }
    guard let length = try messageLength() else { return nil }
    let begin = start + Self.prefixLength
    guard buffer.count - begin >= length else {
      compact(reserving: length)
      return nil
    }
    start = begin + length
    let message = Array(buffer[begin..<start])
    if start == buffer.count {
      // A stream that waits for its next message holds nothing.
      buffer = []
      start = 0
    }
    return message
  }

  /// Says that the body has ended; throws when it ended inside a message.
  package mutating func finish() throws(ServiceError) {
    if case .failed(let error) = state { throw error }
    if bufferedBytes > 0 {
      throw fail(ServiceError(.internalError, "The request ended inside a message."))
    }
  }

  private mutating func messageLength() throws(ServiceError) -> Int? {
    guard bufferedBytes > 0 else { return nil }
    switch buffer[start] {
    case 0: break
    case 1:
      throw fail(
        ServiceError(
          .unimplemented,
          "Compressed messages are not supported. Send messages with the identity encoding."
        )
      )
    default: throw fail(ServiceError(.internalError, "Invalid compression flag in a message."))
    }
    guard bufferedBytes >= Self.prefixLength else { return nil }
    var length = 0
    for byte in buffer[(start + 1)..<(start + Self.prefixLength)] {
      length = length << 8 | Int(byte)
    }
    guard length <= maximumSize else {
      throw fail(WriteLimits.tooLarge(limit: maximumSize))
    }
    return length
  }

  private mutating func fail(_ error: ServiceError) -> ServiceError {
    state = .failed(error)
    buffer = []
    start = 0
    return error
  }

  /// Drops what was delivered, so that many small messages before a large one cost no memory.
  private mutating func compact(reserving length: Int) {
    guard start > 0 else { return }
    buffer.removeSubrange(..<start)
    start = 0
  }
}

/// Writes what `GRPCMessageDeframer` reads.
package enum GRPCFraming {
  /// The five bytes before an uncompressed message of that length.
  package static func prefix(length: Int) -> [UInt8] {
    let length = UInt32(truncatingIfNeeded: length)
    return [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
  }

  /// An uncompressed message with its prefix.
  package static func frame(_ message: [UInt8]) -> [UInt8] {
    var framed: [UInt8] = []
    framed.reserveCapacity(message.count + GRPCMessageDeframer.prefixLength)
    framed.append(contentsOf: prefix(length: message.count))
    framed.append(contentsOf: message)
    return framed
  }
}
