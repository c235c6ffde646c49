import KeyValueStore

/// The facts about a registration's mailbox that are known without reading it.
struct MailboxHead: Sendable, Equatable {
  /// The highest sequence that was given out.
  var last: Int64 = 0
  /// Messages that wait.
  var count: Int64 = 0
  /// True if some were dropped since the client last connected.
  var hasDropped = false

  /// Messages that wait in one mailbox at most; one more drops the oldest.
  static let limit: Int64 = 100

  init() {}

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    while let field = try reader.next() {
      switch field.tag {
      case 1: last = try field.number()
      case 2: count = try field.number()
      case 3: hasDropped = field.flag
      default: break
      }
    }
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, last)
    writer.put(2, count)
    writer.put(3, hasDropped)
    return writer.bytes
  }
}
