import BaseText
import DocumentStore
import FirestoreModel
import KeyValueStore

/// An event as it is stored until its last delivery: the facts, independent of the form of the
/// requests.
package struct StoredEvent: Sendable, Hashable {
  /// The product that it comes from; nil for a task or a schedule's firing.
  package var family: EventSource.Family?
  /// The change; nil where the family has one kind of event.
  package var change: EventSource.Change?
  /// The project's id.
  package var project: String
  /// The database's id, the bucket, the topic, the channel, the key event's name or the queue's location.
  package var scope = ""
  /// The document's path, the object's name, the user's id, the installation's id or the task's name.
  package var subject = ""
  /// The document before, as the store keeps it; nil if there was none.
  package var old: [UInt8]?
  /// The document after, as the store keeps it; nil if it was deleted.
  package var new: [UInt8]?
  /// JSON of the event's data; for a task the body of its request.
  package var data: [UInt8] = []
  /// More attributes: those of a custom event, or the headers of a task.
  package var attributes: [String: String] = [:]
  /// The principal, with the depth of the chain of events.
  package var author = CommitAuthor.system
  /// The time of the cause in microseconds.
  package var time: Int64 = 0
  /// The numbers of the triggers that it matched.
  package var triggers: [Int64] = []

  /// An event of a project.
  package init(family: EventSource.Family?, project: String) {
    self.family = family
    self.project = project
  }

  private static let families: [EventSource.Family] = [
    .documents, .accounts, .objects, .configuration, .topics, .custom, .analytics,
  ]

  var encoded: [UInt8] {
    var writer = RecordWriter()
    let number = family.flatMap { Self.families.firstIndex(of: $0) }.map { Int64($0 + 1) }
    writer.put(1, number)
    writer.put(2, change.map { Int64($0.rawValue) })
    writer.put(3, project)
    if !scope.isEmpty { writer.put(4, scope) }
    if !subject.isEmpty { writer.put(5, subject) }
    writer.put(6, bytes: old)
    writer.put(7, bytes: new)
    if !data.isEmpty { writer.put(8, bytes: data) }
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      writer.put(9) { inner in
        inner.put(1, name)
        inner.put(2, value)
      }
    }
    writer.put(10, Int64(author.kind.rawValue))
    writer.put(11, author.id)
    writer.put(12, Int64(author.depth))
    writer.put(13, time)
    for trigger in triggers { writer.put(14, trigger) }
    return writer.bytes
  }

  init(decoding value: [UInt8]) throws {
    self.init(family: nil, project: "")
    var reader = try RecordReader(value)
    while let field = try reader.next() {
      switch field.tag {
      case 1:
        let index = Int(try field.number()) - 1
        guard Self.families.indices.contains(index) else {
          throw RecordReader.corrupt("an unknown family of events")
        }
        family = Self.families[index]
      case 2: change = EventSource.Change(rawValue: UInt8(truncatingIfNeeded: try field.number()))
      case 3: project = try field.string()
      case 4: scope = try field.string()
      case 5: subject = try field.string()
      case 6: old = field.raw
      case 7: new = field.raw
      case 8: data = field.raw
      case 9: try readAttribute(field.record())
      case 10:
        let kind = CommitAuthor.Kind(rawValue: UInt8(truncatingIfNeeded: try field.number()))
        author.kind = kind ?? .system
      case 11: author.id = try field.string()
      case 12: author.depth = Int(try field.number())
      case 13: time = try field.number()
      case 14: triggers.append(try field.number())
      default: break
      }
    }
  }

  private mutating func readAttribute(_ record: RecordReader) throws {
    var reader = record
    var name = ""
    while let field = try reader.next() {
      switch field.tag {
      case 1: name = try field.string()
      case 2: attributes[name] = try field.string()
      default: break
      }
    }
  }
}

/// One event's place in the queue of one trigger.
struct PendingEvent: Sendable, Hashable {
  /// The hash of what orders it; 0 for no order.
  var order: Int64 = 0
  /// Attempts that failed.
  var attempts = 0
  /// The time of the first attempt, or of the event; microseconds.
  var since: Int64 = 0
  /// The earliest time of the next attempt; 0 is at once.
  var due: Int64 = 0
  /// True where other triggers may have the same event.
  var isShared = false
  /// The status and reason of the last failure.
  var status = 0
  var reason: String?

  init() {}

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, order)
    writer.put(2, Int64(attempts))
    writer.put(3, since)
    writer.put(4, due)
    writer.put(5, isShared)
    writer.put(6, Int64(status))
    writer.put(7, reason)
    return writer.bytes
  }

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    while let field = try reader.next() {
      switch field.tag {
      case 1: order = try field.number()
      case 2: attempts = Int(try field.number())
      case 3: since = try field.number()
      case 4: due = try field.number()
      case 5: isShared = field.flag
      case 6: status = Int(try field.number())
      case 7: reason = try field.string()
      default: break
      }
    }
  }

  /// The hash of an order's key, never 0: FNV-1a, which is the same in every process.
  static func hash(_ key: some Sequence<UInt8>) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash == 0 ? 1 : Int64(bitPattern: hash)
  }
}

/// An event that could not be delivered.
struct DeadLetter: Sendable, Hashable {
  var died: Int64 = 0
  var pending = PendingEvent()

  init(died: Int64, pending: PendingEvent) {
    self.died = died
    self.pending = pending
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, died)
    writer.put(2, bytes: pending.encoded)
    return writer.bytes
  }

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    while let field = try reader.next() {
      switch field.tag {
      case 1: died = try field.number()
      case 2: pending = try PendingEvent(decoding: field.raw)
      default: break
      }
    }
  }
}
