import BaseText
import FirestoreModel
import KeyValueStore

// The keys of messaging. All begin with 0xB0, the first byte of `KeyOwner.messages`, then the byte of their kind. Texts are
// `SegmentEncoding`'s escaped texts, numbers 8 bytes, big-endian. A registration's number and a message's id are versions of the
// engine, so both grow with time. Values are records of `RecordWriter` where nothing else is said.
//
//   0x01 project       project                              credentials
//   0x02 registration  project, number                      Registration
//   0x03 token         SHA-256 of the token                 project, number
//   0x04 identity      project, installation, app           number
//   0x05 address       project, SHA-256 of the address      number
//   0x06 member        project, topic, number               version of the subscription: 8 bytes
//   0x07 membership    project, number, topic               the same
//   0x08 user          project, user id, number             marker
//   0x09 message       project, id                          StoredMessage
//   0x0A counts        project, id                          MessageCounts; none for a message to one registration
//   0x0B delivery      project, id, number                  Delivery
//   0x0C lane          lane (1 byte), due, id, number       project, attempt
//   0x0D collapse      project, number, collapse key        id
//   0x0E mailbox       project, number, sequence            id
//   0x0F mailbox head  project, number                      MailboxHead
//   0x10 fan-out       id                                   project, position
//   0x11 server key    SHA-256 of the key                   ServerKey
//   0x12 schedule      due, id                              project
//   0x13 deadline      deadline, id                         project
//   0x14 total                                              number of registrations: 8 bytes
//   0x15 resource      SHA-256 of the capability            PushResource
//   0x16 own resource  project, number, name                SHA-256 of the capability
//   0x17 held          due, id, number                      project
//   0x18 summary       project, id                          MessageSummary
//   0x19 capped        project, "u" and user id or "r" and number, label   CappedTimes
//
// A pending delivery has exactly one slot: an entry of its lane, of its registration's mailbox,
// where it may stay after a delivery attempt, or of those that are held until its device's clock
// shows its time. A change of a delivery, its slot, its collapse key and its message's counts is
// one write.

extension KeyOwner {
  /// Registrations, topics, messages and their queues.
  package static let messages = KeyOwner("messages", firstBytes: 0xB0...0xBF)
}

/// Builds keys, and reads the numbers at their ends.
struct MessagingKey {
  static let space = KeyOwner.messages.firstBytes.lowerBound

  enum Kind: UInt8 {
    case project = 0x01
    case registration, token, identity, address, member, membership, user, message, counts
    case delivery, lane, collapse, mailbox, mailboxHead, fanOut, serverKey, schedule, deadline
    case total, resource, ownResource, held, summary, capped
  }

  private(set) var bytes: [UInt8] = []

  init(_ kind: Kind) {
    // Most keys are a project's name and two or three numbers.
    bytes.reserveCapacity(Self.usual)
    bytes += [Self.space, kind.rawValue]
  }

  private static let usual = 64

  init(_ kind: Kind, _ project: Text) {
    self.init(kind)
    append(project)
  }

  init(_ kind: Kind, _ project: Text, _ numbers: Int64...) {
    self.init(kind, project)
    for number in numbers { append(number) }
  }

  init(_ kind: Kind, bytes: [UInt8]) {
    self.init(kind)
    self.bytes += bytes
  }

  private mutating func append(_ text: Text) {
    text.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
  }

  private mutating func append(_ number: Int64) {
    appendBigEndian(UInt64(bitPattern: number), to: &bytes)
  }

  func text(_ text: String) -> MessagingKey {
    var key = self
    key.append(Text(text))
    return key
  }

  func number(_ number: Int64) -> MessagingKey {
    var key = self
    key.append(number)
    return key
  }

  /// All keys that begin with this one.
  var range: KeyRange { KeyRange(prefix: bytes) }

  /// The keys of that prefix behind a number.
  func range(after number: Int64) -> KeyRange {
    var range = range
    if number < .max { range.lower = self.number(number + 1).bytes }
    return range
  }

  static func lane(_ lane: Lane, due: Int64, _ id: Int64, _ number: Int64) -> [UInt8] {
    MessagingKey(.lane, bytes: [lane.rawValue]).number(due).number(id).number(number).bytes
  }

  static func held(until due: Int64, _ id: Int64, _ number: Int64) -> [UInt8] {
    MessagingKey(.held).number(due).number(id).number(number).bytes
  }

  static func timed(_ kind: Kind, _ time: Int64, _ id: Int64) -> [UInt8] {
    MessagingKey(kind).number(time).number(id).bytes
  }

  /// The number that ends so many numbers before the key's end.
  static func number(
    in key: UnsafeRawBufferPointer,
    fromEnd index: Int = 0
  ) throws -> Int64 {
    var position = key.count - 8 * (index + 1)
    guard position >= 2, let number = readBigEndian(key, at: &position) else {
      throw KeyValueError(.corruption, "a key of messaging is damaged")
    }
    return Int64(bitPattern: number)
  }

  /// The text behind the first text of a key.
  static func text(behindProjectIn key: UnsafeRawBufferPointer) throws -> String {
    var position = 2
    guard SegmentEncoding.decodeText(key, at: &position) != nil,
      let text = SegmentEncoding.decodeText(key, at: &position)
    else { throw KeyValueError(.corruption, "a key of messaging is damaged") }
    return text.string
  }

  /// The first text of a key and what follows it.
  static func project(of key: UnsafeRawBufferPointer) throws -> (Text, rest: Int) {
    var position = 2
    guard let project = SegmentEncoding.decodeText(key, at: &position) else {
      throw KeyValueError(.corruption, "a key of messaging is damaged")
    }
    return (project, position)
  }
}

/// A value that is a number alone.
enum NumberValue {
  static func encode(_ number: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    appendBigEndian(UInt64(bitPattern: number), to: &bytes)
    return bytes
  }

  static func decode(_ value: some Collection<UInt8>) throws -> Int64 {
    guard value.count == 8 else {
      throw KeyValueError(.corruption, "a number of messaging is damaged")
    }
    return Int64(bitPattern: value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

/// The value of keys that lead to something of a project: its name, and a number.
struct ProjectValue: Sendable {
  var project: Text
  var number: Int64

  init(_ project: Text, _ number: Int64 = 0) {
    self.project = project
    self.number = number
  }

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    var project = ""
    number = 0
    while let field = try reader.next() {
      switch field.tag {
      case 1: project = try field.string()
      case 2: number = try field.number()
      default: break
      }
    }
    self.project = Text(project)
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, project.string)
    writer.put(2, number)
    return writer.bytes
  }
}
