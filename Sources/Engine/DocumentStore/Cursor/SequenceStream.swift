import BaseText

/// Several disjoint ranges of one index, one after the other: `!=`, `not-in` and the like.
///
/// A range is opened when the one before it is used up.
package final class SequenceStream: PositionStream {
  private let ranges: [PositionRange]
  private let reversed: Bool
  private let open: (PositionRange) throws -> any PositionStream
  private var index = -1
  private var current: any PositionStream = EmptyStream()

  /// Joins the streams that `open` creates for each range; `ranges` are in ascending order for both
  /// directions.
  package init(
    _ ranges: [PositionRange],
    reversed: Bool,
    open: @escaping (PositionRange) throws -> any PositionStream
  ) {
    self.ranges = reversed ? ranges.reversed() : ranges
    self.reversed = reversed
    self.open = open
  }

  /// The position in the range that is read now.
  package var position: UnsafeRawBufferPointer { current.position }
  /// The payload in the range that is read now.
  package var payload: UnsafeRawBufferPointer { current.payload }

  /// Moves to the next candidate, in a later range where one ends; false after the last range.
  package func next() throws -> Bool {
    if index >= 0, try current.next() { return true }
    return try openNext()
  }

  /// Moves to the first candidate at or beyond the target; ranges that end before it are never opened.
  package func seek(_ target: UnsafeRawBufferPointer) throws -> Bool {
    let before = index
    while index < 0 || endsBefore(target) {
      guard index + 1 < ranges.count else {
        index = ranges.count
        current = EmptyStream()
        return false
      }
      index += 1
    }
    if index != before { current = try open(ranges[index]) }
    if try current.seek(target) { return true }
    return try openNext()
  }

  private func openNext() throws -> Bool {
    while index + 1 < ranges.count {
      index += 1
      current = try open(ranges[index])
      if try current.next() { return true }
    }
    index = ranges.count
    current = EmptyStream()
    return false
  }

  /// Returns true if the current range lies wholly before the target in the stream's direction.
  private func endsBefore(_ target: UnsafeRawBufferPointer) -> Bool {
    guard index < ranges.count else { return false }
    let range = ranges[index]
    if reversed { return range.lower.withUnsafeBytes { compareBytes(target, $0) } == .ascending }
    guard let upper = range.upper else { return false }
    return upper.withUnsafeBytes { compareBytes(target, $0) } != .ascending
  }
}
