/// Makes inputs for readers out of valid ones: a few changes each, of the kinds that readers stumble over.
package struct Mutator {
  private let examples: [[UInt8]]
  private var source: SeededSource

  /// Numbers at the ends of what types hold, as text.
  private static let numbers: [[UInt8]] = [
    "-9223372036854775808", "9223372036854775807", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "2147483647", "-2147483648", "4294967295", "4294967296", "-1", "0",
    "-0",
    "1", "253402300800", "-62135596801", "9007199254740993", "1e308", "1e309", "-1e400", "0.1",
    "NaN",
    "999999999999999999999999999999999999",
  ].map { Array($0.utf8) }

  /// The same for binary formats, most significant byte first and as varints.
  private static let words: [[UInt8]] = [
    [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0, 0, 0, 0],
    [UInt8](repeating: 0xFF, count: 8), [0x7F] + [UInt8](repeating: 0xFF, count: 7),
    [0x80] + [UInt8](repeating: 0, count: 7), [UInt8](repeating: 0xFF, count: 9) + [0x01],
    [UInt8](repeating: 0x80, count: 9) + [0x01], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
    [0xFF, 0xFF, 0xFF, 0xFF, 0x07], [0x00], [0x7F], [0x80], [0xFF],
  ]

  /// Changes those examples, of which there is at least one.
  package init(examples: [[UInt8]], seed: UInt64) {
    self.examples = examples
    source = SeededSource(seed: seed)
  }

  /// A number of the range.
  package mutating func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &source) }

  /// The next input.
  package mutating func next() -> [UInt8] {
    var bytes = examples[int(0..<examples.count)]
    for _ in 0..<(1 << int(0..<4)) { change(&bytes) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let position = int(0..<(bytes.count + 1))
    switch int(0..<12) {
    case 0, 1: if position < bytes.count { bytes[position] ^= 1 << UInt8(int(0..<8)) }
    case 2: if position < bytes.count { bytes[position] = UInt8(truncatingIfNeeded: source.next()) }
    case 3: bytes.insert(UInt8(truncatingIfNeeded: source.next()), at: position)
    case 4: bytes.removeSubrange(position..<min(bytes.count, position + int(1..<9)))
    case 5: bytes.removeSubrange(position...)
    case 6: repeatPart(from: position, of: &bytes)
    case 7: splice(at: position, into: &bytes)
    case 8, 9: replaceNumber(from: position, in: &bytes)
    case 10: overwrite(at: position, with: Self.words[int(0..<Self.words.count)], in: &bytes)
    default: bytes.insert(contentsOf: Self.words[int(0..<Self.words.count)], at: position)
    }
  }

  private mutating func repeatPart(from position: Int, of bytes: inout [UInt8]) {
    let part = Array(bytes[position...].prefix(int(1..<64)))
    for _ in 0..<int(1..<5) { bytes.insert(contentsOf: part, at: position) }
  }

  private mutating func splice(at position: Int, into bytes: inout [UInt8]) {
    let other = examples[int(0..<examples.count)]
    bytes.replaceSubrange(position..., with: other[int(0..<(other.count + 1))...])
  }

  /// Puts another number in position of the next one that is written out.
  private mutating func replaceNumber(from position: Int, in bytes: inout [UInt8]) {
    let number = Self.numbers[int(0..<Self.numbers.count)]
    let digits: ClosedRange<UInt8> = 0x30...0x39
    guard let start = bytes[position...].firstIndex(where: digits.contains) else {
      return bytes.insert(contentsOf: number, at: position)
    }
    let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.endIndex
    bytes.replaceSubrange(start..<end, with: number)
  }

  private func overwrite(at position: Int, with word: [UInt8], in bytes: inout [UInt8]) {
    bytes.replaceSubrange(position..<min(bytes.count, position + word.count), with: word)
  }
}
