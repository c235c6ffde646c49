import KeyValueStore

/// A key or value from text.
func bytes(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

/// A number as a key that sorts by it.
func numberKey(_ prefix: String, _ number: Int64) -> [UInt8] {
  bytes(prefix) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
}

func number(inKey key: UnsafeRawBufferPointer) -> Int64 {
  key.suffix(8).reduce(0) { $0 << 8 | Int64($1) }
}

struct Pair: Equatable, CustomStringConvertible {
  let key: [UInt8]
  let value: [UInt8]

  init(_ key: [UInt8], _ value: [UInt8]) {
    self.key = key
    self.value = value
  }

  init(_ key: String, _ value: String) {
    self.init(bytes(key), bytes(value))
  }

  var description: String {
    String(decoding: key, as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self)
  }
}

extension KeyValueReader {
  /// All pairs of a range, as a cursor finds them.
  func pairs(
    _ range: KeyRange = KeyRange(lower: [], upper: nil),
    reversed: Bool = false
  ) throws -> [Pair] {
    let cursor = try cursor(over: range, reversed: reversed)
    var pairs: [Pair] = []
    while try cursor.next() {
      pairs.append(cursor.pair)
    }
    return pairs
  }
}

extension KeyValueCursor {
  var pair: Pair { Pair(Array(key), Array(value)) }
}

extension KeyValueEngine {
  func put(_ pairs: [(String, String)]) throws {
    try write { group in
      for (key, value) in pairs {
        try group.put(bytes(key), bytes(value))
      }
    }
  }

  func contents() throws -> [Pair] {
    try read { try $0.pairs() }
  }
}
