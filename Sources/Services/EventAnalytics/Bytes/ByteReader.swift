import KeyValueStore

/// Reads the output of `ByteWriter`; throws corruption for any other bytes.
struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes) }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw Self.cutOff }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    throw Self.cutOff
  }

  mutating func count() throws -> Int {
    let number = try number()
    guard number <= UInt64(bytes.count - position) else { throw Self.cutOff }
    return Int(number)
  }

  mutating func number32() throws -> UInt32 {
    guard let number = UInt32(exactly: try number()) else { throw Self.cutOff }
    return number
  }

  mutating func signed() throws -> Int64 {
    let bits = try number()
    return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }

  mutating func text() throws -> String {
    guard let text = String(validating: try raw(), as: UTF8.self) else {
      throw RecordReader.corrupt("text that is not UTF-8")
    }
    return text
  }

  mutating func double() throws -> Double { Double(bitPattern: try fixed()) }

  mutating func fixed() throws -> UInt64 {
    guard bytes.count - position >= 8 else { throw Self.cutOff }
    defer { position += 8 }
    return bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
  }

  mutating func raw() throws -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  private static var cutOff: KeyValueError { RecordReader.corrupt("an event that is cut off") }
}

extension ByteReader {
  /// Passes so many numbers.
  mutating func skipNumbers(_ count: Int = 1) throws {
    for _ in 0..<count { _ = try number() }
  }

  /// The next byte, which is not passed.
  func peek() throws -> UInt8 {
    var copy = self
    return try copy.byte()
  }
}
