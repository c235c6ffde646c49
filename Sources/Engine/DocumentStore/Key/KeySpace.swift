import FirestoreModel
import KeyValueStore

// Every key of a database begins with the byte of its key space and the database's incarnation (4
// bytes big-endian), so that one incarnation's keys of one kind are contiguous. The rest is
// documented at its encoder:
//
//   0x01        meta (not per database)             MetaKey.swift
//   0x10, 0x11  documents and their history         DocumentKey.swift
//   0x20, 0x22  automatic indexes and their history Index/
//   0x21, 0x23  declared indexes and their history  Index/
//   0x30, 0x31  changes and commits                 ChangeKey.swift, CommitKey.swift
//   0x32, 0x33  kept answers and their age        AnswerKey.swift
//   0x40, 0x41  directory of collections            DirectoryKey.swift
//
// All of them are of `KeyOwner.databases`; nothing here reads, erases or verifies the keys of others.
//
// Numbers are big-endian, ids and paths are `SegmentEncoding`'s.

extension KeyOwner {
  /// The document databases with their indexes, history and logs, and the rules.
  package static let databases = KeyOwner("databases", firstBytes: 0x01...0x4F)
}

/// The number of one life of a database in its keys.
///
/// Clearing or deleting a database retires its incarnation; numbers are never used twice.
package typealias Incarnation = UInt32

/// The first byte of a key.
package enum KeySpace: UInt8, Sendable, CaseIterable {
  case meta = 0x01
  case document = 0x10
  case documentHistory = 0x11
  case automaticIndex = 0x20
  case declaredIndex = 0x21
  case automaticIndexHistory = 0x22
  case declaredIndexHistory = 0x23
  case change = 0x30
  case commit = 0x31
  case answer = 0x32
  case answerAge = 0x33
  case collectionsOfParent = 0x40
  case parentsOfCollection = 0x41

  /// The spaces that hold a database's keys; meta holds those of all.
  package static var perDatabase: [KeySpace] { allCases.filter { $0 != .meta } }

  /// The beginning of every key of one incarnation in this space, with room for what follows.
  package func prefix(_ incarnation: Incarnation, reserving capacity: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.prefixLength + capacity)
    bytes.append(rawValue)
    withUnsafeBytes(of: incarnation.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// The incarnation in a key of a space that holds a database's keys.
  static func incarnation(ofKey key: [UInt8]) -> Incarnation? {
    guard key.count >= prefixLength else { return nil }
    return key.withUnsafeBytes {
      Incarnation(bigEndian: $0.loadUnaligned(fromByteOffset: 1, as: Incarnation.self))
    }
  }

  /// The number of bytes that `prefix(_:)` gives.
  package static let prefixLength = 5
}

extension [UInt8] {
  /// Appends a version as 8 bytes, most significant first.
  mutating func append(_ version: CommitVersion) {
    appendBigEndian(UInt64(bitPattern: version.microseconds), to: &self)
  }
}

extension CommitVersion {
  /// The first version after this one.
  package var next: CommitVersion { CommitVersion(microseconds: microseconds + 1) }
}
