import BaseText
import FirestoreModel
import SecurityRules
import Synchronization

/// The rules in force for a database or bucket.
///
/// A release makes a new object: who keeps one compares it by identity with the current one.
package final class ReleasedRuleset: Sendable {
  /// The rules, ready to decide on requests.
  package let compiled: CompiledRuleset
  /// The last part of `projects/{project}/rulesets/{id}`.
  package let id: Text
  /// When it took effect.
  package let updateTime: CommitVersion
  private let isReplaced = Atomic(false)

  init(_ compiled: CompiledRuleset, id: Text, updateTime: CommitVersion) {
    self.compiled = compiled
    self.id = id
    self.updateTime = updateTime
  }

  /// False once other rules are in force for the target, or none.
  var isCurrent: Bool { !isReplaced.load(ordering: .acquiring) }

  /// Other rules come into force, or none.
  func replace() { isReplaced.store(true, ordering: .releasing) }
}
