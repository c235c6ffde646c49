import Synchronization

/// The memory that the parts of all uploads of a store take on their way to the blobs.
///
/// A lone upload has large parts, which are few calls of the disk. With many at once, each has
/// smaller ones, so that all together stay within a bound, except for the minimum of each.
final class PartMemory: Sendable {
  static let largestPart = 512 << 10
  static let smallestPart = 64 << 10

  /// The bound of all parts together, where they are larger than the smallest.
  private static let bound = 24 << 20

  /// By this the room that is left is divided for the next part: few uploads have the largest parts so, and the
  /// more there are the sooner parts become smaller.
  private static let share = 8

  /// Room of one part; it is free again when nothing refers to it.
  final class Room: Sendable {
    /// A power of two.
    let bytes: Int
    private let memory: PartMemory

    fileprivate init(_ bytes: Int, _ memory: PartMemory) {
      self.bytes = bytes
      self.memory = memory
    }

    deinit { memory.taken.subtract(bytes, ordering: .relaxed) }
  }

  private let taken = Atomic<Int>(0)

  /// Bytes of all parts that there are.
  var bytes: Int { taken.load(ordering: .relaxed) }

  /// Takes room for a part, as large as is fair beside those that there are.
  func room() -> Room {
    while true {
      let before = bytes
      let part = Self.part(beside: before)
      let (isTaken, _) = taken.weakCompareExchange(
        expected: before,
        desired: before + part,
        ordering: .relaxed
      )
      if isTaken { return Room(part, self) }
    }
  }

  /// Returns the fair size of a part beside parts of so many bytes.
  private static func part(beside taken: Int) -> Int {
    let fair = max(bound - taken, 0) / share
    var part = largestPart
    while part > max(fair, smallestPart) { part /= 2 }
    return part
  }
}
