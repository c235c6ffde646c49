/// A set of instance numbers, small in memory and fast to unite and intersect.
///
/// Numbers are split at their upper 16 bits into blocks; a block is a sorted array of the lower 16 bits while it has at
/// most 4,096 members, and a bitmap of 65,536 bits beyond.
package struct UserSet: Sendable, Equatable {
  /// The members of one block.
  enum Block: Sendable, Equatable {
    /// Ascending, at most `arrayLimit`.
    case array([UInt16])
    /// 1,024 words; more than `arrayLimit` bits are set, and so many.
    case bitmap([UInt64], count: Int)

    static let arrayLimit = 4_096
    static let words = 1_024
  }

  /// Ascending by the upper bits; no block is empty.
  private(set) var blocks: [(high: UInt16, block: Block)] = []

  /// The empty set.
  package init() {}

  /// A set of those numbers, in any order, with repetitions.
  package init(_ numbers: [UInt32]) {
    let sorted = numbers.isAscending ? numbers : numbers.sorted()
    var start = 0
    while start < sorted.count {
      let high = UInt16(truncatingIfNeeded: sorted[start] >> 16)
      var lows: [UInt16] = []
      while start < sorted.count, UInt16(truncatingIfNeeded: sorted[start] >> 16) == high {
        let low = UInt16(truncatingIfNeeded: sorted[start])
        if lows.last != low { lows.append(low) }
        start += 1
      }
      blocks.append((high, Block(ascending: lows)))
    }
  }

  init(blocks: [(high: UInt16, block: Block)]) { self.blocks = blocks }

  /// The number of members.
  package var count: Int { blocks.reduce(0) { $0 + $1.block.count } }

  /// True if there are no members.
  package var isEmpty: Bool { blocks.isEmpty }

  /// Returns true if a number is a member.
  package func contains(_ number: UInt32) -> Bool {
    let high = UInt16(truncatingIfNeeded: number >> 16)
    guard let index = blocks.partition(at: high), blocks[index].high == high else { return false }
    return blocks[index].block.contains(UInt16(truncatingIfNeeded: number))
  }

  /// The members, ascending.
  package var numbers: [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(count)
    for (high, block) in blocks {
      let base = UInt32(high) << 16
      block.forEach { result.append(base | UInt32($0)) }
    }
    return result
  }

  /// Adds the members of another set.
  package mutating func formUnion(_ other: UserSet) {
    if blocks.isEmpty {
      blocks = other.blocks
    } else if !other.blocks.isEmpty {
      self = combined(with: other, keepsMissing: (true, true)) { $0.union($1) }
    }
  }

  /// The members that are in both.
  package func intersection(_ other: UserSet) -> UserSet {
    combined(with: other, keepsMissing: (false, false)) { $0.intersection($1) }
  }

  /// The members that are not in the other.
  package func subtracting(_ other: UserSet) -> UserSet {
    combined(with: other, keepsMissing: (true, false)) { $0.subtracting($1) }
  }

  /// Returns the number of members of both, without making the set of them.
  package func intersectionCount(_ other: UserSet) -> Int {
    var (total, left, right) = (0, 0, 0)
    while left < blocks.count, right < other.blocks.count {
      let (a, b) = (blocks[left], other.blocks[right])
      if a.high == b.high { total += a.block.intersectionCount(b.block) }
      if a.high <= b.high { left += 1 }
      if b.high <= a.high { right += 1 }
    }
    return total
  }

  /// True if both sets have the same members, in time proportional to their blocks.
  package static func == (left: UserSet, right: UserSet) -> Bool {
    left.blocks.count == right.blocks.count
      && zip(left.blocks, right.blocks).allSatisfy { $0.high == $1.high && $0.block == $1.block }
  }

  /// Walks the blocks of both sets; `keepsMissing` says whether blocks of only one of them stay.
  private func combined(
    with other: UserSet,
    keepsMissing: (own: Bool, other: Bool),
    _ combine: (Block, Block) -> Block
  ) -> UserSet {
    var result: [(high: UInt16, block: Block)] = []
    var (left, right) = (0, 0)
    while left < blocks.count || right < other.blocks.count {
      let a = left < blocks.count ? blocks[left] : nil
      let b = right < other.blocks.count ? other.blocks[right] : nil
      if let a, b.map({ a.high < $0.high }) ?? true {
        if keepsMissing.own { result.append(a) }
        left += 1
      } else if let b, a.map({ b.high < $0.high }) ?? true {
        if keepsMissing.other { result.append(b) }
        right += 1
      } else if let a, let b {
        let block = combine(a.block, b.block)
        if block.count > 0 { result.append((a.high, block)) }
        left += 1
        right += 1
      }
    }
    return UserSet(blocks: result)
  }
}

extension [UInt32] {
  fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}

extension [(high: UInt16, block: UserSet.Block)] {
  /// The first block at or above a number; nil where there is none.
  fileprivate func partition(at high: UInt16) -> Int? {
    var (low, upper) = (0, count)
    while low < upper {
      let middle = (low + upper) / 2
      if self[middle].high < high { low = middle + 1 } else { upper = middle }
    }
    return low < count ? low : nil
  }
}
