import KeyValueStore

/// Keys of the store with a reported later state after a restore to an earlier point.
package struct WatchedKeys: Sendable {
  /// The keys.
  package let range: KeyRange
  /// The part of a value that is of interest; there may be as many as the store has keys in the range.
  package let part: @Sendable (_ value: [UInt8]) throws -> [UInt8]

  /// Keys of a range; that part of their values is reported.
  package init(
    _ range: KeyRange,
    part: @escaping @Sendable (_ value: [UInt8]) throws -> [UInt8] = { $0 }
  ) {
    (self.range, self.part) = (range, part)
  }
}

/// The last state of a watched key that was written behind the point of a restore.
package enum LaterState: Sendable, Equatable {
  case removed
  /// The part of the value that is of interest.
  case written([UInt8])
}
