/// The error of bytes that are no protobuf message.
package enum ProtobufError: Error, Sendable {
  /// A field or its length goes beyond the end.
  case truncated
  /// A varint of more than ten bytes.
  case malformedVarint
  /// Field number zero or beyond 2^29 - 1.
  case malformedTag
  /// A group, or a wire type that does not exist.
  case unsupportedWireType
  /// The field has another wire type than its message says.
  case unexpectedWireType
  /// A string that is not UTF-8.
  case malformedText
}

/// Reads a protobuf message in place, one field at a time; safe on hostile bytes.
///
/// The bytes must outlive the reader. Call `nextField()`, then exactly one of the reading functions
/// or `skip()`.
package struct ProtobufReader {
  /// The encoding of a field; raw values are the protocol's numbers.
  package struct WireType: RawRepresentable, Sendable, Hashable {
    /// The wire type's number in the protobuf encoding, 0 to 7.
    package let rawValue: UInt8

    /// The lowest three bits of a field's tag.
    @inline(__always)
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A base-128 number of one to ten bytes: int32, int64, bool and enum fields.
    package static var varint: WireType { WireType(rawValue: 0) }
    /// Eight little-endian bytes: fixed64 and double fields.
    package static var fixed64: WireType { WireType(rawValue: 1) }
    /// A varint length and that many bytes: strings, bytes, messages and packed fields.
    package static var bytes: WireType { WireType(rawValue: 2) }
    /// Four little-endian bytes: fixed32 and float fields; Firestore's values have none.
    package static var fixed32: WireType { WireType(rawValue: 5) }
  }

  private let bytes: UnsafeRawBufferPointer
  /// The offset of the next byte to read.
  package private(set) var position: Int
  /// The encoding of the field that `nextField()` named last.
  package private(set) var wireType: WireType
  /// True if every varint so far had its shortest spelling.
  package private(set) var isCanonical = true

  /// A reader at the beginning of a message.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    position = 0
    wireType = .varint
  }

  /// True if the message has been read to its end.
  package var isAtEnd: Bool { position >= bytes.count }

  /// The next field's number; nil at the end.
  @inline(__always)
  package mutating func nextField() throws(ProtobufError) -> Int? {
    if position >= bytes.count { return nil }
    let key = try readVarint()
    guard key >= 8, key < 1 << 32 else { throw .malformedTag }
    wireType = WireType(rawValue: UInt8(truncatingIfNeeded: key & 7))
    guard wireType.rawValue <= WireType.bytes.rawValue || wireType == .fixed32
    else { throw .unsupportedWireType }
    return Int(truncatingIfNeeded: key >> 3)
  }

  /// Reads a varint field.
  @inline(__always)
  package mutating func varint() throws(ProtobufError) -> UInt64 {
    guard wireType == .varint else { throw .unexpectedWireType }
    return try readVarint()
  }

  /// Reads an int64 field.
  package mutating func int64() throws(ProtobufError) -> Int64 {
    Int64(bitPattern: try varint())
  }

  /// Reads an int32 or enum field; wider values lose their upper bits, as everywhere in protobuf.
  package mutating func int32() throws(ProtobufError) -> Int32 {
    Int32(truncatingIfNeeded: try varint())
  }

  /// Reads a bool field.
  package mutating func bool() throws(ProtobufError) -> Bool { try varint() != 0 }

  /// Reads a fixed64 field.
  @inline(__always)
  package mutating func fixed64() throws(ProtobufError) -> UInt64 {
    guard wireType == .fixed64 else { throw .unexpectedWireType }
    guard bytes.count - position >= 8 else { throw .truncated }
    defer { position += 8 }
    return UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    )
  }

  /// Reads a double field.
  package mutating func double() throws(ProtobufError) -> Double {
    Double(bitPattern: try fixed64())
  }

  /// Reads a length-delimited field (bytes, string, message) without copying it.
  @inline(__always)
  package mutating func content() throws(ProtobufError) -> UnsafeRawBufferPointer {
    guard wireType == .bytes else { throw .unexpectedWireType }
    let length = try readVarint()
    guard length <= UInt64(bytes.count - position) else { throw .truncated }
    let start = position
    position += Int(truncatingIfNeeded: length)
    return UnsafeRawBufferPointer(
      start: bytes.baseAddress.map { $0 + start },
      count: position - start
    )
  }

  /// Reads a bytes field.
  package mutating func byteArray() throws(ProtobufError) -> [UInt8] { Array(try content()) }

  /// Reads a string field.
  package mutating func string() throws(ProtobufError) -> String {
    guard let text = String(validating: try content(), as: UTF8.self)
    else { throw .malformedText }
    return text
  }

  /// Passes the field.
  @inline(__always)
  package mutating func skip() throws(ProtobufError) {
    switch wireType {
    case .varint: _ = try readVarint()
    case .bytes: _ = try content()
    case .fixed64: try advance(8)
    default: try advance(4)
    }
  }

  private mutating func advance(_ count: Int) throws(ProtobufError) {
    guard bytes.count - position >= count else { throw .truncated }
    position += count
  }

  @inline(__always)
  private mutating func readVarint() throws(ProtobufError) -> UInt64 {
    guard position < bytes.count else { throw .truncated }
    let first = bytes[position]
    position += 1
    return first < 0x80 ? UInt64(first) : try readLongVarint(first)
  }

  private mutating func readLongVarint(_ first: UInt8) throws(ProtobufError) -> UInt64 {
    var result = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while shift < 70 {
      guard position < bytes.count else { throw .truncated }
      let byte = bytes[position]
      position += 1
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        // A zero adds nothing; the tenth byte has room for one bit.
        if byte == 0 || (shift == 63 && byte > 1) { isCanonical = false }
        return result
      }
      shift += 7
    }
    throw .malformedVarint
  }
}
