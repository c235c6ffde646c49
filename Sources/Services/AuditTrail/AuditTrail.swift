import BaseRuntime
import Crypto
import KeyValueStore

// An entry's key: 0xF0, the first byte of `KeyOwner.audit`, then its number (8 bytes, big-endian). Its value: the
// SHA-256 digest of the digest before it (32 zeros for the first), its number (8 bytes) and its record, then
// the record, a JSON object as UTF-8 (AuditEntry.swift). Entries are written once and never changed or removed, so
// an entry that is changed, left out or put in between later does not fit its neighbours.

extension KeyOwner {
  /// The acts of administrators, in their order.
  package static let audit = KeyOwner("audit", firstBytes: 0xF0...0xFE)
}

/// The record of administrators' actions, in entries each of which holds the digest of the one
/// before.
///
/// An entry cannot be changed without a change of all that follow it; the owner of the machine
/// could do even that, so the newest digest is worth writing down elsewhere. All calls block. Any
/// thread may call.
package struct AuditTrail: Sendable {
  private let engine: any KeyValueEngine
  private let clock: MicrosecondClock

  /// The trail in that engine.
  package init(engine: any KeyValueEngine, clock: MicrosecondClock = .system) {
    self.engine = engine
    self.clock = clock
  }

  /// Keeps an event; returns when it is durable.
  @discardableResult
  package func append(_ event: AuditEvent) throws -> AuditEntry {
    let time = clock.now()
    return try engine.write { group in
      let last = try Self.last(in: group)
      let number = (last?.number ?? 0) + 1
      let record = Array(event.record(at: time).utf8)
      let digest = Self.digest(of: record, number, after: last?.digest ?? Self.origin)
      try group.put(Self.key(number), digest + record)
      return AuditEntry(number: number, time: time, event: event, digest: digest)
    }
  }

  /// Entries from the newest down, `limit` at most, of those before a number where one is given.
  package func entries(before number: Int64? = nil, limit: Int) throws -> [AuditEntry] {
    try engine.read { snapshot in
      var range = Self.range
      if let number { range.upper = Self.key(max(0, number)) }
      let cursor = try snapshot.cursor(over: range, reversed: true)
      var found: [AuditEntry] = []
      while found.count < limit, try cursor.next() { found.append(try Self.entry(at: cursor)) }
      return found
    }
  }

  /// Recomputes every digest; returns how many entries there are.
  package func verify(report: (String) throws -> Void) throws -> Int {
    try engine.read { snapshot in
      let cursor = try snapshot.cursor(over: Self.range, reversed: false)
      var count = 0
      var (number, digest) = (Int64(0), Self.origin)
      while try cursor.next() {
        count += 1
        let stored = Array(cursor.value)
        let found = Self.number(ofKey: cursor.key)
        if found != number + 1 {
          try report("the audit trail goes from entry \(number) to \(found)")
        }
        let record = Array(stored.dropFirst(32))
        if Self.digest(of: record, found, after: digest) != Array(stored.prefix(32)) {
          try report("entry \(found) of the audit trail is not as it was written")
        }
        (number, digest) = (found, Array(stored.prefix(32)))
      }
      return count
    }
  }

  // MARK: Records

  private static let space = KeyOwner.audit.firstBytes.lowerBound
  private static let range = KeyRange(prefix: [space])
  private static let origin = [UInt8](repeating: 0, count: 32)

  private static func key(_ number: Int64) -> [UInt8] { [space] + bytes(of: number) }

  private static func bytes(of number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func number(ofKey key: UnsafeRawBufferPointer) -> Int64 {
    key.dropFirst().prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func digest(of record: [UInt8], _ number: Int64, after last: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: last + bytes(of: number) + record))
  }

  private static func last(
    in group: any KeyValueGroup
  ) throws -> (number: Int64, digest: [UInt8])? {
    let cursor = try group.cursor(over: range, reversed: true)
    guard try cursor.next() else { return nil }
    return (number(ofKey: cursor.key), Array(cursor.value.prefix(32)))
  }

  private static func entry(at cursor: any KeyValueCursor) throws -> AuditEntry {
    let number = number(ofKey: cursor.key)
    let record = String(decoding: cursor.value.dropFirst(32), as: UTF8.self)
    guard let (event, time) = AuditEvent.read(record) else {
      throw KeyValueError(.corruption, "entry \(number) of the audit trail is damaged")
    }
    return AuditEntry(
      number: number,
      time: time,
      event: event,
      digest: Array(cursor.value.prefix(32))
    )
  }
}
