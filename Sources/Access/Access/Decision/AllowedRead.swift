import Synchronization

/// The last caller that the rules allowed to read an object, so that they are not evaluated again.
///
/// Belongs to one object as it is, with its metadata. It is set only where the rules looked at nothing but the object and
/// the caller: neither at the time nor at documents. Other rules and other callers, also the same user with another token,
/// are not known. Any thread may call.
package final class AllowedRead: Sendable {
  private struct Known {
    let ruleset: ReleasedRuleset
    let caller: Caller
  }

  private let last = Mutex<Known?>(nil)

  /// A memory without an allowed read.
  package init() {}

  /// Returns true if these rules allowed the read to this caller.
  func isKnown(_ ruleset: ReleasedRuleset, _ caller: Caller) -> Bool {
    last.withLock { $0.map { $0.ruleset === ruleset && $0.caller == caller } ?? false }
  }

  /// Keeps in the place of another that these rules allowed it to this caller.
  func note(_ ruleset: ReleasedRuleset, _ caller: Caller) {
    last.withLock { $0 = Known(ruleset: ruleset, caller: caller) }
  }
}
