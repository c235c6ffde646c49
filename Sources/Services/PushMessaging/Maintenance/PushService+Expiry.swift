import FirestoreModel
import KeyValueStore

// What ends with time.

extension PushService {
  /// Deliveries of one step.
  private static let stepSize = 500

  /// Expires what still waits of the oldest message whose last deadline has passed; true where there may be more.
  package func expireMessages() async throws -> Bool {
    let now = now
    let due = try await read(on: .scans) {
      reader -> (key: [UInt8], message: StoredMessage?, id: Int64)? in
      var range = MessagingKey(.deadline).range
      range.upper = MessagingKey(.deadline).number(now).bytes
      let cursor = try reader.cursor(over: range, reversed: false)
      guard try cursor.next() else { return nil }
      let id = try MessagingKey.number(in: cursor.key)
      let project = try ProjectValue(decoding: cursor.value).project
      return (Array(cursor.key), try StoredMessage.read(project, id, reader), id)
    }
    guard let due else { return false }
    guard let message = due.message else {
      try await write(.background) { try $0.delete(due.key) }
      return true
    }
    try await expire(message, due.key)
    return true
  }

  private func expire(_ message: StoredMessage, _ key: [UInt8]) async throws {
    var position: Int64? = 0
    while let after = position {
      let (waiting, next) = try await read(on: .scans) { reader in
        try Self.waiting(of: message, after: after, reader)
      }
      try await writeDeliveries(.background) { book in
        for number in waiting {
          try book.move(message.project, message.id, number, to: .expired)
        }
        if next == nil { try book.group.delete(key) }
      }
      position = next
    }
  }

  /// The registrations of some deliveries that have slots, and behind which others are; nil behind the last.
  private static func waiting(
    of message: StoredMessage,
    after position: Int64,
    _ reader: any KeyValueReader
  ) throws -> ([Int64], next: Int64?) {
    let prefix = MessagingKey(.delivery, message.project, message.id)
    let cursor = try reader.cursor(over: prefix.range(after: position), reversed: false)
    var waiting: [Int64] = []
    var last: Int64?
    for _ in 0..<stepSize {
      guard try cursor.next() else { return (waiting, nil) }
      let number = try MessagingKey.number(in: cursor.key)
      if try Delivery(decoding: cursor.value).hasSlot { waiting.append(number) }
      last = number
    }
    return (waiting, last)
  }
}
