import DocumentStore
import FirestoreModel

// Decisions: whether a target may be listened to, asked again once what that rests on has changed.
//
// Until then the decision is doubted, and its stream held: the client is told nothing more. Many are
// doubted at once where other rules come into force; they are made a few at a time, so that those
// whom they do not concern need not wait.

extension HubCore {
  /// Doubts the decisions that rest on a changed document.
  func doubt(after change: BatchChange, in views: DatabaseViews) {
    for target in views.dependents(on: change.path) { doubt(target) }
    for view in views.documentViews(of: change.path) {
      for target in view.targets where target.decision?.dependsOnResults == true { doubt(target) }
    }
  }

  /// Doubts the decisions that are like this; what was complete before is told before.
  func doubt(where isAffected: (ListenDecision) -> Bool) {
    flushTouched()
    for stream in streams.values {
      for target in stream.targets.values {
        if let decision = target.decision, isAffected(decision) { doubt(target) }
      }
    }
  }

  /// Holds a target's stream until it has been decided again whether it may be listened to.
  func doubt(_ target: Target) {
    guard !target.isDoubted else { return }
    target.isDoubted = true
    let stream = target.stream
    if stream.doubted.isEmpty { decisions.add(stream) }
    stream.doubted.append(target)
  }

  /// Makes doubted decisions again, for a while; false where some are left.
  @discardableResult
  func decideDoubted() -> Bool {
    guard decisions.next() != nil else { return true }
    let end = configuration.clock.now() + configuration.decisionTime
    while let stream = decisions.next() {
      guard configuration.clock.now() < end else { return false }
      let target = stream.doubted.removeLast()
      if target.isDoubted { decide(target) }
      if stream.doubted.isEmpty {
        stream.isHurried = false
        goOn(stream)
      }
    }
    return true
  }

  /// Makes a decision again; a target that may be listened to no longer ends.
  func decide(_ target: Target) {
    target.isDoubted = false
    guard target.stream.targets[target.id] === target else { return }
    let view = target.view
    do throws(FirestoreError) {
      set(try target.stream.authority.decide(view.subject, in: view.database, at: now), of: target)
    } catch {
      guard !view.database.isRetired else { return }
      // Where it could not be decided nothing is told either.
      if error.isVerdict { remove(target, cause: error) } else { drop(target.stream, error) }
    }
  }

  /// Notes what a target's admission rests on.
  func set(_ decision: ListenDecision, of target: Target) {
    let views = databases[target.view.database.incarnation]
    if let old = target.decision {
      if old.documents == decision.documents {
        target.decision = decision
        return
      }
      views?.removeDependent(target, on: old.documents)
    }
    guard decision != .unconditional else { return }
    target.decision = decision
    views?.addDependent(target, on: decision.documents)
  }
}
