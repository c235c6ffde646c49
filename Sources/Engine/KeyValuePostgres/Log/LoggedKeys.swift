import KeyValueStore

/// The keys of a group in the log.
///
/// FORMAT: the keys in ascending order, each as the number of bytes that it shares with the one before, the number of those that
/// follow, and these. Numbers are LEB128. Bytes that end within a key are damage.
enum LoggedKeys {
  static func encode(_ keys: some Sequence<[UInt8]>) -> [UInt8] {
    var bytes: [UInt8] = []
    var last: [UInt8] = []
    for key in keys {
      let shared = zip(last, key).prefix { $0 == $1 }.count
      append(shared, to: &bytes)
      append(key.count - shared, to: &bytes)
      bytes += key[shared...]
      last = key
    }
    return bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) throws(KeyValueError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var last: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let shared = try number(bytes, &position)
      let count = try number(bytes, &position)
      guard shared <= last.count, count <= bytes.count - position else { throw damaged }
      last = Array(last[..<shared]) + Array(bytes[position..<position + count])
      position += count
      keys.append(last)
    }
    return keys
  }

  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func number(
    _ bytes: UnsafeRawBufferPointer,
    _ position: inout Int
  ) throws(KeyValueError) -> Int {
    var number = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      guard position < bytes.count else { throw damaged }
      let byte = bytes[position]
      position += 1
      number |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw damaged
  }

  private static let damaged = KeyValueError(.corruption, "a row of the log of groups is damaged")
}
