import BaseText
import KeyValueStore

/// Positions in `lower ..< upper` by bytes; a nil upper bound is the end of the index's prefix.
package struct PositionRange: Sendable, Hashable {
  /// The first position included; empty is the beginning of the index's prefix.
  package var lower: [UInt8]
  /// The first position beyond the range.
  package var upper: [UInt8]?

  /// Positions between two bounds.
  package init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Every position behind a value: a decimal that begins with the value's bytes continues with
  /// another byte (`OrderedEncoding`).
  package static let behindValue = PositionRange(lower: [0x01], upper: [0xFF])

  /// Every position.
  package static let all = PositionRange()

  /// Positions that begin with `prefix`.
  package init(prefix: [UInt8]) {
    lower = prefix
    upper = KeyRange.successor(ofPrefix: prefix)
  }

  /// No position at all.
  package static let none = PositionRange(lower: [], upper: [])

  /// True if no position can lie in it.
  package var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.precedes(upper)
  }

  /// The positions in both.
  package func intersection(_ other: PositionRange) -> PositionRange {
    let low = lower.precedes(other.lower) ? other.lower : lower
    guard let mine = upper else { return PositionRange(lower: low, upper: other.upper) }
    guard let theirs = other.upper else { return PositionRange(lower: low, upper: mine) }
    let high = theirs.precedes(mine) ? theirs : mine
    return PositionRange(lower: low, upper: high)
  }

  /// The same positions with all their bytes inverted.
  ///
  /// Holds because no position is a proper prefix of a bound: a name ends every position.
  package var inverted: PositionRange {
    guard !isEmpty else { return .none }
    let high = lower.isEmpty ? nil : KeyRange.successor(ofPrefix: lower.map { ~$0 })
    guard let upper else { return PositionRange(lower: [], upper: high) }
    guard let low = KeyRange.successor(ofPrefix: upper.map { ~$0 }) else { return .none }
    return PositionRange(lower: low, upper: high)
  }

  /// Returns true if a position lies in it.
  package func contains(_ position: UnsafeRawBufferPointer) -> Bool {
    let aboveLower = lower.withUnsafeBytes { compareBytes(position, $0) != .ascending }
    guard aboveLower, let upper else { return aboveLower }
    return upper.withUnsafeBytes { compareBytes(position, $0) == .ascending }
  }

  /// The keys that begin with `prefix` and continue with a position of this range.
  package func keys(below prefix: [UInt8]) -> KeyRange {
    KeyRange(
      lower: prefix + lower,
      upper: upper.map { prefix + $0 } ?? KeyRange.successor(ofPrefix: prefix)
    )
  }
}

extension [PositionRange] {
  /// The positions that lie in a range of both lists; both ascending and disjoint, as the result.
  package func intersection(_ other: [PositionRange]) -> [PositionRange] {
    var result: [PositionRange] = []
    for mine in self {
      for theirs in other {
        let common = mine.intersection(theirs)
        if !common.isEmpty { result.append(common) }
      }
    }
    return result
  }

  /// The same positions with all their bytes inverted, ascending again.
  package var inverted: [PositionRange] { reversed().map(\.inverted) }

  /// Returns true if a position lies in one of the ranges.
  package func contain(_ position: UnsafeRawBufferPointer) -> Bool {
    contains { $0.contains(position) }
  }
}
