import BaseText
import KeyValueStore

/// The most messages of one label that one person gets within a time.
///
/// Messages that have a cap are counted by their label for the user whose registration it is, and for the registration where it is
/// nobody's; one message is one for all registrations of a user.
package struct FrequencyCap: Sendable, Equatable {
  /// The most messages within one period: 1 to `most`.
  package let messages: Int64
  /// Seconds.
  package let period: Int64

  /// The most messages that a cap has.
  package static let most: Int64 = 100
  /// Seconds over which a cap counts at most: 30 days.
  package static let longest: Int64 = 2_592_000

  /// A number of messages in a number of seconds; INVALID_ARGUMENT names the value that is out of
  /// bounds.
  package init(messages: Int64, period: Int64) throws(MessagingError) {
    guard (1...Self.most).contains(messages) else {
      throw .invalid("frequencyCap.messages", "A cap must be between 1 and \(Self.most) messages.")
    }
    guard (1...Self.longest).contains(period) else {
      throw .invalid("frequencyCap.period", "A period must be between 1s and \(Self.longest)s.")
    }
    (self.messages, self.period) = (messages, period)
  }

  init(decoding value: [UInt8]) throws {
    messages = try NumberValue.decode(value.prefix(8))
    period = try NumberValue.decode(value.dropFirst(8))
  }

  var encoded: [UInt8] { NumberValue.encode(messages) + NumberValue.encode(period) }
}

/// The times of a user's newest messages with a capped label: 16 bytes each, the time and the
/// message's number.
struct CappedTimes: Sendable {
  private(set) var entries: [(time: Int64, message: Int64)] = []

  init() {}

  init(decoding value: some Collection<UInt8>) throws {
    let numbers = try value.split(every: 8).map { try NumberValue.decode($0) }
    guard numbers.count.isMultiple(of: 2) else {
      throw KeyValueError(.corruption, "the times of a cap are damaged")
    }
    entries = stride(from: 0, to: numbers.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
  }

  var encoded: [UInt8] {
    entries.flatMap { NumberValue.encode($0.time) + NumberValue.encode($0.message) }
  }

  /// Counts a message; false where the cap has no room for it.
  mutating func take(_ message: Int64, _ cap: FrequencyCap, now: Int64) -> Bool {
    if entries.contains(where: { $0.message == message }) { return true }
    let since = now - cap.period * 1_000_000
    guard entries.count(where: { $0.time > since }) < cap.messages else { return false }
    entries.append((now, message))
    entries.removeFirst(max(0, entries.count - Int(FrequencyCap.most)))
    return true
  }

  /// Returns true if no cap counts any of them.
  func areOver(now: Int64) -> Bool {
    (entries.last?.time ?? 0) < now - FrequencyCap.longest * 1_000_000
  }
}

extension Collection<UInt8> {
  fileprivate func split(every length: Int) -> [SubSequence] {
    var parts: [SubSequence] = []
    var start = startIndex
    while start != endIndex {
      let end = index(start, offsetBy: length, limitedBy: endIndex) ?? endIndex
      parts.append(self[start..<end])
      start = end
    }
    return parts
  }
}

extension DeliveryBook {
  /// Counts a message for the user of a registration; false if its cap has no room for it.
  func passesCap(_ message: StoredMessage, _ registration: Registration) throws -> Bool {
    guard let cap = message.cap, let label = message.content.label else { return true }
    let key = PushService.capKey(registration).text(label).bytes
    var times = try group.get(key).map { try CappedTimes(decoding: $0) } ?? CappedTimes()
    guard times.take(message.id, cap, now: now) else { return false }
    try group.put(key, times.encoded)
    return true
  }
}

extension PushService {
  /// Counts that one step looks at.
  private static let looks = 500
  /// Microseconds between two sweeps.
  private static let pause: Int64 = 3_600_000_000

  /// Returns the key of the counts for caps, of a registration's user or of itself.
  static func capKey(_ registration: Registration) -> MessagingKey {
    registration.uid.map { capKey(ofUser: $0, registration.project) }
      ?? capKey(ofRegistration: registration)
  }

  /// Returns the key of the counts for caps that a registration got while it had no user.
  static func capKey(ofRegistration registration: Registration) -> MessagingKey {
    MessagingKey(.capped, registration.project).text("r\(registration.number)")
  }

  static func capKey(ofUser uid: String, _ project: Text) -> MessagingKey {
    MessagingKey(.capped, project).text("u\(uid)")
  }

  /// Deletes the counts for caps of a user, or some counts of a registration that ends: the sweep
  /// finds the rest.
  static func deleteCaps(
    _ prefix: MessagingKey,
    _ group: any KeyValueGroup,
    isAll: Bool = true
  ) throws {
    let cursor = try group.cursor(over: prefix.range, reversed: false)
    var keys: [[UInt8]] = []
    while isAll || keys.count < looks, try cursor.next() { keys.append(Array(cursor.key)) }
    for key in keys { try group.delete(key) }
  }

  /// Deletes some counts that no cap looks at any more; true where there is more to do now.
  package func sweepCapsStep() throws -> Bool {
    let now = now
    let before = capSweep.withLock { $0 }
    guard now >= before.next else { return false }
    let (old, last) = try reading { try Self.oldCaps(after: before.position, now: now, $0) }
    if !old.isEmpty {
      try engine.write(.background) { group in
        for key in old {
          guard let value = try group.get(key), try CappedTimes(decoding: value).areOver(now: now)
          else { continue }
          try group.delete(key)
        }
      }
    }
    capSweep.withLock {
      $0 = SweepProgress(position: last, next: last == nil ? now + Self.pause : 0)
    }
    return last != nil
  }

  private static func oldCaps(
    after position: [UInt8]?,
    now: Int64,
    _ reader: any KeyValueReader
  ) throws -> ([[UInt8]], last: [UInt8]?) {
    var range = MessagingKey(.capped).range
    if let position { range.lower = position + [0] }
    let cursor = try reader.cursor(over: range, reversed: false)
    var (old, last): ([[UInt8]], [UInt8]?) = ([], nil)
    for _ in 0..<looks {
      guard try cursor.next() else { return (old, nil) }
      let key = Array(cursor.key)
      if try CappedTimes(decoding: cursor.value).areOver(now: now) { old.append(key) }
      last = key
    }
    return (old, last)
  }
}
