import BaseText
import KeyValueStore

// Data that expires. A step looks at a bounded number of messages and deliveries, and is one write.

/// The progress through messages whose last deadline has passed.
struct ExpiryProgress: Sendable {
  /// The last processed deadline's key: earlier ones were deleted, and are not visited again.
  var done: [UInt8]?
  /// The deadline's key of the message that is being gone through, and the number up to which its registrations were.
  var partial: (key: [UInt8], number: Int64)?
}

extension PushService {
  /// Expires some of what still waits of messages whose last deadline has passed; true where there is more to do now.
  package func expireMessages() async throws -> Bool {
    let (now, before) = (now, expiry.withLock { $0 })
    let step = try await read(on: .scans) { try ExpiryStep(after: before, now: now, $0) }
    if !step.isEmpty {
      try await writeDeliveries(.background) { book in
        for each in step.waiting {
          try book.move(each.mailbox.project, each.message, each.mailbox.number, to: .expired)
        }
        for key in step.keys { try book.group.delete(key) }
      }
    }
    expiry.withLock { $0 = step.next ?? ExpiryProgress() }
    return step.next != nil
  }
}

/// The deliveries and deadlines that one step ends.
private struct ExpiryStep: Sendable {
  /// Deliveries that have slots.
  private(set) var waiting: [WrittenDelivery] = []
  /// Deadlines of messages of which nothing waits any more.
  private(set) var keys: [[UInt8]] = []
  /// The position of the next step; nil behind the last deadline that has passed.
  private(set) var next: ExpiryProgress?

  /// Messages and deliveries that a step looks at.
  private static let looks = 500

  var isEmpty: Bool { waiting.isEmpty && keys.isEmpty }

  init(after before: ExpiryProgress, now: Int64, _ reader: any KeyValueReader) throws {
    var range = MessagingKey(.deadline).range
    let upper = MessagingKey(.deadline).number(now).bytes
    range.upper = upper
    if let done = before.done { range.lower = done + [0] }
    guard KeyOrder.compare(range.lower, upper) < 0 else { return }
    let cursor = try reader.cursor(over: range, reversed: false)
    var (progress, left) = (before, Self.looks)
    while left > 0 {
      guard try cursor.next() else { return }
      left -= 1
      let key = Array(cursor.key)
      let id = try MessagingKey.number(in: cursor.key)
      let project = try ProjectValue(decoding: cursor.value).project
      let known = progress.partial.flatMap { $0.key == key ? $0.number : nil } ?? 0
      if let last = try look(at: id, of: project, after: known, &left, reader) {
        progress.partial = (key, last)
        break
      }
      keys.append(key)
      progress = ExpiryProgress(done: key)
    }
    next = progress
  }

  /// Takes what waits of a message behind a registration's number; gives the last number where there may be more.
  private mutating func look(
    at id: Int64,
    of project: Text,
    after number: Int64,
    _ left: inout Int,
    _ reader: any KeyValueReader
  ) throws -> Int64? {
    let prefix = MessagingKey(.delivery, project, id)
    let cursor = try reader.cursor(over: prefix.range(after: number), reversed: false)
    var last = number
    while try cursor.next() {
      guard left > 0 else { return last }
      left -= 1
      last = try MessagingKey.number(in: cursor.key)
      if try Delivery(decoding: cursor.value).hasSlot {
        let mailbox = MailboxID(project: project, number: last)
        waiting.append(WrittenDelivery(mailbox: mailbox, message: id))
      }
    }
    return nil
  }
}
