// The first byte of a key says whose it is. A product claims its range by an extension of `KeyOwner` beside its keys; the
// program that composes the products makes their table and refuses two that overlap.

/// The owner of a key range of the engine: all keys whose first byte lies in a range.
///
/// An owner writes, erases and verifies its own keys alone; no key lies in the ranges of two.
package struct KeyOwner: Sendable, Hashable {
  /// A lower-case word for reports, unique in its engine.
  package let name: String
  /// The first bytes of the owner's keys; they overlap no other range in the same engine.
  package let firstBytes: ClosedRange<UInt8>
  /// The version of the records that this program writes; it reads all versions up to it.
  ///
  /// A change after which an older program would misread the records raises it.
  package let format: UInt32

  /// An owner by its name, the first bytes of its keys and the version of its records.
  package init(_ name: String, firstBytes: ClosedRange<UInt8>, format: UInt32 = 1) {
    self.name = name
    self.firstBytes = firstBytes
    self.format = format
  }

  /// The engine's own records, which no caller reads or writes.
  package static let engine = KeyOwner("engine", firstBytes: 0x00...0x00)
  /// The versions of all owners' formats.
  package static let formats = KeyOwner("formats", firstBytes: 0xD0...0xDF)

  /// The owner's keys.
  package var range: KeyRange {
    KeyRange(
      lower: [firstBytes.lowerBound],
      upper: KeyRange.successor(ofPrefix: [firstBytes.upperBound])
    )
  }
}

/// The owners of an engine's keys, no two of which have a key in common.
package struct KeyOwnerTable: Sendable {
  /// In the order of their keys.
  package let owners: [KeyOwner]

  /// A table of these owners; nil where two of them overlap or have one name.
  package init?(_ owners: [KeyOwner]) {
    self.owners = owners.sorted { $0.firstBytes.lowerBound < $1.firstBytes.lowerBound }
    let overlaps = zip(self.owners, self.owners.dropFirst()).contains { left, right in
      left.firstBytes.overlaps(right.firstBytes)
    }
    guard !overlaps, Set(owners.map(\.name)).count == owners.count else { return nil }
  }

  /// Returns the owner of a key; nil for a key without one.
  package func owner(ofKey key: [UInt8]) -> KeyOwner? {
    guard let first = key.first else { return nil }
    return owners.first { $0.firstBytes.contains(first) }
  }
}
