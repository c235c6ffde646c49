import BaseText
import FirestoreModel
import KeyValueStore

// The keys of triggers and their events. All begin with 0x70, the first byte of `KeyOwner.triggers`, then the byte of their
// kind. Texts are `SegmentEncoding`'s escaped texts, numbers 8 bytes, big-endian. A sequence is the version of the group's
// commit (8 bytes) and an ordinal in it (4 bytes), so sequences grow with time. Values are records of `RecordWriter` where
// nothing else is said.
//
//   0x01 trigger    project, codebase ("" for subscriptions), name, role   StoredTrigger as JSON
//   0x02 number                                          the last trigger's number: 8 bytes
//   0x03 event      sequence                             StoredEvent
//   0x04 pending    trigger, sequence                    PendingEvent
//   0x05 order      trigger, key's hash, sequence        marker
//   0x06 due        trigger, time, sequence              marker
//   0x07 dead       trigger, sequence                    DeadLetter
//   0x08 dead since time, trigger, sequence              marker
//   0x09 erased     trigger                              marker
//   0x0A fired      trigger                              the time up to which a schedule is done: 8 bytes
//   0x0B topic      project, topic                       marker
//   0x0C task       trigger, task's name                 sequence, or the time of the end of the name's use
//
// An event is there for as long as a pending event or a dead letter of one of its triggers is. A pending event of a trigger
// that keeps order has an entry of its key's order; one without order that waits for a time has an entry of due times.

extension KeyOwner {
  /// Triggers, their events and dead letters, topics and tasks.
  package static let triggers = KeyOwner("triggers", firstBytes: 0x70...0x7F)
}

/// The place of an event in the order of all events.
package struct EventSequence: Sendable, Hashable, Comparable {
  /// The version of the commit.
  package let version: Int64
  /// The event's number in its commit.
  package let ordinal: UInt32

  /// An event of a commit.
  package init(version: Int64, ordinal: UInt32) {
    self.version = version
    self.ordinal = ordinal
  }

  /// Before every event.
  static let zero = EventSequence(version: 0, ordinal: 0)

  /// The commits' order, then that in a commit.
  package static func < (left: EventSequence, right: EventSequence) -> Bool {
    (left.version, left.ordinal) < (right.version, right.ordinal)
  }

  /// The text in ids: hexadecimal digits, a dash and the ordinal.
  package var text: String { "\(String(version, radix: 16))-\(ordinal)" }

  /// Reads the text; nil for another.
  package init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 2, let version = Int64(parts[0], radix: 16), let ordinal = UInt32(parts[1])
    else { return nil }
    self.init(version: version, ordinal: ordinal)
  }

  /// Reads `bytes`.
  init(value: some Collection<UInt8>) throws {
    guard value.count == 12 else { throw EventKey.damaged }
    let bytes = Array(value)
    version = Int64(bitPattern: bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    ordinal = bytes[8...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    appendBigEndian(UInt64(bitPattern: version), to: &bytes)
    withUnsafeBytes(of: ordinal.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }
}

/// Builds keys, and reads the numbers at their ends.
struct EventKey {
  enum Kind: UInt8 {
    case trigger = 0x01
    case number, event, pending, order, due, dead, deadSince, erased, fired, topic, task
  }

  private(set) var bytes: [UInt8]

  init(_ kind: Kind) {
    bytes = []
    bytes.reserveCapacity(40)
    bytes += [KeyOwner.triggers.firstBytes.lowerBound, kind.rawValue]
  }

  func text(_ text: String) -> EventKey {
    var key = self
    Text(text).withBytes { SegmentEncoding.appendEscaped($0, to: &key.bytes) }
    return key
  }

  func number(_ number: Int64) -> EventKey {
    var key = self
    appendBigEndian(UInt64(bitPattern: number), to: &key.bytes)
    return key
  }

  func sequence(_ sequence: EventSequence) -> EventKey {
    var key = self
    key.bytes += sequence.bytes
    return key
  }

  var range: KeyRange { KeyRange(prefix: bytes) }

  static func event(_ sequence: EventSequence) -> [UInt8] {
    EventKey(.event).sequence(sequence).bytes
  }

  static func pending(_ trigger: Int64, _ sequence: EventSequence) -> [UInt8] {
    EventKey(.pending).number(trigger).sequence(sequence).bytes
  }

  static func order(_ trigger: Int64, _ hash: Int64, _ sequence: EventSequence) -> [UInt8] {
    EventKey(.order).number(trigger).number(hash).sequence(sequence).bytes
  }

  static func due(_ trigger: Int64, _ time: Int64, _ sequence: EventSequence) -> [UInt8] {
    EventKey(.due).number(trigger).number(time).sequence(sequence).bytes
  }

  static func dead(_ trigger: Int64, _ sequence: EventSequence) -> [UInt8] {
    EventKey(.dead).number(trigger).sequence(sequence).bytes
  }

  static func deadSince(_ time: Int64, _ trigger: Int64, _ sequence: EventSequence) -> [UInt8] {
    EventKey(.deadSince).number(time).number(trigger).sequence(sequence).bytes
  }

  /// The sequence at a key's end.
  static func sequence(atEndOf key: UnsafeRawBufferPointer) throws -> EventSequence {
    var position = key.count - 12
    guard position >= 2, let version = readBigEndian(key, at: &position) else { throw damaged }
    let ordinal = key[position...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return EventSequence(version: Int64(bitPattern: version), ordinal: ordinal)
  }

  /// The number that begins at an offset of a key.
  static func number(in key: UnsafeRawBufferPointer, at offset: Int = 2) throws -> Int64 {
    var position = offset
    guard let number = readBigEndian(key, at: &position) else { throw damaged }
    return Int64(bitPattern: number)
  }

  static func encoded(_ number: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    appendBigEndian(UInt64(bitPattern: number), to: &bytes)
    return bytes
  }

  static func decoded(_ value: [UInt8]) throws -> Int64 {
    guard value.count == 8 else { throw damaged }
    return Int64(bitPattern: value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  static var damaged: KeyValueError { KeyValueError(.corruption, "a key of triggers is damaged") }
}
