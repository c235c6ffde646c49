import Access
import BaseText
import FirestoreModel
import KeyValueStore

// A day's key: 0xE1, of the range of `KeyOwner.jobs`, then the scope: 0x01, project, 0x00, database; or 0x02, project, 0x00,
// bucket; 0x00, then the day since 1970 (4 bytes, big-endian). Its value is three big-endian integers of 8 bytes: requests
// that the rules allowed, denied, and denied for an error.

/// The decisions of rules by day, for databases and buckets, as they are kept: 90 days of each.
///
/// All calls block. Any thread may call.
package struct DecisionHistory: Sendable {
  /// The days that are kept, the last one included.
  static let kept = 90

  private let engine: any KeyValueEngine
  private let take: @Sendable () -> [RulesDay]

  /// The history in that engine of what `take` returns, which returns each decision once.
  package init(engine: any KeyValueEngine, take: @escaping @Sendable () -> [RulesDay]) {
    self.engine = engine
    self.take = take
  }

  /// Adds the decisions since the last time, and drops days that are too old.
  package func keep() throws {
    let taken = take()
    guard !taken.isEmpty else { return }
    try engine.write { group in
      for one in taken {
        let key = Self.key(of: one.scope, one.day)
        var counts = RulesCounts()
        if let value = try group.get(key) { counts = try Self.counts(value) }
        counts.allowed += one.counts.allowed
        counts.denied += one.counts.denied
        counts.errors += one.counts.errors
        try group.put(key, Self.value(of: counts))
        let old = KeyRange(
          lower: Self.key(of: one.scope, 0),
          upper: Self.key(of: one.scope, max(0, one.day - Self.kept + 1))
        )
        let cursor = try group.cursor(over: old, reversed: false)
        var forgotten: [[UInt8]] = []
        while try cursor.next() { forgotten.append(Array(cursor.key)) }
        for key in forgotten { try group.delete(key) }
      }
    }
  }

  /// The days of a database or bucket on which its rules decided, the oldest first.
  package func days(of scope: RulesScope) throws -> [RulesDay] {
    try engine.read { reader in
      let range = KeyRange(prefix: Self.prefix(of: scope))
      let cursor = try reader.cursor(over: range, reversed: false)
      var days: [RulesDay] = []
      while try cursor.next() {
        let day = cursor.key.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        days.append(RulesDay(scope: scope, day: day, counts: try Self.counts(Array(cursor.value))))
      }
      return days
    }
  }

  private static func prefix(of scope: RulesScope) -> [UInt8] {
    let (kind, project, name): (UInt8, Text, Text) =
      switch scope {
      case .database(let id): (1, id.project, id.database)
      case .bucket(let id): (2, id.project, id.name)
      }
    return [0xE1, kind] + Array(project.string.utf8) + [0] + Array(name.string.utf8) + [0]
  }

  private static func key(of scope: RulesScope, _ day: Int) -> [UInt8] {
    prefix(of: scope) + withUnsafeBytes(of: UInt32(clamping: day).bigEndian) { Array($0) }
  }

  private static func value(of counts: RulesCounts) -> [UInt8] {
    [counts.allowed, counts.denied, counts.errors].flatMap { count in
      withUnsafeBytes(of: count.bigEndian) { Array($0) }
    }
  }

  private static func counts(_ value: [UInt8]) throws -> RulesCounts {
    guard value.count == 24 else {
      throw KeyValueError(.corruption, "the decisions of a day are damaged")
    }
    var counts = RulesCounts()
    let numbers = stride(from: 0, to: 24, by: 8).map { start in
      value[start..<start + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
    (counts.allowed, counts.denied, counts.errors) = (numbers[0], numbers[1], numbers[2])
    return counts
  }
}
