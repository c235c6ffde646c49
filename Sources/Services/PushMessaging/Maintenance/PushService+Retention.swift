import BaseText
import KeyValueStore

// Deletion of old data. A step does a little; it blocks.
//
// Messages are gone through in the order of their ids, then the summaries of those to many. The
// next step does not skip the entries that a step deleted; entries that were too young, or still
// pending, are checked when all were visited.

/// The progress through messages and summaries.
struct PruneProgress: Sendable {
  var kind = MessagingKey.Kind.message
  /// The last key that was done with; nil is before the first.
  var done: [UInt8]?
  /// The key of the message whose deliveries are being deleted, and the number up to which they were.
  var partial: (key: [UInt8], number: Int64)?
}

extension PushService {
  /// Deletes some of the data beyond its retention; true if there may be more.
  package func pruneStep() throws -> Bool {
    let before = pruned.withLock { $0 }
    let step = try reading { try Pruning(after: before, now: now, limits, $0) }
    if !step.keys.isEmpty {
      do {
        try engine.write(.background) { group in
          for summary in step.summaries {
            let key = MessageSummary.key(summary.message.project, summary.message.id)
            try group.put(key, summary.encoded)
          }
          for key in step.keys { try group.delete(key) }
        }
      } catch {
        throw MessagingError.engine(error)
      }
    }
    pruned.withLock { $0 = step.next ?? PruneProgress() }
    return step.next != nil
  }
}

/// The keys that one step deletes, and the summaries that it keeps.
private struct Pruning {
  private(set) var keys: [[UInt8]] = []
  private(set) var summaries: [MessageSummary] = []
  /// The position of the next step; nil behind the last summary.
  private(set) var next: PruneProgress?
  private let now: Int64
  private let limits: MessagingLimits

  /// Rows that one step deletes, or looks at in vain.
  private static let rows = 500

  init(
    after before: PruneProgress,
    now: Int64,
    _ limits: MessagingLimits,
    _ reader: any KeyValueReader
  ) throws {
    (self.now, self.limits) = (now, limits)
    var range = MessagingKey(before.kind).range
    if let done = before.done { range.lower = done + [0] }
    let cursor = try reader.cursor(over: range, reversed: false)
    var (progress, left) = (before, Self.rows)
    var isFound = try cursor.next()
    while isFound {
      guard left > 0 else {
        next = progress
        return
      }
      left -= 1
      let key = Array(cursor.key)
      let (project, _) = try MessagingKey.project(of: cursor.key)
      let id = try MessagingKey.number(in: cursor.key)
      guard id < oldest(before.kind) else {
        // All that follow of the project are younger.
        guard let upper = MessagingKey(before.kind, project).range.upper else { break }
        progress = PruneProgress(kind: before.kind, done: key)
        isFound = try cursor.seek(upper)
        continue
      }
      let known = progress.partial.flatMap { $0.key == key ? $0.number : nil } ?? 0
      let (value, mailbox) = (Array(cursor.value), MailboxID(project: project, number: known))
      let last =
        before.kind == .message
        ? try take(message: id, key, value, mailbox, &left, reader)
        : try take(summary: id, key, value, project)
      if let last {
        progress.partial = (key, last)
        next = progress
        return
      }
      progress = PruneProgress(kind: before.kind, done: key)
      isFound = try cursor.next()
    }
    if before.kind == .message { next = PruneProgress(kind: .summary) }
  }

  /// The time before which data of a kind is old.
  private func oldest(_ kind: MessagingKey.Kind) -> Int64 {
    let days =
      kind == .message ? limits.messageDays : max(limits.countDays, limits.messageDays)
    return now - days * 86_400_000_000
  }

  /// Returns true if a message, which may have been sent long after it was accepted, is old.
  private func isOld(_ message: StoredMessage, _ kind: MessagingKey.Kind) -> Bool {
    max(message.id, message.start) < oldest(kind)
  }

  /// Takes the rows of a message behind a registration's number, if it is old and nothing waits of it; gives the last number
  /// where there may be more of them.
  private mutating func take(
    message id: Int64,
    _ key: [UInt8],
    _ value: [UInt8],
    _ position: MailboxID,
    _ left: inout Int,
    _ reader: any KeyValueReader
  ) throws -> Int64? {
    let project = position.project
    let message = try StoredMessage(decoding: value, project: project, id: id)
    let deadline = MessagingKey.timed(.deadline, message.lastDeadline, id)
    guard isOld(message, .message), message.stage == .expanded, try reader.get(deadline) == nil
    else { return nil }
    // Counts go with the first rows, so that they never tell of rows that are there no more; a summary has them by then.
    if let summary = try Self.summary(of: message, reader) { summaries.append(summary) }
    keys.append(MessagingKey(.counts, project, id).bytes)
    let range = MessagingKey(.delivery, project, id).range(after: position.number)
    let deliveries = try reader.cursor(over: range, reversed: false)
    var last = position.number
    while try deliveries.next() {
      guard left > 0 else { return last }
      left -= 1
      last = try MessagingKey.number(in: deliveries.key)
      keys.append(Array(deliveries.key))
    }
    keys.append(key)
    return nil
  }

  /// Returns the summary to keep of a message to many; nil for others, and where it is kept
  /// already.
  private static func summary(
    of message: StoredMessage,
    _ reader: any KeyValueReader
  ) throws -> MessageSummary? {
    guard !message.target.isDirect,
      try reader.get(MessageSummary.key(message.project, message.id)) == nil
    else { return nil }
    let counts = try reader.get(MessagingKey(.counts, message.project, message.id).bytes).map {
      try MessageCounts(decoding: $0)
    }
    return MessageSummary(message, counts ?? MessageCounts())
  }

  /// Takes a summary, if it is old; nothing is ever left of one.
  private mutating func take(
    summary id: Int64,
    _ key: [UInt8],
    _ value: [UInt8],
    _ project: Text
  ) throws -> Int64? {
    let summary = try MessageSummary(decoding: value, project: project, id: id)
    if isOld(summary.message, .summary) { keys.append(key) }
    return nil
  }
}
