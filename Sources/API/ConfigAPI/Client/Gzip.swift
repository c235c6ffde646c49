import FirestoreModel

/// Unpacks gzip (RFC 1952), whose content is DEFLATE (RFC 1951); safe on hostile bytes.
///
/// Meant for the small bodies of clients' requests: output is bounded, one member is read, and its
/// checksum has to be right.
enum Gzip {
  private static let malformed = FirestoreError.invalidArgument("The gzip body is damaged.")

  /// The content; INVALID_ARGUMENT where it is damaged or longer than the bound.
  static func unpack(_ bytes: [UInt8], atMost limit: Int) throws(FirestoreError) -> [UInt8] {
    guard let start = contentStart(bytes) else { throw malformed }
    var inflater = Inflater(bytes, from: start, limit: limit)
    guard inflater.run() else { throw malformed }
    let end = inflater.end
    guard bytes.count - end >= 8,
      number(bytes, at: end) == checksum(inflater.output),
      number(bytes, at: end + 4) == UInt32(truncatingIfNeeded: inflater.output.count)
    else { throw malformed }
    return inflater.output
  }

  /// Where the content begins behind the header; nil for a header that is none.
  private static func contentStart(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 18, bytes.starts(with: [0x1F, 0x8B, 8]), bytes[3] & 0xE0 == 0 else {
      return nil
    }
    let flags = bytes[3]
    var position = 10
    if flags & 4 != 0 { position += 2 + Int(bytes[10]) + Int(bytes[11]) << 8 }
    // A name and a comment end with a zero.
    for flag in [UInt8(8), 16] where flags & flag != 0 {
      while position < bytes.count, bytes[position] != 0 { position += 1 }
      position += 1
    }
    if flags & 2 != 0 { position += 2 }
    return position < bytes.count ? position : nil
  }

  private static func number(_ bytes: [UInt8], at start: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = ~0
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}

/// Unpacks DEFLATE, block after block.
private struct Inflater {
  /// A code of Huffman's, canonical: how many codes have each length, and the symbols in order.
  private struct Code {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    init(lengths: ArraySlice<Int>) {
      for length in lengths { counts[length] += 1 }
      counts[0] = 0
      let used = lengths.indices.filter { lengths[$0] > 0 }
      symbols = used.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        .map { $0 - lengths.startIndex }
    }

    /// Whether there are no more codes than bits can tell apart.
    var isSound: Bool {
      var left = 1
      for count in counts[1...] {
        left = left * 2 - count
        if left < 0 { return false }
      }
      return true
    }
  }

  private let bytes: [UInt8]
  private let limit: Int
  private var position: Int
  private var bits: UInt32 = 0
  private var bitCount = 0
  private(set) var output: [UInt8] = []

  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
    3073, 4097, 6145, 8193, 12289, 16385, 24577,
  ]
  private static let codeOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  init(_ bytes: [UInt8], from position: Int, limit: Int) {
    self.bytes = bytes
    self.position = position
    self.limit = limit
  }

  /// Where the packed bytes end.
  var end: Int { position }

  /// Unpacks all blocks; false for what is damaged or too long.
  mutating func run() -> Bool {
    while true {
      guard let isLast = take(1), let kind = take(2) else { return false }
      let isSound =
        switch kind {
        case 0: stored()
        case 1: packed(Self.fixedLiterals, Self.fixedDistances)
        case 2: dynamic()
        default: false
        }
      guard isSound else { return false }
      if isLast == 1 { return true }
    }
  }

  private static let fixedLiterals = Code(
    lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }[...]
  )
  private static let fixedDistances = Code(lengths: [Int](repeating: 5, count: 30)[...])

  private mutating func take(_ count: Int) -> Int? {
    while bitCount < count {
      guard position < bytes.count else { return nil }
      bits |= UInt32(bytes[position]) << UInt32(bitCount)
      position += 1
      bitCount += 8
    }
    let value = bits & (1 << UInt32(count) - 1)
    bits >>= UInt32(count)
    bitCount -= count
    return Int(value)
  }

  private mutating func symbol(_ code: Code) -> Int? {
    var (value, first, index) = (0, 0, 0)
    for length in 1...15 {
      guard let bit = take(1) else { return nil }
      value |= bit
      let count = code.counts[length]
      if value - count < first { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    return nil
  }

  private mutating func stored() -> Bool {
    (bits, bitCount) = (0, 0)
    guard bytes.count - position >= 4 else { return false }
    let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
    let inverse = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
    position += 4
    guard length == ~inverse & 0xFFFF, bytes.count - position >= length,
      output.count + length <= limit
    else { return false }
    output += bytes[position..<(position + length)]
    position += length
    return true
  }

  private mutating func packed(_ literals: Code, _ distances: Code) -> Bool {
    while let symbol = symbol(literals) {
      if symbol == 256 { return true }
      if symbol < 256 {
        guard output.count < limit else { return false }
        output.append(UInt8(symbol))
      } else if !copy(symbol - 257, distances) {
        return false
      }
    }
    return false
  }

  private mutating func copy(_ index: Int, _ distances: Code) -> Bool {
    guard index < Self.lengthBases.count, let more = take(Self.lengthBits[index]),
      let symbol = symbol(distances), symbol < Self.distanceBases.count,
      let further = take(max(0, symbol / 2 - 1))
    else { return false }
    let length = Self.lengthBases[index] + more
    let distance = Self.distanceBases[symbol] + further
    guard distance <= output.count, output.count + length <= limit else { return false }
    for _ in 0..<length { output.append(output[output.count - distance]) }
    return true
  }

  private mutating func dynamic() -> Bool {
    guard let literals = take(5), let distances = take(5), let codes = take(4), literals <= 29,
      distances <= 29
    else { return false }
    var lengths = [Int](repeating: 0, count: 19)
    for code in Self.codeOrder.prefix(codes + 4) {
      guard let length = take(3) else { return false }
      lengths[code] = length
    }
    let code = Code(lengths: lengths[...])
    guard code.isSound, let all = read(literals + 257 + distances + 1, by: code) else {
      return false
    }
    let first = Code(lengths: all[..<(literals + 257)])
    let second = Code(lengths: all[(literals + 257)...])
    guard first.isSound, second.isSound, all[256] > 0 else { return false }
    return packed(first, second)
  }

  /// The lengths of two codes, packed by a third.
  private mutating func read(_ count: Int, by code: Code) -> [Int]? {
    var lengths: [Int] = []
    while lengths.count < count {
      guard let symbol = symbol(code) else { return nil }
      switch symbol {
      case 0..<16: lengths.append(symbol)
      case 16:
        guard let last = lengths.last, let more = take(2) else { return nil }
        lengths += [Int](repeating: last, count: 3 + more)
      default:
        guard let more = take(symbol == 17 ? 3 : 7) else { return nil }
        lengths += [Int](repeating: 0, count: (symbol == 17 ? 3 : 11) + more)
      }
    }
    return lengths.count == count ? lengths : nil
  }
}
