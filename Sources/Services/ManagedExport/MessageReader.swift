import BaseStatus

/// Reads a protobuf message of the first version in place, one field at a time; safe on hostile bytes.
///
/// The bytes must outlive the reader.
struct MessageReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// Groups lie no deeper than that.
  private static let maximumDepth = 64
  private static let malformed = ServiceError.invalidArgument("An entity is malformed.")

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next field; nil at the end.
  ///
  /// INVALID_ARGUMENT where the bytes are no message.
  mutating func next() throws(ServiceError) -> Message.Field? {
    while position < bytes.count {
      let (number, type) = try tag()
      switch type {
      case 0: return Message.Field(number: number, value: .number(try varint()))
      case 1: return Message.Field(number: number, value: .fixed(try fixed()))
      case 2: return Message.Field(number: number, value: .bytes(try content()))
      case 3: return Message.Field(number: number, value: .group(try group(number, depth: 1)))
      case 5: _ = try take(4)
      default: throw Self.malformed
      }
    }
    return nil
  }

  /// Reads behind the start of a group up to its end.
  private mutating func group(
    _ opened: Int,
    depth: Int
  ) throws(ServiceError) -> UnsafeRawBufferPointer {
    guard depth <= Self.maximumDepth else { throw Self.malformed }
    let start = position
    while position < bytes.count {
      let end = position
      let (number, type) = try tag()
      switch type {
      case 0: _ = try varint()
      case 1: _ = try fixed()
      case 2: _ = try content()
      case 3: _ = try group(number, depth: depth + 1)
      case 4:
        guard number == opened else { throw Self.malformed }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      case 5: _ = try take(4)
      default: throw Self.malformed
      }
    }
    throw Self.malformed
  }

  private mutating func tag() throws(ServiceError) -> (number: Int, type: UInt64) {
    let tag = try varint()
    guard let number = Int(exactly: tag >> 3), number > 0 else { throw Self.malformed }
    return (number, tag & 7)
  }

  private mutating func varint() throws(ServiceError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      guard position < bytes.count else { throw Self.malformed }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw Self.malformed
  }

  private mutating func content() throws(ServiceError) -> UnsafeRawBufferPointer {
    let length = try varint()
    guard length <= UInt64(bytes.count - position) else { throw Self.malformed }
    return try take(Int(length))
  }

  private mutating func fixed() throws(ServiceError) -> UInt64 {
    UInt64(littleEndian: try take(8).loadUnaligned(as: UInt64.self))
  }

  private mutating func take(_ count: Int) throws(ServiceError) -> UnsafeRawBufferPointer {
    guard bytes.count - position >= count else { throw Self.malformed }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }
}
