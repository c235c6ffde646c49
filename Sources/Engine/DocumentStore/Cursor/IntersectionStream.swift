import BaseText

/// The positions that every one of several streams has: a zig-zag of seeks.
///
/// Each leg jumps to the furthest position any leg has reached, so the cost follows the sparsest leg
/// and never the sum of all.
package final class IntersectionStream: PositionStream {
  private let legs: [any PositionStream]
  private let reversed: Bool
  private var started = false
  private var target: [UInt8] = []
  /// Positions of the first leg in a row that others do not have.
  private var misses = 0
  /// True after a move that ended at a position of the first leg that another leg lacks.
  package private(set) var isMilestone = false

  /// After so many misses in a row one is delivered as a milestone.
  static let milestoneDistance = 500

  /// Intersects at least one stream; all run in the same direction over the same kind of position.
  package init(_ legs: [any PositionStream], reversed: Bool) {
    precondition(!legs.isEmpty)
    self.legs = legs
    self.reversed = reversed
  }

  /// The first leg's position, at which all legs stand unless it is a milestone.
  package var position: UnsafeRawBufferPointer { legs[0].position }

  /// The first leg's; equal positions of one document carry equal values.
  package var payload: UnsafeRawBufferPointer { legs[0].payload }

  /// Moves to the next common position or milestone; false at the end of any leg.
  package func next() throws -> Bool {
    guard try legs[0].next() else { return false }
    return try align()
  }

  /// Moves to the first common position or milestone at or beyond the target; false if there is none.
  package func seek(_ target: UnsafeRawBufferPointer) throws -> Bool {
    guard try legs[0].seek(target) else { return false }
    return try align()
  }

  /// Moves legs until all are at one position, the first leg's or one beyond it.
  private func align() throws -> Bool {
    setTarget(legs[0].position)
    isMilestone = false
    var agreed = 1
    var leg = legs.count > 1 ? 1 : 0
    let wasStarted = started
    started = true
    var fresh = wasStarted ? 0 : legs.count - 1
    while agreed < legs.count {
      let stream = legs[leg]
      // A leg that is at the target or beyond it need not move.
      let moves = fresh > 0 || order(stream.position) == .ascending
      if fresh > 0 { fresh -= 1 }
      if moves {
        guard try target.withUnsafeBytes({ try stream.seek($0) }) else { return false }
      }
      if order(stream.position) == .equal {
        agreed += 1
      } else {
        setTarget(stream.position)
        agreed = 1
        // Every leg must have a position before the stream can continue from a milestone.
        if leg != 0, fresh == 0, isMilestoneDue() { return true }
      }
      leg = (leg + 1) % legs.count
    }
    misses = 0
    return true
  }

  /// Notes that another leg has gone beyond the first one's position; true where that becomes a milestone.
  private func isMilestoneDue() -> Bool {
    misses += 1
    guard misses >= Self.milestoneDistance else { return false }
    (misses, isMilestone) = (0, true)
    return true
  }

  /// The order of a position relative to the target, in the stream's direction.
  private func order(_ position: UnsafeRawBufferPointer) -> Ordering {
    let result = target.withUnsafeBytes { compareBytes(position, $0) }
    return reversed ? result.reversed : result
  }

  private func setTarget(_ position: UnsafeRawBufferPointer) {
    target.removeAll(keepingCapacity: true)
    target.append(contentsOf: position)
  }
}
