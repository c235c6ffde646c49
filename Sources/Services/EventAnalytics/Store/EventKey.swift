import BaseText
import FirestoreModel
import KeyValueStore

// The keys of analytics, which has an engine of its own. A key begins with the byte of its kind; but for the first
// two kinds the project's number follows. Numbers are 4 bytes, big-endian; a day is the number of days since
// 1970-01-01 in the project's zone. Texts are `SegmentEncoding`'s escaped texts.
//
//   0x10 projects   (nothing more)                              the number of projects
//   0x11 project    name                                        ProjectRecord
//   0x12 counters   project                                     the next instance number, the next segment
//   0x13 instance   project, id                                 its number
//   0x14 number     project, instance number                    InstanceRecord
//   0x15 word       project, kind, scope, text                  its number (see Dictionary.swift)
//   0x16 text       project, kind, scope, number                the word's text
//   0x17 words      project, kind, scope                        how many there are
//   0x18 user       project, user id, instance number           marker
//   0x19 audience   project, name                               its definition
//   0x20 intake     project, segment, sequence                  a batch as it came (EventBatch)
//   0x21 batch      project, instance id, number (8 bytes)      when it came (8 bytes)
//   0x22 purchase   project, instance id, transaction id        when it came (8 bytes)
//   0x23 outbox     project, segment, sequence                  a batch with key events that a follower has not taken
//   0x30 timeline   project, day, instance number, segment      events of an instance (TimelineBlock)
//   0x31 session    project, day, instance number, id (8 bytes) 1 for an engaged session, else 0 (one byte)
//   0x40 facet      project, day, dimension, a, b, segment      what is counted (Tally)
//   0x41 part       project, day, segment                       marker: the day has facets of the segment
//
// A batch is in the intake until its segment is sealed; then, in one write, it is timelines and
// facets. Readers add up facets of one name in several segments; the background work merges them
// into the one of segment 0. Timelines are what was counted: `verify` counts them again. A
// session's record says that it is counted on the day, so that a later segment with events of it
// does not count it again.

extension KeyOwner {
  /// Events of apps, in the engine of analytics.
  package static let events = KeyOwner("events", firstBytes: 0x10...0x4F)
}

/// The keys in the store of analytics.
enum EventKey {
  enum Kind: UInt8 {
    case projects = 0x10
    case project = 0x11
    case counters = 0x12
    case instance = 0x13
    case number = 0x14
    case word = 0x15
    case text = 0x16
    case words = 0x17
    case user = 0x18
    case audience = 0x19
    case intake = 0x20
    case batch = 0x21
    case purchase = 0x22
    case outbox = 0x23
    case timeline = 0x30
    case session = 0x31
    case facet = 0x40
    case part = 0x41
  }

  static let projects: [UInt8] = [Kind.projects.rawValue]

  static func project(_ name: Text) -> [UInt8] {
    var bytes = [Kind.project.rawValue]
    name.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    return bytes
  }

  /// A key of those numbers behind the kind.
  static func numbered(_ kind: Kind, _ numbers: UInt32...) -> [UInt8] {
    var bytes = [kind.rawValue]
    for number in numbers { append(number, to: &bytes) }
    return bytes
  }

  static func named(_ kind: Kind, _ project: UInt32, _ text: String) -> [UInt8] {
    var bytes = numbered(kind, project)
    Text(text).withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    return bytes
  }

  static func batch(_ project: UInt32, _ instanceID: String, _ number: Int64) -> [UInt8] {
    var bytes = named(.batch, project, instanceID)
    appendBigEndian(UInt64(bitPattern: number), to: &bytes)
    return bytes
  }

  static func purchase(_ project: UInt32, _ instanceID: String, _ transaction: String) -> [UInt8] {
    var bytes = named(.purchase, project, instanceID)
    Text(transaction).withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    return bytes
  }

  static func session(_ project: UInt32, _ day: EventDay, _ name: SessionCount.Name) -> [UInt8] {
    var bytes = numbered(.session, project, day.key, name.user)
    appendBigEndian(UInt64(bitPattern: name.id), to: &bytes)
    return bytes
  }

  static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// The number at an offset of a key; nil where the key is too short.
  static func number(_ key: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
    guard offset >= 0, key.count >= offset + 4 else { return nil }
    return UInt32(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The same, where a key without it is damaged.
  static func requiredNumber(_ key: UnsafeRawBufferPointer, at offset: Int) throws -> UInt32 {
    guard let number = number(key, at: offset) else {
      throw KeyValueError(.corruption, "a key of analytics is too short")
    }
    return number
  }
}

/// A day of a project's zone: the number of days since 1970-01-01.
package struct EventDay: Sendable, Hashable, Comparable, Strideable {
  /// Days since 1970-01-01, negative before; the zone is the project's and not included.
  package let number: Int

  /// The day of that number.
  package init(_ number: Int) { self.number = number }

  /// As keys have it: in the order of days, those before 1970 too.
  var key: UInt32 { UInt32(truncatingIfNeeded: number) ^ 0x8000_0000 }

  init(key: UInt32) { number = Int(Int32(bitPattern: key ^ 0x8000_0000)) }

  /// True if the left day is earlier.
  package static func < (left: EventDay, right: EventDay) -> Bool { left.number < right.number }

  /// The days from this day to another, negative for an earlier one.
  package func distance(to other: EventDay) -> Int { other.number - number }

  /// The day that many days later, or earlier for a negative number.
  package func advanced(by days: Int) -> EventDay { EventDay(number + days) }
}
