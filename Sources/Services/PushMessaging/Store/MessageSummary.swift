import BaseText
import KeyValueStore

/// The summary of a message to many whose content and deliveries are forgotten: its description,
/// and the number of its deliveries in each state.
///
/// A record: 1 the message with no content but its label, 2 its counts. Messages to one device or one user leave none.
struct MessageSummary: Sendable {
  let message: StoredMessage
  let counts: MessageCounts

  /// The summary of a message.
  init(_ message: StoredMessage, _ counts: MessageCounts) {
    self.message = message.summarized
    self.counts = counts
  }

  init(decoding value: some Collection<UInt8>, project: Text, id: Int64) throws {
    var reader = try RecordReader(Array(value))
    var (message, counts): (StoredMessage?, MessageCounts?) = (nil, nil)
    while let field = try reader.next() {
      switch field.tag {
      case 1: message = try StoredMessage(decoding: field.raw, project: project, id: id)
      case 2: counts = try MessageCounts(decoding: field.raw)
      default: break
      }
    }
    guard let message, let counts else { throw RecordReader.corrupt("no summary of a message") }
    self.message = message
    self.counts = counts
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, bytes: message.encoded)
    writer.put(2, bytes: counts.encoded)
    return writer.bytes
  }

  static func key(_ project: Text, _ id: Int64) -> [UInt8] {
    MessagingKey(.summary, project, id).bytes
  }

  static func read(
    _ project: Text,
    _ id: Int64,
    _ reader: any KeyValueReader
  ) throws -> MessageSummary? {
    try reader.get(key(project, id)).map {
      try MessageSummary(decoding: $0, project: project, id: id)
    }
  }
}
