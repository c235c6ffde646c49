import BaseText
import FirestoreModel
import SecurityRules
import Synchronization

/// The uncollected decisions of rules by day (UTC): allowed, denied, and denied for an error.
///
/// The keeper of the counts takes them from time to time. It counts for 10,000 databases and buckets at most; those beyond
/// are not counted until the others were taken. Any thread may call.
final class RulesTally: Sendable {
  private struct Key: Hashable {
    let scope: RulesScope
    let day: Int
  }

  private let counts = Mutex<[Key: RulesCounts]>([:])
  private let clock: @Sendable () -> Int64

  private static let limit = 10_000

  /// A tally whose days come from microseconds since 1970 of that clock.
  init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }

  /// Counts a request that the rules allowed.
  func countAllowed(of scope: RulesScope) { add(scope) { $0.allowed += 1 } }

  /// Counts a request that the rules denied.
  func count(_ decision: RulesDecision, of scope: RulesScope) {
    let hasFailed = decision.hasFailed
    add(scope) {
      $0.denied += 1
      if hasFailed { $0.errors += 1 }
    }
  }

  /// Returns the counts, and resets them.
  func take() -> [RulesDay] {
    counts.withLock { counts in
      defer { counts = [:] }
      return counts.map { RulesDay(scope: $0.key.scope, day: $0.key.day, counts: $0.value) }
    }
  }

  private func add(_ scope: RulesScope, _ change: (inout RulesCounts) -> Void) {
    let key = Key(scope: scope, day: Int(clock() / 86_400_000_000))
    counts.withLock { counts in
      guard counts.count < Self.limit || counts[key] != nil else { return }
      change(&counts[key, default: RulesCounts()])
    }
  }
}

/// The database or bucket whose rules decide.
package enum RulesScope: Sendable, Hashable {
  /// A database of Firestore.
  case database(DatabaseID)
  /// A bucket of Storage.
  case bucket(BucketID)
}

/// Decisions of rules by their outcome.
package struct RulesCounts: Sendable, Hashable {
  /// Requests that were allowed.
  package var allowed: Int64 = 0
  /// Requests that were denied, those for an error included.
  package var denied: Int64 = 0
  /// Denied requests for which a condition had no value.
  package var errors: Int64 = 0

  /// No decisions.
  package init() {}
}

/// The decisions of the rules of one database or bucket on one day.
package struct RulesDay: Sendable, Hashable {
  /// The database or bucket.
  package let scope: RulesScope
  /// Days since 1970 in UTC.
  package let day: Int
  /// The decisions by outcome.
  package let counts: RulesCounts

  /// The decisions of a day.
  package init(scope: RulesScope, day: Int, counts: RulesCounts) {
    self.scope = scope
    self.day = day
    self.counts = counts
  }
}

extension RulesDecision {
  /// True if a condition had no value, like one that reads a missing field.
  fileprivate var hasFailed: Bool {
    attempts.contains { if case .failed = $0.outcome { true } else { false } }
  }
}

extension AccessControl {
  /// Returns the decisions of the rules that were not returned before.
  package func takeRulesDays() -> [RulesDay] { log.tally.take() }
}
