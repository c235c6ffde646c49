import BaseText

/// Builds a protobuf message by appending fields.
///
/// The functions write their input, zero and empty included: leaving out defaults of fields without
/// presence is the caller's choice.
package struct ProtobufWriter {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8]

  /// An empty message with room for that many bytes.
  package init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Writes an unsigned, bool or enum field.
  package mutating func varint(_ field: Int, _ value: UInt64) {
    tag(field, .varint)
    appendVarint(value)
  }

  /// Writes an int64 or int32 field.
  package mutating func int64(_ field: Int, _ value: Int64) {
    varint(field, UInt64(bitPattern: value))
  }

  /// Writes a bool field.
  package mutating func bool(_ field: Int, _ value: Bool) { varint(field, value ? 1 : 0) }

  /// Writes a double field.
  package mutating func double(_ field: Int, _ value: Double) {
    tag(field, .fixed64)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a string field.
  package mutating func string(_ field: Int, _ value: String) {
    var value = value
    value.withUTF8 { content(field, UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string field.
  package mutating func text(_ field: Int, _ value: Text) {
    value.withBytes { content(field, $0) }
  }

  /// Writes a bytes field, or a message that is already encoded.
  package mutating func content(_ field: Int, _ value: [UInt8]) {
    tag(field, .bytes)
    appendVarint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Writes a bytes, string or message field from bytes.
  package mutating func content(_ field: Int, _ value: UnsafeRawBufferPointer) {
    tag(field, .bytes)
    appendVarint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Writes a message field whose fields the body writes.
  package mutating func message<E: Error>(
    _ field: Int,
    _ body: (inout ProtobufWriter) throws(E) -> Void
  ) throws(E) {
    tag(field, .bytes)
    // One byte is left for the length; a longer length moves the message up.
    let place = bytes.count
    bytes.append(0)
    try body(&self)
    let length = bytes.count - place - 1
    if length < 0x80 {
      bytes[place] = UInt8(truncatingIfNeeded: length)
    } else {
      let prefix = Self.varintBytes(UInt64(length))
      bytes.replaceSubrange(place...place, with: prefix)
    }
  }

  /// Appends fields that are already encoded.
  package mutating func append(_ encoded: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: encoded)
  }

  /// Appends fields that are already encoded.
  package mutating func append(_ encoded: [UInt8]) { bytes.append(contentsOf: encoded) }

  /// Appends a number without a tag: an element of a packed field.
  package mutating func plainVarint(_ value: UInt64) { appendVarint(value) }

  private mutating func tag(_ field: Int, _ type: ProtobufReader.WireType) {
    appendVarint(UInt64(field) << 3 | UInt64(type.rawValue))
  }

  private mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private static func varintBytes(_ value: UInt64) -> [UInt8] {
    var writer = ProtobufWriter(capacity: 10)
    writer.appendVarint(value)
    return writer.bytes
  }
}
