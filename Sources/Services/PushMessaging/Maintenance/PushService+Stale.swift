import KeyValueStore

// Unused registrations. A step does a little; it blocks.

/// The progress through all entries of a kind.
struct SweepProgress: Sendable {
  /// The last key that was looked at; nil is before the first.
  var position: [UInt8]?
  /// The time of a restart.
  var next: Int64 = 0
}

extension PushService {
  /// Registrations that one step looks at.
  private static let looks = 500
  /// Microseconds between two sweeps.
  private static let pause: Int64 = 3_600_000_000

  /// Ends some registrations without a sign of life for long, and deletes some that ended long ago;
  /// true if there is more to do now.
  package func sweepRegistrationsStep() throws -> Bool {
    let now = now
    let before = sweep.withLock { $0 }
    guard now >= before.next else { return false }
    let oldest = (
      heard: now - limits.staleDays * 86_400_000_000, gone: now - limits.goneDays * 86_400_000_000
    )
    let (old, last) = try reading { reader in
      try Self.old(after: before.position, heard: oldest.heard, gone: oldest.gone, reader)
    }
    if !old.isEmpty { settle(try retire(old, now: now)) }
    sweep.withLock {
      $0 = SweepProgress(position: last, next: last == nil ? now + Self.pause : 0)
    }
    return last != nil
  }

  /// Registrations that are to end or to go, and the last key of the step; nil where it was the last of all.
  private static func old(
    after position: [UInt8]?,
    heard: Int64,
    gone: Int64,
    _ reader: any KeyValueReader
  ) throws -> ([Registration], last: [UInt8]?) {
    var range = MessagingKey(.registration).range
    if let position { range.lower = position + [0] }
    let cursor = try reader.cursor(over: range, reversed: false)
    var old: [Registration] = []
    var last: [UInt8]?
    for _ in 0..<looks {
      guard try cursor.next() else { return (old, nil) }
      let (project, _) = try MessagingKey.project(of: cursor.key)
      let number = try MessagingKey.number(in: cursor.key)
      let known = try Registration(decoding: cursor.value, project: project, number: number)
      if known.gone.map({ $0.at < gone }) ?? (known.heard < heard) { old.append(known) }
      last = Array(cursor.key)
    }
    return (old, last)
  }

  private func retire(_ old: [Registration], now: Int64) throws -> DeliveryBook.Effects {
    let memory = streams.memory
    do {
      return try engine.write(.background) { group in
        var book = DeliveryBook(group, now: now, memory: memory)
        for found in old {
          guard let known = try Registration.read(found.project, found.number, group),
            known == found
          else { continue }
          if known.gone == nil {
            try Self.end(known, reason: "stale", &book)
          } else {
            try Self.delete(known, &book)
          }
        }
        return try book.finish()
      }
    } catch {
      throw MessagingError.engine(error)
    }
  }

  /// Deletes a registration that ended.
  static func delete(_ known: Registration, _ book: inout DeliveryBook) throws {
    try countRegistrations(-1, book.group)
    try book.delete(known)
    try book.deleteHead(known.mailbox)
  }
}
