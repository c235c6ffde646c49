import KeyValueStore

/// Unites many stored sets, each in the time that reading it takes, however many there are already.
struct UserUnion {
  /// Members of a block: a list with repetitions while it is short, then bits.
  private struct Block {
    let high: UInt16
    var list: [UInt16] = []
    /// Empty, or 1,024 words.
    var bits: [UInt64] = []

    mutating func add(_ low: UInt16) {
      if bits.isEmpty {
        list.append(low)
        if list.count == UserUnion.listLimit { spread() }
      } else {
        set(low)
      }
    }

    mutating func add(_ word: UInt64, at index: Int) {
      if bits.isEmpty { spread() }
      bits[index] |= word
    }

    private mutating func spread() {
      bits = [UInt64](repeating: 0, count: UserSet.Block.words)
      for low in list { set(low) }
      list = []
    }

    private mutating func set(_ low: UInt16) { bits[Int(low >> 6)] |= 1 << UInt64(low & 63) }

    var block: UserSet.Block {
      guard bits.isEmpty else { return UserSet.Block(words: bits) }
      var lows: [UInt16] = []
      for low in list.sorted() where lows.last != low { lows.append(low) }
      return UserSet.Block(ascending: lows)
    }
  }

  /// Members of a list: a quarter of the bytes that bits take.
  fileprivate static let listLimit = 1_024

  /// Ascending by the upper bits.
  private var blocks: [Block] = []

  /// Adds a stored set.
  mutating func add(from reader: inout ByteReader) throws {
    var (index, last) = (0, -1)
    for _ in 0..<(try reader.count()) {
      let high = UInt16(truncatingIfNeeded: try reader.number())
      guard Int(high) > last else { throw RecordReader.corrupt("a set of users out of order") }
      last = Int(high)
      while index < blocks.count, blocks[index].high < high { index += 1 }
      if index == blocks.count || blocks[index].high != high {
        blocks.insert(Block(high: high), at: index)
      }
      try UserSet.Block.read(&reader) { low in
        blocks[index].add(low)
      } word: { place, word in
        blocks[index].add(word, at: place)
      }
    }
  }

  /// All members.
  var users: UserSet { UserSet(blocks: blocks.map { ($0.high, $0.block) }) }
}
