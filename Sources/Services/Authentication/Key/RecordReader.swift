import FirestoreModel
import KeyValueStore

/// Reads what `RecordWriter` wrote.
struct RecordReader {
  /// One field of the record, undecoded.
  struct Field {
    let tag: UInt8
    let bytes: ArraySlice<UInt8>

    var raw: [UInt8] { Array(bytes) }

    func string() throws -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw RecordReader.corrupt("text that is not UTF-8")
      }
      return text
    }

    func text() throws -> Text { Text(try string()) }

    func number() throws -> Int64 {
      guard bytes.count == 8 else { throw RecordReader.corrupt("a number of another length") }
      return Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    var flag: Bool { bytes.contains { $0 != 0 } }

    func record() throws -> RecordReader { try RecordReader(bytes) }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) throws { try self.init(bytes[...]) }

  init(_ bytes: ArraySlice<UInt8>) throws {
    guard bytes.first == RecordWriter.format else { throw Self.corrupt("an unknown format") }
    rest = bytes.dropFirst()
  }

  /// The next field; nil at the end.
  mutating func next() throws -> Field? {
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

  static func corrupt(_ what: String) -> KeyValueError {
    KeyValueError(.corruption, "an account record holds \(what)")
  }
}
