/// Reads what `RecordWriter` wrote.
package struct RecordReader {
  /// One field of the record, undecoded.
  package struct Field {
    /// The field's number, given by the record's owner; a tag may occur several times.
    package let tag: UInt8
    let bytes: ArraySlice<UInt8>

    /// The bytes as they are.
    package var raw: [UInt8] { Array(bytes) }

    /// The field as UTF-8.
    package func string() throws -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw RecordReader.corrupt("text that is not UTF-8")
      }
      return text
    }

    /// The field as a number.
    package func number() throws -> Int64 {
      guard bytes.count == 8 else { throw RecordReader.corrupt("a number of another length") }
      return Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The field as a Boolean: true if any of its bytes is not zero.
    package var flag: Bool { bytes.contains { $0 != 0 } }

    /// The field as a record.
    package func record() throws -> RecordReader { try RecordReader(bytes) }
  }

  private var rest: ArraySlice<UInt8>

  /// Reads a record's bytes; throws corruption for another format.
  package init(_ bytes: [UInt8]) throws { try self.init(bytes[...]) }

  /// Reads a record's bytes; throws corruption for another format.
  package init(_ bytes: ArraySlice<UInt8>) throws {
    guard bytes.first == RecordWriter.format else { throw Self.corrupt("an unknown format") }
    rest = bytes.dropFirst()
  }

  /// The next field; nil at the end.
  package mutating func next() throws -> Field? {
    guard let tag = rest.popFirst() else { return nil }
    let length = try varint()
    guard length <= UInt64(rest.count) else { throw Self.corrupt("a field that is cut off") }
    let bytes = rest.prefix(Int(length))
    rest = rest.dropFirst(Int(length))
    return Field(tag: tag, bytes: bytes)
  }

  private mutating func varint() throws -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = rest.popFirst(), shift < 63 {
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    throw Self.corrupt("a length that does not end")
  }

  /// The error for a record that holds what it must not.
  package static func corrupt(_ what: String) -> KeyValueError {
    KeyValueError(.corruption, "a record holds \(what)")
  }
}
