import BaseStatus
import DocumentStore

// Decisions: the right to listen to a target, decided again once its premises have changed.
//
// Until then the decision is doubtful, and its stream held: the client receives nothing more. Many
// decisions are in doubt at once after a deployment of rules; they are made a few at a time, so
// that other targets need not wait.

extension HubCore {
  /// Doubts the decisions that rest on a changed document.
  func doubt(after change: BatchChange, in views: DatabaseViews) {
    for target in views.dependents(on: change.path) { doubt(target) }
    for view in views.documentViews(of: change.path) {
      for target in view.targets where target.decision?.dependsOnResults == true { doubt(target) }
    }
  }

  /// Marks such decisions as doubtful; targets that were complete before are reported first.
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

  /// Makes a decision again, here or on an engine thread; a target that may be listened to no longer ends.
  private func decide(_ target: Target) {
    guard target.stream.targets[target.id] === target else {
      target.isDoubted = false
      return
    }
    let (stream, view) = (target.stream, target.view)
    do throws(ServiceError) {
      let known = try stream.authority.decideInMemory(view.subject, in: view.database, at: now)
      guard let decision = known else {
        stream.pendingTargets += 1
        return beginDecision(of: stream, view.subject, in: view.database, for: .target(target))
      }
      target.isDoubted = false
      set(decision, of: target)
    } catch {
      target.isDoubted = false
      refuse(target, error)
    }
  }

  private func refuse(_ target: Target, _ error: ServiceError) {
    guard !target.view.database.isRetired else { return }
    // Without a decision, nothing is sent either.
    if error.isVerdict { remove(target, cause: error) } else { drop(target.stream, error) }
  }

  // MARK: On engine threads

  /// Has an engine thread decide; the stream waits.
  func beginDecision(
    of stream: StreamState,
    _ subject: ViewSubject,
    in database: Database,
    for purpose: PendingDecision.Purpose
  ) {
    let id = DecisionID(number: nextOrdinal())
    pendingDecisions[id] = PendingDecision(
      id: id,
      of: stream,
      subject,
      in: database,
      for: purpose
    )
    jobs.addUrgent(.decision(id))
  }

  /// True if it is being decided, or not awaited any more.
  func startDeciding(_ id: DecisionID) -> Bool {
    guard let pending = pendingDecisions[id] else { return true }
    guard streams[pending.stream.id] === pending.stream else {
      pendingDecisions[id] = nil
      return true
    }
    pending.begin()
    return jobs.decide(
      pending.subject,
      for: id,
      in: pending.database,
      at: now,
      pending.stream.authority
    )
  }

  /// It has been decided, for a version that may be over.
  func take(_ result: Result<ListenDecision, ServiceError>, of id: DecisionID) {
    jobs.noteResult()
    guard let pending = pendingDecisions[id], streams[pending.stream.id] === pending.stream else {
      pendingDecisions[id] = nil
      return
    }
    var result = result
    if case .success(let decision) = result, !pending.holds(decision) {
      // A recently changed document is mostly in memory: otherwise a document that never rests
      // would keep the stream waiting.
      guard let known = decisionInMemory(pending) else { return jobs.addUrgent(.decision(id)) }
      result = known
    }
    pendingDecisions[id] = nil
    switch pending.purpose {
    case .target(let target): take(result, of: target, pending)
    case .admission(let request): take(result, of: request, pending)
    }
  }

  private func decisionInMemory(
    _ pending: PendingDecision
  ) -> Result<ListenDecision, ServiceError>? {
    do throws(ServiceError) {
      let authority = pending.stream.authority
      return try authority.decideInMemory(pending.subject, in: pending.database, at: now)
        .map(Result.success)
    } catch {
      return .failure(error)
    }
  }

  private func take(
    _ result: Result<ListenDecision, ServiceError>,
    of target: Target,
    _ pending: PendingDecision
  ) {
    let stream = pending.stream
    stream.pendingTargets -= 1
    target.isDoubted = false
    if stream.targets[target.id] === target {
      if target.view.database !== pending.database {
        // It has moved to another life of its database.
        doubt(target)
      } else {
        switch result {
        case .success(let decision): set(decision, of: target)
        case .failure(let error): refuse(target, error)
        }
      }
    }
    if streams[stream.id] === stream { goOn(stream) }
  }

  private func take(
    _ result: Result<ListenDecision, ServiceError>,
    of request: TargetRequest,
    _ pending: PendingDecision
  ) {
    let stream = pending.stream
    stream.isAdmitting = false
    if stream.database === pending.database {
      admit(request, pending.subject, to: stream, in: pending.database, result)
    } else {
      // Another life of the database has begun, or is looked up: it is decided there.
      stream.waitingRequests.prepend(.add(request))
      stream.answeredAhead += 1
    }
    answerWaiting(of: stream)
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
